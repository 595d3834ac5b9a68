/**
 * The lifecycle verbs over HTTP, as any caller meets them: pin, lock, touch, apply, clear (T12), reject, verify, proposals.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryLock, MemoryPin, MemoryReject, MemoryTouch, MemoryVerify } from "../../src/memory/LifecycleVerbs.ts"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryGetById,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { MemoryProposalDecide, MemoryProposals } from "../../src/memory/ProposalVerbs.ts"
import { MemoryApply, MemoryClear } from "../../src/memory/SweepVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import { layerTeam, Tokens } from "./Tokens.ts"

const memory_key = "project/billing/deploy-window"
const window = "Billing deploys only on Tuesdays and Thursdays"
const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

layer(layerTeam, { excludeTestServices: true, timeout: 60_000 })("Lifecycle", (it) => {
  /** A namespace with one fact in it, and the tokens. */
  const stored = Effect.gen(function*() {
    const { admin, ada, bob, writer } = yield* Tokens
    const namespace = freshNamespace()
    const set = yield* ok(MemorySet, { namespace, memory_key, value: window }, { token: writer })
    return { namespace, set, as: { token: writer }, admin: { token: admin }, ada: { token: ada }, bob: { token: bob } }
  })

  it.effect("a pinned fact is replaced by update and by another pin alone", () =>
    Effect.gen(function*() {
      const { as, namespace, set } = yield* stored
      const pinned = yield* ok(MemoryPin, { namespace, memory_key }, as)
      assert.deepInclude(pinned, { found: true, pinned: true, memory_id: set.memory_id, noop: false })
      assert.deepInclude(yield* ok(MemoryPin, { namespace, memory_key }, as), { found: true, pinned: true, noop: true })
      const body = { namespace, memory_key, value: "Billing deploys only on Mondays" }
      assert.deepInclude(yield* refusal("memory.set", body, as), { status: 409, code: "PINNED_CONFLICT" })
      assert.strictEqual((yield* ok(MemorySet, { namespace, memory_key, value: window }, as)).reinforcement_count, 2)
      assert.isTrue((yield* ok(MemoryUpdate, body, as)).pinned)
      const again = yield* ok(MemoryPin, { ...body, value: "Billing deploys only on Fridays", tags: ["ops"] }, as)
      assert.deepInclude(again, { found: true, pinned: true, memory_id: set.memory_id })
      const got = yield* ok(MemoryGet, { namespace, memory_key }, as)
      assert.deepInclude(got, { value: "Billing deploys only on Fridays", pinned: true })
      assert.deepStrictEqual(got.tags, ["ops"])
      assert.isFalse((yield* ok(MemoryPin, { namespace, memory_key, pinned: false }, as)).pinned)
      assert.isFalse((yield* ok(MemorySet, body, as)).pinned)
      assert.deepInclude(yield* ok(MemoryPin, { namespace, memory_key: "no/such" }, as), {
        found: false,
        pinned: false
      })
    }))

  it.effect("a locked fact answers 423 with mode and reason; an admin alone loosens it", () =>
    Effect.gen(function*() {
      const { admin, as, namespace } = yield* stored
      const target = { namespace, memory_key }
      const locked = yield* ok(MemoryLock, { ...target, reason: "audit", until: "2199-01-01T00:00:00" }, as)
      assert.deepInclude(locked, {
        found: true,
        locked: true,
        lock_mode: "read_only",
        lock_until: "2199-01-01T00:00:00.000Z"
      })
      assert.include(String(locked.advisories), "UTC")
      const guarded: ReadonlyArray<readonly [string, object]> = [
        ["memory.set", { value: "Another" }],
        ["memory.update", { value: "Another" }],
        ["memory.update", { ttl_seconds: 60 }],
        ["memory.pin", { value: "Another" }],
        ["memory.touch", { ttl_seconds: 60 }],
        ["memory.reject", {}],
        ["memory.delete", {}],
        ["memory.lock", { mode: "none" }],
        ["memory.lock", { mode: "no_delete", reason: "less" }]
      ]
      for (const [verb, body] of guarded) {
        const refused = yield* refusal(verb, { ...target, ...body }, as)
        assert.deepInclude(refused, { status: 423, code: "LOCKED" }, `${verb} ${JSON.stringify(body)}`)
        assert.deepInclude(refused.detail, { lock_mode: "read_only", reason: "audit" })
        assert.notInclude(JSON.stringify(refused.detail), "Tuesdays")
      }
      assert.strictEqual((yield* ok(MemorySet, { ...target, value: window }, as)).reinforcement_count, 2)
      const weaker = yield* ok(MemoryLock, { ...target, mode: "no_delete", reason: "kept" }, admin)
      assert.deepInclude(weaker, { locked: true, lock_mode: "no_delete", lock_until: null })
      assert.isTrue((yield* ok(MemoryUpdate, { ...target, value: "Billing deploys on Sundays" }, as)).updated)
      assert.strictEqual((yield* refusal("memory.delete", target, as)).code, "LOCKED")
      const free = yield* ok(MemoryLock, { ...target, mode: "none" }, admin)
      assert.deepInclude(free, { found: true, locked: false, lock_mode: null })
      assert.isTrue((yield* ok(MemoryDelete, target, as)).tombstoned)
    }))

  it.effect("a locked or pinned fact keeps its terms when the same value is stated again with others", () =>
    Effect.gen(function*() {
      const { as, namespace } = yield* stored
      const terms = {
        tags: ["hack"],
        ttl_seconds: 1,
        valid_to: "2021-01-01T00:00:00Z",
        valid_at: "2020-01-01T00:00:00Z",
        confidence: 0,
        memory_type: "reflection",
        sensitivity: "high",
        pinned: false
      }
      const kept = ["tags", "expires_at", "valid_to", "valid_at", "confidence", "memory_type", "sensitivity", "pinned"]
      const same = { namespace, memory_key, value: window }
      const read = ok(MemoryGet, { namespace, memory_key }, as)
      const shown = (got: object) => Object.fromEntries(Object.entries(got).filter(([name]) => kept.includes(name)))
      yield* ok(MemoryLock, { namespace, memory_key, reason: "audit" }, as)
      yield* ok(MemoryPin, { namespace, memory_key }, as)
      const before = yield* read
      const pinnedToo = yield* ok(MemorySet, { ...same, ...terms }, as)
      assert.deepInclude(pinnedToo, { reinforcement_count: 2, pinned: true, status: "active" })
      for (const term of kept) assert.include(String(pinnedToo.advisories), term)
      assert.deepStrictEqual(shown(yield* read), shown(before))
      const label = { namespace, filter: { prefix: memory_key }, action: "add_tags", tags: ["x"], dry_run: false }
      assert.deepInclude(yield* ok(MemoryApply, label, as), { changed: 0, refused: 1, ok: false })
      assert.strictEqual((yield* refusal("memory.pin", { namespace, memory_key, pinned: false }, as)).code, "LOCKED")

      // A pin alone: whoever does not pin may restate, no more; one who pins again may say otherwise.
      const pinned = { namespace, memory_key: "team/payments/owner", value: "Ines owns the payments team" }
      yield* ok(MemoryPin, pinned, as)
      const restated = yield* ok(MemorySet, { ...pinned, ttl_seconds: 1 }, as)
      assert.include(String(restated.advisories), "expires_at")
      assert.isNull((yield* ok(MemoryGet, { namespace, memory_key: pinned.memory_key }, as)).expires_at)
      yield* ok(MemoryPin, { ...pinned, ttl_seconds: 3600 }, as)
      assert.isString((yield* ok(MemoryGet, { namespace, memory_key: pinned.memory_key }, as)).expires_at)
      // With the terms it has already, a restatement has nothing to be told.
      const plain = yield* ok(MemorySet, { ...pinned, tags: [] }, as)
      assert.notInclude(String(plain.advisories), "not applied")
    }))

  it.effect("touch gives an expiry, takes it away, and answers each of several keys", () =>
    Effect.gen(function*() {
      const { as, namespace } = yield* stored
      const touched = yield* ok(MemoryTouch, { namespace, memory_keys: [memory_key, "no/such"], ttl_seconds: 3600 }, as)
      assert.deepInclude(touched, { found: true, changed: 1, not_found: 1, ok: false })
      const got = yield* ok(MemoryGet, { namespace, memory_key }, as)
      assert.deepInclude(got, { expires_at: touched.expires_at, on_expire: "tombstone", value: window })
      yield* ok(MemoryTouch, { namespace, memory_key, clear_expiry: true }, as)
      assert.deepInclude(yield* ok(MemoryGet, { namespace, memory_key }, as), { expires_at: null, on_expire: null })
    }))

  describe("apply", () => {
    it.effect("tries by default, then does the same for every row; a locked row is reported", () =>
      Effect.gen(function*() {
        const { as, namespace } = yield* stored
        yield* ok(MemoryBulkSet, {
          namespace,
          items: numbers(120).map((index) => ({
            memory_key: `sre/case/${index}`,
            value: `Case number ${index}`,
            memory_type: "episodic",
            tags: [index % 2 === 0 ? "Even" : "odd"]
          }))
        }, as)
        yield* ok(MemoryLock, { namespace, memory_key: "sre/case/2", reason: "audit" }, as)
        const body = { namespace, filter: { prefix: "sre/", tags: ["Even"] }, action: "delete", reason: "closed" }
        const tried = yield* ok(MemoryApply, body, as)
        assert.deepInclude(tried, { dry_run: true, matched: 60, changed: 59, refused: 1, ok: false })
        assert.strictEqual((yield* ok(MemoryList, { namespace, count_only: true }, as)).total, 121)
        assert.strictEqual((yield* ok(MemoryApply, { ...body, filter: { tags: ["even"] } }, as)).matched, 0)
        const done = yield* ok(MemoryApply, { ...body, dry_run: false }, as)
        assert.deepInclude(done, { dry_run: false, matched: 60, changed: 59, refused: 1, ok: false })
        assert.deepInclude(done.results[0], { memory_key: "sre/case/2", outcome: "refused", code: "LOCKED" })
        assert.strictEqual((yield* ok(MemoryList, { namespace, count_only: true }, as)).total, 62)
        const { versions } = yield* ok(MemoryHistory, { namespace, memory_key: "sre/case/4" }, as)
        assert.deepInclude(versions[0], { change: "delete", status: "tombstoned" })
        assert.include(versions[0]?.cause?.evidence ?? "", "closed")
        const label = yield* ok(MemoryApply, {
          namespace,
          all: true,
          action: "add_tags",
          tags: ["seen"],
          dry_run: false
        }, as)
        assert.deepInclude(label, { matched: 62, changed: 61, refused: 1, ok: false })
        assert.strictEqual((yield* ok(MemoryList, { namespace, tags_every: ["seen"], count_only: true }, as)).total, 61)
      }))

    it.effect("an empty filter is refused, and so are unlocks of others than admins, row by row", () =>
      Effect.gen(function*() {
        const { admin, as, namespace } = yield* stored
        assert.deepInclude(yield* refusal("memory.apply", { namespace, action: "delete" }, as), {
          status: 422,
          code: "INVALID_ARGUMENT"
        })
        yield* ok(MemoryLock, { namespace, memory_key, reason: "audit" }, as)
        const body = { namespace, all: true, action: "unlock", dry_run: false }
        assert.deepInclude(yield* ok(MemoryApply, body, as), { matched: 1, refused: 1, ok: false })
        assert.deepInclude(yield* ok(MemoryApply, body, admin), { matched: 1, changed: 1, ok: true })
      }))
  })

  describe("T12 clear", () => {
    it.effect("250 rows of one user go in one call; the list is empty, a second call reports 0, restore brings back", () =>
      Effect.gen(function*() {
        const { admin, as, namespace } = yield* stored
        const bulk = yield* ok(MemoryBulkSet, {
          namespace,
          user_id: "u9",
          items: numbers(250).map((index) => ({ memory_key: `u9/fact/${index}`, value: `Fact ${index} about nine` }))
        }, as)
        assert.strictEqual(bulk.stored, 250)
        const body = { namespace, user_id: "u9", reason: "starts anew" }
        assert.deepInclude(yield* refusal("memory.clear", body, as), { status: 403, code: "FORBIDDEN" })
        assert.deepInclude(yield* ok(MemoryClear, { ...body, dry_run: true }, admin), { cleared: 250, dry_run: true })
        assert.strictEqual((yield* ok(MemoryList, { namespace, user_id: "u9", count_only: true }, as)).total, 250)
        assert.deepInclude(yield* ok(MemoryClear, body, admin), { cleared: 250, matched: 250, refused: 0, ok: true })
        const every = { include_duplicates: true, include_superseded: true, include_proposed: true }
        assert.strictEqual((yield* ok(MemoryList, { namespace, user_id: "u9", ...every }, as)).total, 0)
        const found = yield* ok(MemorySearch, { namespace, user_id: "u9", query: "Fact 7 about nine" }, as)
        assert.deepStrictEqual(found.results, [])
        assert.deepInclude(yield* ok(MemoryClear, body, admin), { cleared: 0, matched: 0, ok: true })
        assert.strictEqual((yield* ok(MemoryList, { namespace, count_only: true }, as)).total, 1)
        assert.isTrue((yield* ok(MemoryRestore, { namespace, memory_key: "u9/fact/7" }, as)).restored)
        assert.isTrue((yield* ok(MemoryGet, { namespace, memory_key: "u9/fact/7" }, as)).found)
      }))

    it.effect("locked rows stay and are named with the reason", () =>
      Effect.gen(function*() {
        const { admin, as, namespace } = yield* stored
        yield* ok(MemorySet, { namespace, agent: "bot", memory_key: "bot/a", value: "The bot sleeps at night" }, as)
        yield* ok(MemorySet, { namespace, agent: "bot", memory_key: "bot/b", value: "Rain is wet" }, as)
        yield* ok(MemoryLock, { namespace, memory_key: "bot/b", mode: "no_delete", reason: "legal hold" }, as)
        const done = yield* ok(MemoryClear, { namespace, agent: "bot" }, admin)
        assert.deepInclude(done, { cleared: 1, refused: 1, ok: false })
        assert.deepInclude(done.results[0], { memory_key: "bot/b", code: "LOCKED" })
        assert.deepInclude(done.results[0]?.facts, { reason: "legal hold" })
      }))
  })

  it.effect("a rejected fact is served nowhere, its duplicate neither; an import is suppressed, a set brings it back", () =>
    Effect.gen(function*() {
      const { as, namespace, set } = yield* stored
      yield* ok(MemorySet, { namespace, memory_key: "copy", value: `${window}.`, run_id: "other" }, as)
      const done = yield* ok(MemoryReject, { namespace, memory_key, reason: "never true" }, as)
      assert.deepInclude(done, { found: true, rejected: true, status: "rejected", memory_id: set.memory_id })
      assert.deepInclude(yield* ok(MemoryReject, { namespace, memory_key }, as), { found: true, noop: true })
      assert.deepInclude(yield* ok(MemoryGet, { namespace, memory_key }, as), { found: false, status: "rejected" })
      assert.deepInclude(yield* ok(MemoryGetById, { namespace, memory_id: set.memory_id }, as), { found: false })
      assert.strictEqual((yield* ok(MemoryList, { namespace, include_duplicates: true }, as)).total, 0)
      assert.deepStrictEqual((yield* ok(MemorySearch, { namespace, query: window }, as)).results, [])
      const imported = { namespace, memory_key: "from/elsewhere", value: window, source_class: "imported" }
      assert.deepInclude(yield* refusal("memory.set", imported, as), { status: 422, code: "SUPPRESSED" })
      const back = yield* ok(MemorySet, { namespace, memory_key, value: window }, as)
      assert.deepInclude(back, { status: "active", memory_id: set.memory_id })
      assert.include(String(back.advisories), "rejected")
    }))

  it.effect("an attestation shows in get and search, and is stale after an edit", () =>
    Effect.gen(function*() {
      const { as, namespace, set } = yield* stored
      const hit = Effect.map(ok(MemorySearch, { namespace, query: "when does billing deploy" }, as), ({ results }) =>
        results.find((result) => result.memory_key === memory_key)?.verified)
      assert.strictEqual(yield* hit, false)
      const body = { namespace, memory_key, content_sha256: set.content_sha256 }
      const done = yield* ok(MemoryVerify, body, as)
      assert.deepInclude(done, { verified: true, verification: "human", verified_by: "human:writer" })
      assert.deepInclude(yield* ok(MemoryGet, { namespace, memory_key }, as), {
        verification: "human",
        verified_by: "human:writer"
      })
      assert.strictEqual(yield* hit, true)
      yield* ok(MemoryUpdate, { namespace, memory_key, value: "Billing deploys only on Mondays" }, as)
      assert.deepInclude(yield* ok(MemoryGet, { namespace, memory_key }, as), {
        verification: "stale",
        verified_by: "human:writer"
      })
      assert.strictEqual(yield* hit, false)
      assert.deepInclude(yield* refusal("memory.verify", body, as), { status: 409, code: "PRECONDITION_FAILED" })
    }))

  it.effect("proposals wait with what they contradict; a decision takes them in or marks them wrong", () =>
    Effect.gen(function*() {
      const { as, namespace } = yield* stored
      // Many words alike, so that the test embedder finds the two dates close.
      const launch = "The Orion satellite of the northern weather mission starts from the eastern desert platform on"
      const memory_key = "orion/launch"
      const set = yield* ok(MemorySet, { namespace, memory_key, value: `${launch} 15 October` }, as)
      const value = `${launch} 16 October`
      yield* ok(MemorySet, { namespace, memory_key: "p/other", value, proposed: true }, as)
      yield* ok(MemorySet, { namespace, memory_key: "p/wrong", value: "Rain is dry", proposed: true }, as)
      assert.strictEqual((yield* ok(MemoryList, { namespace }, as)).total, 2)
      const { proposals } = yield* ok(MemoryProposals, { namespace }, as)
      assert.deepStrictEqual(proposals.map((proposal) => proposal.memory_key), ["p/wrong", "p/other"])
      assert.deepStrictEqual(proposals[1]?.contradicts, [
        { memory_key, memory_id: set.memory_id, status: "active" }
      ])
      assert.deepStrictEqual(
        (yield* ok(MemoryProposals, { namespace, only: "open" }, as)).proposals.map((proposal) => proposal.memory_key),
        ["p/wrong"]
      )
      const rejected = yield* ok(
        MemoryProposalDecide,
        { namespace, memory_key: "p/wrong", decision: "reject", reason: "no" },
        as
      )
      assert.deepInclude(rejected, { decided: true, status: "rejected" })
      const accepted = yield* ok(MemoryProposalDecide, { namespace, memory_key: "p/other", decision: "accept" }, as)
      assert.deepInclude(accepted, { decided: true, status: "conflicted", conflict_verdict: "conflict" })
      assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key }, as)).status, "conflicted")
      assert.deepStrictEqual((yield* ok(MemoryProposals, { namespace }, as)).proposals, [])
    }))

  it.effect("another user's row is like none, for every verb", () =>
    Effect.gen(function*() {
      const { ada, bob, namespace } = yield* stored
      const set = yield* ok(MemorySet, { namespace, memory_key: "u/diary", value: "SENTINEL dear diary" }, ada)
      const before = yield* ok(MemoryGet, { namespace, memory_key: "u/diary" }, ada)
      const calls: ReadonlyArray<readonly [string, object]> = [
        ["memory.pin", {}],
        ["memory.lock", { reason: "mine" }],
        ["memory.touch", { clear_expiry: true }],
        ["memory.reject", {}],
        ["memory.verify", {}],
        ["memory.proposal_decide", { decision: "accept" }],
        ["memory.pin", { user_id: "ada" }]
      ]
      for (const [verb, body] of calls) {
        for (
          const [here, there] of [
            [{ memory_id: set.memory_id }, { memory_id: "mem_none" }],
            [{ memory_key: "u/diary" }, { memory_key: "u/none" }]
          ]
        ) {
          const met = yield* post(verb, { namespace, ...here, ...body }, bob)
          const missed = yield* post(verb, { namespace, ...there, ...body }, bob)
          const told = met.text.replaceAll(set.memory_id, "mem_none").replaceAll("u/diary", "u/none")
          assert.deepStrictEqual([met.status, told], [missed.status, missed.text], verb)
        }
      }
      const swept = yield* ok(MemoryApply, { namespace, all: true, action: "delete", dry_run: false }, bob)
      assert.strictEqual(swept.matched, 0)
      assert.deepStrictEqual(yield* ok(MemoryGet, { namespace, memory_key: "u/diary" }, ada), before)
    }))
})
