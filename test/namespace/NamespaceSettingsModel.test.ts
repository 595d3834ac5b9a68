import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import {
  NamespaceSettings,
  noSettings,
  settingsFor,
  strictestFirst
} from "../../src/namespace/NamespaceSettingsModel.ts"
import type { TagRules } from "../../src/namespace/NamespaceSettingsModel.ts"
import { namespace } from "./NamespaceFixture.ts"

const registered = (tag_registry: Record<string, TagRules>, more: Partial<NamespaceSettings> = {}) =>
  namespace({ default_conflict_policy: "newest_wins", settings: { ...noSettings, tag_registry, ...more } })

const of = (tags: ReadonlyArray<string>, memory_type = "semantic") => ({ memory_type, tags })

describe("settingsFor", () => {
  it("has the defaults where nothing was registered", () => {
    assert.deepEqual(settingsFor(undefined, of(["a"])), {
      conflictPolicy: "auto_reinforce",
      dedup: null,
      retentionSeconds: null,
      thresholds: null
    })
    assert.strictEqual(settingsFor(registered({}), of(["a"])).conflictPolicy, "newest_wins")
  })

  it("lets a tag stand before the default, stricter or not", () => {
    const strict = namespace({
      default_conflict_policy: "append_only",
      settings: { ...noSettings, tag_registry: { lax: { conflict: "newest_wins" }, mute: { retention_seconds: 5 } } }
    })
    assert.strictEqual(settingsFor(strict, of(["lax"])).conflictPolicy, "newest_wins")
    assert.strictEqual(settingsFor(strict, of(["mute"])).conflictPolicy, "append_only")
  })

  it("takes the strictest of several tags, field by field", () => {
    const found = settingsFor(
      registered({
        a: { conflict: "auto_reinforce", dedup: "identity", retention_seconds: 100 },
        b: { conflict: "manual_review", retention_seconds: 50 },
        c: { dedup: "none" }
      }),
      of(["a", "unknown", "b", "c"])
    )
    assert.deepEqual(found, {
      conflictPolicy: "manual_review",
      dedup: "none",
      retentionSeconds: 50,
      thresholds: null
    })
    assert.strictEqual(settingsFor(registered({ a: { dedup: "identity" } }), of(["a"])).dedup, "identity")
  })

  it("does not depend on the order or the number of the tags", () => {
    const registry = {
      a: { conflict: "append_only" },
      b: { conflict: "manual_review", dedup: "none" },
      c: { conflict: "newest_wins", retention_seconds: 7 },
      d: { dedup: "identity", retention_seconds: 9 }
    } satisfies Record<string, TagRules>
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.constantFrom("a", "b", "c", "d", "e")), (tags) => {
        const found = settingsFor(registered(registry), of(tags))
        assert.deepEqual(settingsFor(registered(registry), of([...tags].sort())), found)
        assert.deepEqual(settingsFor(registered(registry), of([...new Set(tags)])), found)
        // Another tag makes it stricter or leaves it.
        const withAll = settingsFor(registered(registry), of([...tags, "a"]))
        assert.isAtMost(
          strictestFirst.indexOf(withAll.conflictPolicy),
          strictestFirst.indexOf(found.conflictPolicy)
        )
      })
    )
  })

  it("matches a tag in the case it was written in, and no name of JavaScript's own", () => {
    assert.strictEqual(settingsFor(registered({ Ops: { dedup: "none" } }), of(["ops"])).dedup, null)
    for (const tag of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      assert.deepEqual(settingsFor(registered({}), of([tag], tag)).dedup, null)
      assert.isNull(settingsFor(registered({}), of([], tag)).thresholds)
    }
  })

  it("puts a type's thresholds before the namespace's", () => {
    const found = registered({}, {
      thresholds: { conflict: 0.6, duplicate: 0.9 },
      type_thresholds: { decision: { conflict: 0.7 }, empty: {} }
    })
    assert.deepEqual(settingsFor(found, of([])).thresholds, { conflict: 0.6, duplicate: 0.9 })
    assert.deepEqual(settingsFor(found, of([], "decision")).thresholds, { conflict: 0.7, duplicate: 0.9 })
    assert.deepEqual(settingsFor(found, of([], "empty")).thresholds, { conflict: 0.6, duplicate: 0.9 })
    // One side of a type moves the other side of the namespace where they would cross.
    const crossing = registered({}, {
      thresholds: { conflict: 0.6, duplicate: 0.9 },
      type_thresholds: { low: { duplicate: 0.5 }, high: { conflict: 0.95 } }
    })
    assert.deepEqual(settingsFor(crossing, of([], "low")).thresholds, { conflict: 0.5, duplicate: 0.5 })
    assert.deepEqual(settingsFor(crossing, of([], "high")).thresholds, { conflict: 0.95, duplicate: 0.95 })
  })
})

describe("NamespaceSettings", () => {
  const decode = Schema.decodeUnknownEither(NamespaceSettings)

  it("reads what was stored before a setting existed", () => {
    assert.deepEqual(Schema.decodeUnknownSync(NamespaceSettings)({}), noSettings)
    assert.deepEqual(Schema.decodeUnknownSync(NamespaceSettings)({ thresholds: { conflict: 0.5 } }), {
      ...noSettings,
      thresholds: { conflict: 0.5 }
    })
  })

  it("refuses what lies outside the bounds", () => {
    const many = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, value]))
    const bad: ReadonlyArray<unknown> = [
      { thresholds: { conflict: 1.1 } },
      { thresholds: { duplicate: -0.1 } },
      { thresholds: { conflict: 0.9, duplicate: 0.8 } },
      { thresholds: { conflict: "0.9" } },
      { type_thresholds: { "Not A Type": { conflict: 0.5 } } },
      { type_thresholds: { semantic: { conflict: 0.9, duplicate: 0.1 } } },
      { type_thresholds: many(65, {}) },
      { tag_registry: { a: { conflict: "sometimes" } } },
      { tag_registry: { a: { dedup: "all" } } },
      { tag_registry: { a: { retention_seconds: 0 } } },
      { tag_registry: { a: { retention_seconds: 1.5 } } },
      { tag_registry: { " ": {} } },
      { tag_registry: { ["x".repeat(257)]: {} } },
      { tag_registry: many(257, {}) },
      { tag_registry: JSON.parse("{\"__proto__\":{\"dedup\":\"none\"}}") },
      { multi_valued_predicates: [""] },
      { multi_valued_predicates: ["x".repeat(129)] },
      { multi_valued_predicates: Array.from({ length: 257 }, (_, index) => `p${index}`) }
    ]
    for (const one of bad) assert.strictEqual(decode(one)._tag, "Left", JSON.stringify(one).slice(0, 80))
    assert.strictEqual(decode({ thresholds: { conflict: 0.8, duplicate: 0.8 } })._tag, "Right")
    assert.strictEqual(decode({ tag_registry: many(256, {}), type_thresholds: many(64, {}) })._tag, "Right")
  })
})
