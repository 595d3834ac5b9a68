import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { judge } from "../../src/memory/WritePolicy.ts"
import type { JudgedWrite, Met, Rules } from "../../src/memory/WritePolicy.ts"
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
  if_match_sha256: null,
  now: 1_000,
  ...facts
})

const nobody: Met = { own: undefined, canonical: [], sameContent: [] }
const rules: Rules = { conflictPolicy: "auto_reinforce", bulkDedup: "identity" }

const verdict = (met: Met, facts: Partial<JudgedWrite> = {}, given: Rules = rules): string =>
  Either.match(judge(met, write(facts), given), { onLeft: ({ code }) => code, onRight: ({ _tag }) => _tag })

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
})
