import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import type { Comparison } from "../../src/memory/claims/ClaimCompare.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { judge } from "../../src/memory/WritePolicy.ts"
import type { Decision, JudgedWrite, Met, Rules } from "../../src/memory/WritePolicy.ts"
import { freshScope, rowOf } from "./MemoryFixture.ts"

const stored = (columns: Partial<MemoryRow>): MemoryRow =>
  rowOf(freshScope(), { content_sha256: "old", run_id: "", ...columns })

const write = (facts: Partial<JudgedWrite> = {}): JudgedWrite => ({
  content: {
    value: "new",
    value_kind: "string",
    content_sha256: "new",
    canonical_sha256: "canonical",
    memory_type: "semantic",
    retyped_from: "",
    sensitivity: "none",
    searchable: null
  },
  run_id: "",
  mayReplacePinned: false,
  pins: false,
  proposed: false,
  revives: false,
  source_class: "asserted",
  valid_at: null,
  blacklisted: undefined,
  if_match_sha256: null,
  now: 1_000,
  ...facts
})

const nobody: Met = {
  own: undefined,
  canonical: [],
  sameContent: [],
  withdrawn: undefined,
  near: [],
  sameKey: []
}
const rules: Rules = {
  conflictPolicy: "auto_reinforce",
  bulkDedup: "identity",
  retentionSeconds: null,
  thresholds: { conflict: 0.7, duplicate: 0.8 },
  multiValued: []
}
const newestWins: Rules = { ...rules, conflictPolicy: "newest_wins" }

const says = (relation: Comparison["relation"], predicate: string | null = null) => (): Comparison => ({
  relation,
  rule: "scripted",
  reason: "as scripted",
  substitution: predicate === null ? null : { subject: "it", predicate }
})

const decided = (met: Met, facts: Partial<JudgedWrite> = {}, given: Rules = rules, compare = says("other")) =>
  judge(met, write(facts), given, compare)

const verdict = (met: Met, facts: Partial<JudgedWrite> = {}, given: Rules = rules, compare = says("other")): string =>
  Either.match(decided(met, facts, given, compare), { onLeft: ({ code }) => code, onRight: ({ _tag }) => _tag })

describe("WritePolicy.judge", () => {
  const other = stored({ memory_key: "other" })
  const table: ReadonlyArray<readonly [string, Met, Partial<JudgedWrite>, string]> = [
    ["nothing stored", nobody, {}, "Insert"],
    ["another value under the key", { ...nobody, own: stored({}) }, {}, "Insert"],
    ["the same value under the key", { ...nobody, own: stored({ content_sha256: "new" }) }, {}, "Restate"],
    ["the same claim under another key", { ...nobody, canonical: [other] }, {}, "Merge"],
    ["the same bytes under another key", { ...nobody, sameContent: [other] }, {}, "Merge"],
    [
      "the same claim elsewhere while the key says something else",
      { ...nobody, own: stored({}), canonical: [other] },
      {},
      "Duplicate"
    ],
    ["the same claim of another run", { ...nobody, canonical: [other] }, { run_id: "r2" }, "Duplicate"],
    ["the same claim of the same run", { ...nobody, canonical: [stored({ run_id: "r2" })] }, { run_id: "r2" }, "Merge"],
    ["a locked row", { ...nobody, own: stored({ lock_mode: "read_only" }) }, {}, "LOCKED"],
    ["a lock that lapsed", { ...nobody, own: stored({ lock_mode: "read_only", lock_until: 999 }) }, {}, "Insert"],
    ["a no_delete lock", { ...nobody, own: stored({ lock_mode: "no_delete" }) }, {}, "Insert"],
    [
      "a restatement of a locked row",
      { ...nobody, own: stored({ lock_mode: "read_only", content_sha256: "new" }) },
      {},
      "Restate"
    ],
    ["a pinned row", { ...nobody, own: stored({ pinned: true }) }, {}, "PINNED_CONFLICT"],
    [
      "a pinned row and a write that pins",
      { ...nobody, own: stored({ pinned: true }) },
      { mayReplacePinned: true },
      "Insert"
    ],
    [
      "a restatement of a pinned row",
      { ...nobody, own: stored({ pinned: true, content_sha256: "new" }) },
      {},
      "Restate"
    ],
    ["a precondition that holds", { ...nobody, own: stored({}) }, { if_match_sha256: "old" }, "Insert"],
    [
      "a precondition that does not",
      { ...nobody, own: stored({}) },
      { if_match_sha256: "older" },
      "PRECONDITION_FAILED"
    ],
    ["a precondition and no row", nobody, { if_match_sha256: "old" }, "PRECONDITION_FAILED"],
    ["a restatement with a stale precondition", { ...nobody, own: stored({ content_sha256: "new" }) }, {
      if_match_sha256: "old"
    }, "PRECONDITION_FAILED"]
  ]
  for (const [name, met, facts, expected] of table) {
    it(`answers ${expected} to ${name}`, () => assert.strictEqual(verdict(met, facts), expected))
  }

  it("judges nothing under append_only", () =>
    assert.strictEqual(
      verdict({ ...nobody, canonical: [other] }, {}, { ...rules, conflictPolicy: "append_only" }),
      "Insert"
    ))

  it("merges nothing that has no canonical form", () =>
    assert.strictEqual(
      verdict({ ...nobody, canonical: [other] }, { content: { ...write().content, canonical_sha256: "" } }),
      "Insert"
    ))

  describe("peers", () => {
    const near = (columns: Partial<MemoryRow> = {}, similarity = 0.9) => ({
      row: stored({ memory_key: "peer", ...columns }),
      similarity,
      outlasts: columns.expires_at === undefined
    })
    const meets = (columns: Partial<MemoryRow> = {}, similarity = 0.9): Met => ({
      ...nobody,
      near: [near(columns, similarity)]
    })
    const shown = (decision: Decision): string =>
      decision._tag === "Insert" ? decision.verdict : decision._tag.toLowerCase()
    const came = (met: Met, facts: Partial<JudgedWrite>, given: Rules, compare: ReturnType<typeof says>) =>
      Either.match(decided(met, facts, given, compare), {
        onLeft: ({ code }) => code,
        onRight: (decision) =>
          `${shown(decision)} ${decision.peers.map((peer) => peer.verdict)} -${
            decision.retires.map(({ row }) => row.memory_key)
          }`
      })
    const table: ReadonlyArray<
      readonly [string, Met, Partial<JudgedWrite>, Rules, ReturnType<typeof says>, string]
    > = [
      ["another subject", meets(), {}, rules, says("other"), "clear clear -"],
      ["a contradiction", meets(), {}, rules, says("differs", "live"), "conflict conflict -"],
      ["an unsure one", meets(), {}, rules, says("unsure"), "conflict conflict -"],
      ["a paraphrase", meets(), {}, rules, says("same"), "duplicate duplicate -"],
      ["a paraphrase that is not close", meets({}, 0.75), {}, rules, says("same"), "conflict conflict -"],
      ["a paraphrase that ends earlier", meets({ expires_at: 9_000 }), {}, rules, says("same"), "clear clear -"],
      ["a sure contradiction not quite close", meets({}, 0.55), {}, rules, says("differs"), "conflict conflict -"],
      ["an unsure one not quite close", meets({}, 0.55), {}, rules, says("unsure"), "clear  -"],
      ["another subject not quite close", meets({}, 0.55), {}, rules, says("other"), "clear  -"],
      ["a pinned peer", meets({ pinned: true }), {}, rules, says("differs"), "PINNED_CONFLICT"],
      ["a pinned peer that says the same", meets({ pinned: true }), {}, rules, says("same"), "PINNED_CONFLICT"],
      ["a pinned peer about something else", meets({ pinned: true }), {}, rules, says("other"), "clear clear -"],
      [
        "a pinned peer, by update",
        meets({ pinned: true }),
        { mayReplacePinned: true },
        rules,
        says("differs"),
        "conflict conflict -"
      ],
      ["newest_wins, another object", meets(), {}, newestWins, says("differs", "live"), "refines refines -peer"],
      [
        "newest_wins, a difference without a substitution",
        meets(),
        {},
        newestWins,
        says("differs"),
        "conflict conflict -"
      ],
      ["newest_wins, unsure", meets(), {}, newestWins, says("unsure", "live"), "conflict conflict -"],
      [
        "newest_wins, a later peer",
        meets({ valid_at: 9 }),
        { valid_at: 5 },
        newestWins,
        says("differs", "live"),
        "conflict conflict -"
      ],
      [
        "newest_wins, an earlier peer",
        meets({ valid_at: 5 }),
        { valid_at: 9 },
        newestWins,
        says("differs", "live"),
        "refines refines -peer"
      ],
      [
        "newest_wins, an undated write",
        meets({ valid_at: 9 }),
        {},
        newestWins,
        says("differs", "live"),
        "refines refines -peer"
      ],
      [
        "newest_wins, a locked peer",
        meets({ lock_mode: "no_delete" }),
        {},
        newestWins,
        says("differs", "live"),
        "conflict conflict -"
      ],
      [
        "newest_wins, a proposal",
        meets(),
        { proposed: true },
        newestWins,
        says("differs", "live"),
        "conflict conflict -"
      ],
      [
        "newest_wins, a restored claim",
        meets(),
        { revives: true },
        newestWins,
        says("differs", "live"),
        "conflict conflict -"
      ],
      [
        "a predicate of several values",
        meets(),
        {},
        { ...newestWins, multiValued: ["speak"] },
        says("differs", "speak"),
        "clear clear -"
      ],
      ["append_only", meets(), {}, { ...rules, conflictPolicy: "append_only" }, says("differs"), "clear  -"]
    ]
    for (const [name, met, facts, given, compare, expected] of table) {
      it(`answers ${expected} to ${name}`, () => assert.strictEqual(came(met, facts, given, compare), expected))
    }

    const sameKey = (columns: Partial<MemoryRow> = {}) => ({
      ...nobody,
      sameKey: [stored({ memory_key: "key", agent: "other", ...columns })]
    })
    const keys: ReadonlyArray<readonly [string, Met, Partial<JudgedWrite>, string]> = [
      ["an older row under the key", sameKey(), {}, "clear  -key"],
      ["a pinned row under the key", sameKey({ pinned: true }), {}, "clear  -"],
      ["a locked row under the key", sameKey({ lock_mode: "read_only" }), {}, "clear  -"],
      ["a later-dated row under the key", sameKey({ valid_at: 9 }), { valid_at: 5 }, "backfill  -"],
      ["a later-dated own row", { ...nobody, own: stored({ valid_at: 9 }) }, { valid_at: 5 }, "backfill  -"],
      ["an undated row under the key", sameKey(), { valid_at: 5 }, "clear  -key"],
      ["an equal row elsewhere", { ...sameKey(), canonical: [stored({ memory_key: "other" })] }, {}, "merge merge -key"]
    ]
    for (const [name, met, facts, expected] of keys) {
      it(`answers ${expected} to newest_wins with ${name}`, () =>
        assert.strictEqual(came(met, facts, newestWins, says("other")), expected))
    }
  })

  it("refuses a blacklisted value, a restatement too", () => {
    const facts = { blacklisted: { pattern_id: "bl_1", scope: "namespace", reason: "secret" } } as const
    assert.strictEqual(verdict(nobody, facts), "BLACKLISTED")
    assert.strictEqual(verdict({ ...nobody, own: stored({ content_sha256: "new" }) }, facts), "BLACKLISTED")
    assert.strictEqual(verdict({ ...nobody, own: stored({ pinned: true }) }, facts), "PINNED_CONFLICT")
  })

  it("lets no import bring back what was taken away", () => {
    const met = { ...nobody, withdrawn: stored({ status: "rejected" }) }
    assert.strictEqual(verdict(met, { source_class: "imported" }), "SUPPRESSED")
    assert.strictEqual(verdict(met, { source_class: "asserted" }), "Insert")
  })

  it("keeps a proposal from taking the place of a live memory", () => {
    assert.strictEqual(verdict({ ...nobody, own: stored({}) }, { proposed: true }), "KEY_TAKEN")
    assert.strictEqual(verdict({ ...nobody, own: stored({ status: "proposed" }) }, { proposed: true }), "Insert")
    const same = { ...nobody, own: stored({ status: "proposed", content_sha256: "new" }) }
    assert.strictEqual(verdict(same, { proposed: true }), "Restate")
    assert.strictEqual(verdict(same), "Insert")
  })
})
