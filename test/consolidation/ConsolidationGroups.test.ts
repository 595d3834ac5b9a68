/** Which fragments come together: all close to all, of one user, type and subject; never strangers over a third. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { dot, groupsOf, isFragment, MOST } from "../../src/consolidation/ConsolidationGroups.ts"
import type { Fragment } from "../../src/consolidation/ConsolidationGroups.ts"
import { placeOf, restatedBy, termsOf, textFault } from "../../src/consolidation/ConsolidationText.ts"
import { ClaimCache } from "../../src/memory/claims/ClaimCache.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { freshScope, noon, rowOf } from "../memory/MemoryFixture.ts"

const claims = new ClaimCache(100)
const scope = freshScope()
let ids = 0

const memory = (changed: Partial<MemoryRow> = {}): MemoryRow =>
  rowOf(scope, { memory_id: `mem_${String(++ids).padStart(4, "0")}`, canonical_sha256: `c${ids}`, ...changed })

/** A unit vector in the plane. */
const at = (degrees: number): Float32Array =>
  Float32Array.from([Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180)])

const fragment = (degrees: number, changed: Partial<MemoryRow> = {}): Fragment => ({
  row: memory(changed),
  vector: at(degrees)
})

const closeness = Math.cos(40 * Math.PI / 180)
const keysOf = (fragments: ReadonlyArray<Fragment>) =>
  groupsOf(fragments, closeness).map(({ members }) => members.map(({ memory_key }) => memory_key).sort())

describe("groups of fragments", () => {
  it("hold no two strangers, though a third lies between them", () => {
    const chain = [0, 30, 60, 90].map((degrees) => fragment(degrees, { memory_key: `loom/deploy/${degrees}` }))
    const found = keysOf(chain)
    assert.deepStrictEqual(found.map((keys) => keys.length), [2, 2])
    assert.deepStrictEqual(found.flat().sort(), ["loom/deploy/0", "loom/deploy/30", "loom/deploy/60", "loom/deploy/90"])
  })

  it("hold one user's memories of one type about one subject", () => {
    const alike = [
      fragment(0, { memory_key: "loom/deploy/a" }),
      fragment(1, { memory_key: "loom/deploy/b" }),
      fragment(2, { memory_key: "loom/deploy/c", user_id: "grace" }),
      fragment(3, { memory_key: "loom/deploy/d", memory_type: "decision" }),
      fragment(4, { memory_key: "loom/backup/e" }),
      fragment(5, { memory_key: "alone" })
    ]
    assert.deepStrictEqual(keysOf(alike), [["loom/deploy/a", "loom/deploy/b"]])
    const named = [
      fragment(0, { memory_key: "a/x", entities: ["billing service"] }),
      fragment(1, { memory_key: "b/y", entities: ["billing service", "loom"] }),
      fragment(2, { memory_key: "c/z", entities: ["loom", "billing service"] })
    ]
    assert.deepStrictEqual(keysOf(named), [["a/x", "b/y"]])
  })

  it("are close all to all, of 2 to 20 members, each memory once, whatever there is", () => {
    const one = FastCheck.record({
      degrees: FastCheck.integer({ min: 0, max: 359 }),
      user: FastCheck.constantFrom("ada", "grace"),
      stem: FastCheck.constantFrom("loom/deploy", "loom/backup"),
      entity: FastCheck.constantFrom("loom", "billing", "")
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(one, { maxLength: 60 }), (all) => {
        const fragments = all.map(({ degrees, entity, stem, user }, index) =>
          fragment(degrees, {
            memory_key: `${stem}/${index}`,
            user_id: user,
            entities: entity === "" ? [] : [entity]
          })
        )
        const vectors = new Map(fragments.map(({ row: { memory_id }, vector }) => [memory_id, vector]))
        const groups = groupsOf(fragments, closeness)
        const members = groups.flatMap((group) => group.members.map(({ memory_id }) => memory_id))
        assert.strictEqual(new Set(members).size, members.length)
        for (const group of groups) {
          assert.isAtLeast(group.members.length, 2)
          assert.isAtMost(group.members.length, MOST)
          assert.strictEqual(new Set(group.members.map(({ user_id }) => user_id)).size, 1)
          for (const left of group.members) {
            for (const right of group.members) {
              const [ours, theirs] = [vectors.get(left.memory_id), vectors.get(right.memory_id)]
              assert.isAtLeast(dot(ours ?? at(0), theirs ?? at(90)), closeness - 1e-6)
            }
          }
        }
        const places = groups.map((group) => JSON.stringify(placeOf(group)))
        assert.strictEqual(new Set(places).size, places.length, "two groups under one key")
      }),
      { seed: 20_261_130 }
    )
  })

  it("leave out what is secret, contested, over, derived or outside content that nobody attested", () => {
    assert.isTrue(isFragment(memory(), noon))
    const left: ReadonlyArray<Partial<MemoryRow>> = [
      { sensitivity: "high" },
      { status: "conflicted" },
      { status: "duplicate" },
      { status: "tombstoned" },
      { source_class: "derived" },
      { source_class: "external" },
      { value_kind: "json" },
      { canonical_sha256: "" },
      { expires_at: noon - 1 },
      { valid_to: noon - 1 },
      { memory_type: "procedural" }
    ]
    for (const changed of left) assert.isFalse(isFragment(memory(changed), noon), JSON.stringify(changed))
    assert.isTrue(
      isFragment(
        memory({ source_class: "external", verified_kind: "human", verified_sha256: memory().content_sha256 }),
        noon
      )
    )
  })
})

const group = (members: ReadonlyArray<MemoryRow>) => ({
  subject: "loom/deploy",
  by: "key" as const,
  isOneOfSeveral: false,
  members
})

describe("the text of a group", () => {
  it("is the fullest restatement, and none of several things", () => {
    const short = memory({ value: "Deploys happen on Tuesdays." })
    const full = memory({ value: "The deploys happen on Tuesdays." })
    const other = memory({ value: "Backups are kept for thirty days." })
    assert.strictEqual(restatedBy(group([short, full]), claims), full.value)
    assert.isNull(restatedBy(group([short, other]), claims))
  })

  it("of a model names nothing and counts nothing that the sources do not", () => {
    const sources = group([
      memory({ value: "Deploys of Loom happen on Tuesdays at 9:30." }),
      memory({ value: "Ada approves each deploy, 2 reviewers are needed." })
    ])
    assert.isNull(
      textFault("Loom deploys on Tuesdays at 9:30. Ada approves each one; two reviewers are needed.", sources)
    )
    assert.strictEqual(textFault("Loom deploys on Tuesdays at 9:45.", sources), "not_borne")
    assert.strictEqual(textFault("Loom deploys on Fridays.", sources), "not_borne")
    assert.strictEqual(textFault("Deploys happen on Tuesdays. Grace approves each one.", sources), "not_borne")
    assert.strictEqual(textFault("Deploys never happen on Tuesdays.", sources), "not_borne")
    assert.strictEqual(textFault("  ", sources), "empty")
    assert.strictEqual(textFault("deploy ".repeat(100), sources), "too_long")
  })

  it("stands under the subject, with no more than holds for every source", () => {
    const first = memory({
      memory_key: "loom/deploy/day",
      agent: "bot",
      tags: ["a", "b"],
      valid_at: 5,
      confidence: 0.9
    })
    const second = memory({
      memory_key: "loom/deploy/hour",
      agent: "bot",
      tags: ["b"],
      valid_at: 7,
      expires_at: 9,
      confidence: 1
    })
    assert.deepStrictEqual(placeOf(group([first, second])), {
      agent: "bot",
      user_id: first.user_id,
      session_id: "",
      memory_key: "loom/deploy/summary"
    })
    assert.strictEqual(
      placeOf({ ...group([first, second]), isOneOfSeveral: true }).memory_key,
      "loom/deploy/summary/day"
    )
    assert.deepInclude(termsOf(group([first, second])), { tags: ["b"], valid_at: 7, confidence: 0.9, expires_at: 9 })
    assert.notProperty(termsOf(group([first, memory({ valid_at: null })])), "valid_at")
  })
})
