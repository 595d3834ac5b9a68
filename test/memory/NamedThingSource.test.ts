/** Who gave a memory its entities, as its history says it. */
import { assert, describe, it } from "@effect/vitest"
import { causeText } from "../../src/memory/MemoryCause.ts"
import { DERIVED_ENTITIES, sourceOf } from "../../src/memory/NamedThingSource.ts"

const cause = causeText({ write_id: "wr_1", rule: DERIVED_ENTITIES, memory_id: null, evidence: "" })

type Version = Parameters<typeof sourceOf>[0][number]
const version = (entities: ReadonlyArray<string>, changed: Partial<Version> = {}): Version => ({
  entities,
  content_sha256: "a",
  change: "label",
  cause: "",
  status: "active",
  ...changed
})
const derived = (...entities: ReadonlyArray<string>) => version(entities, { cause })
const newestFirst = (...versions: ReadonlyArray<Version>) => [...versions].reverse()

describe("sourceOf", () => {
  it("is the writer's where the writer stated them", () => {
    assert.strictEqual(sourceOf(newestFirst(version(["ada"], { change: "create" })), true), "stated")
    assert.strictEqual(
      sourceOf(
        newestFirst(version([], { change: "create" }), derived("ada"), version(["bob"], { change: "correct" })),
        true
      ),
      "stated"
    )
  })

  it("is derived as long as they are carried along", () => {
    const history = [
      version([], { change: "create" }),
      derived("ada"),
      version(["ada"], { change: "correct", content_sha256: "b" }),
      version(["ada"], { change: "lock", content_sha256: "b" }),
      version(["ada"], { change: "repair", status: "void" })
    ]
    assert.strictEqual(sourceOf(newestFirst(...history), true), "derived")
    // A page that ends before the one who brought them says nothing.
    assert.isNull(sourceOf(newestFirst(...history).slice(0, 3), false))
  })

  it("goes back behind a rollback to the version that it returned to", () => {
    const back = version(["ada"], { change: "rollback" })
    const between = version(["bob"], { change: "correct", content_sha256: "b" })
    const created = version([], { change: "create" })
    assert.strictEqual(sourceOf(newestFirst(created, derived("ada"), between, back), true), "derived")
    assert.strictEqual(sourceOf(newestFirst(version(["ada"], { change: "create" }), between, back), true), "stated")
    assert.isNull(sourceOf(newestFirst(between, back), false))
  })
})
