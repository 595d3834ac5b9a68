import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import type { Scope } from "../../src/kernel/Identity.ts"
import { mintDigestId } from "../../src/kernel/Ids.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { DIGEST_HITS } from "../../src/retrieval/DigestLeg.ts"
import type { Digest } from "../../src/retrieval/DigestModel.ts"
import { copiesOf, DigestStore } from "../../src/retrieval/DigestStore.ts"
import type { DigestEnd } from "../../src/retrieval/DigestStore.ts"
import { Search } from "../../src/retrieval/Search.ts"
import { freshScope, noon, versionAt } from "../memory/MemoryFixture.ts"
import { anyRow, change, find, keysFound, layerSearch, remember } from "./SearchFixture.ts"

let count = 0

/** Writes a digest of rows, of their user; it is in force at once. */
const sumUp = (scope: Scope, text: string, rows: ReadonlyArray<MemoryRow>, changed: Partial<Digest> = {}) =>
  Effect.gen(function*() {
    const store = yield* DigestStore
    const digest: Digest = {
      ...scope,
      agent: "",
      user_id: rows[0]?.user_id ?? "-",
      session_id: "",
      digest_id: yield* mintDigestId,
      text,
      members: rows.map(({ content_sha256, memory_key }) => ({ memory_key, content_sha256 })),
      created_at: noon,
      version: versionAt(noon) + BigInt(++count),
      ...changed
    }
    const [copies] = yield* Effect.orDie(copiesOf([text]))
    if (copies !== undefined) yield* store.put([{ digest, copies }])
    // Past what is remembered of a namespace without digests.
    yield* TestClock.adjust("2 seconds")
    return digest
  })

const endOf = ({ agent, digest_id, namespace, org, session_id, user_id, version }: Digest): DigestEnd => ({
  org,
  namespace,
  agent,
  user_id,
  session_id,
  digest_id,
  at: noon,
  version: version + 1n
})

const byDigests = { legs: ["digests"] } as const

layer(layerSearch(), { timeout: "2 minutes" })("DigestLeg", (it) => {
  it.effect("leads to the memories a digest was made from, tells which, and counts a bounded part", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const [apples, harbour] = yield* remember(scope, [
        { memory_key: "shop/apples", value: "Apples are sold out" },
        { memory_key: "boats/harbour", value: "The harbour opens at six" }
      ])
      if (apples === undefined || harbour === undefined) return assert.fail()
      assert.deepStrictEqual(yield* keysFound(scope, "quarterly logistics", {}, byDigests), [])
      const digest = yield* sumUp(scope, "Quarterly logistics of the fruit shop", [apples])
      const { hits } = yield* find(scope, "quarterly logistics", {}, byDigests)
      assert.deepStrictEqual(hits.map(({ candidate }) => candidate.head.memory_key), ["shop/apples"])
      const share = hits[0]?.candidate.digest ?? 0
      assert.isAbove(share, 0.4)
      assert.isAtMost(share, 1)
      const { digests } = hits[0]?.components ?? assert.fail()
      assert.closeTo(digests, 0.1 * share, 1e-6)
      // Nothing else but what the row is by itself speaks for it.
      assert.deepInclude(hits[0]?.components, { words: 0, entities: 0, exact: 0 })

      const trace = yield* Effect.flatMap(
        Search,
        (search) =>
          search.trace({ scope, filter: anyRow, text: "quarterly logistics", limit: 5, legs: [], excerptLength: 100 })
      )
      const leg = trace.legs.find(({ name }) => name === "digests")
      assert.deepStrictEqual(leg?.hits.map(({ digest, head }) => [digest, head.memory_id]), [
        [digest.digest_id, apples.memory_id]
      ])
      // With all legs the other memory is compared too, and nothing of a digest is counted for it.
      assert.deepStrictEqual(
        trace.hits.map(({ candidate, components }) => [candidate.head.memory_key, components.digests > 0]).sort(),
        [["boats/harbour", false], ["shop/apples", true]]
      )
    }))

  it.effect("is silent as soon as one memory it was made from was deleted, corrected or closed", () =>
    Effect.gen(function*() {
      for (
        const changed of [
          { status: "tombstoned" },
          { status: "superseded" },
          { status: "rejected" },
          { sensitivity: "high" },
          { value: "Apples cost two coins" }
        ] as const
      ) {
        const scope = freshScope()
        const [first, second] = yield* remember(scope, [
          { memory_key: "shop/apples", value: "Apples are sold out" },
          { memory_key: "shop/pears", value: "Pears come tomorrow" }
        ])
        if (first === undefined || second === undefined) return assert.fail()
        yield* sumUp(scope, "Quarterly logistics of the fruit shop", [first, second])
        const asked = keysFound(scope, "quarterly logistics", {}, byDigests)
        assert.deepStrictEqual([...(yield* asked)].sort(), ["shop/apples", "shop/pears"])
        yield* change(first, changed)
        assert.deepStrictEqual(yield* asked, [], JSON.stringify(changed))
      }
    }))

  it.effect("a member outside the filter is no hit, and the digest still speaks of the others", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const rows = yield* remember(scope, [
        { memory_key: "shop/apples", value: "Apples are sold out", tags: ["fruit"], session_id: "s1" },
        { memory_key: "shop/pears", value: "Pears come tomorrow" },
        { memory_key: "shop/plums", value: "Plums are here", status: "duplicate" }
      ])
      yield* sumUp(scope, "Quarterly logistics of the shop", rows, { session_id: "s1" })
      const found = (filter: object) =>
        Effect.map(keysFound(scope, "quarterly logistics", filter, byDigests), (keys) => [...keys].sort())
      assert.deepStrictEqual(yield* found({}), ["shop/apples", "shop/pears"])
      assert.deepStrictEqual(yield* found({ tags: ["fruit"] }), ["shop/apples"])
      assert.deepStrictEqual(yield* found({ tags_none: ["fruit"] }), ["shop/pears"])
      assert.deepStrictEqual(yield* found({ session_ids: ["s1"] }), ["shop/apples"])
      assert.deepStrictEqual(yield* found({ session_ids: ["s2"] }), [])
      assert.deepStrictEqual(yield* found({ asOf: { axis: "knowledge", at: noon } }), [])
    }))

  it.effect("leads to no memory of another user, namespace or session, by whatever key", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const elsewhere = freshScope()
      const same = { memory_key: "shop/apples", value: "Apples are sold out" }
      const [ada] = yield* remember(scope, [{ ...same, user_id: "ada", session_id: "s1" }])
      yield* remember(scope, [{ ...same, user_id: "bob" }])
      yield* remember(elsewhere, [{ ...same, user_id: "ada" }])
      if (ada === undefined) return assert.fail()
      yield* sumUp(scope, "Quarterly logistics of the shop", [ada])
      const users = (scope: Scope, filter: object) =>
        Effect.map(find(scope, "quarterly logistics", filter, byDigests), ({ hits }) =>
          hits.map(({ candidate }) => candidate.head.user_id))
      assert.deepStrictEqual(yield* users(scope, {}), ["ada"])
      assert.deepStrictEqual(yield* users(scope, { user_id: "ada" }), ["ada"])
      assert.deepStrictEqual(yield* users(scope, { user_id: "bob" }), [])
      assert.deepStrictEqual(yield* users(elsewhere, {}), [])
      // Closer digests of others do not crowd one out.
      const [bobs] = yield* remember(scope, [{ ...same, user_id: "bob" }])
      for (let more = 0; more < 6; more++) {
        yield* sumUp(scope, "Quarterly logistics", bobs === undefined ? [] : [bobs])
      }
      assert.deepStrictEqual(yield* users(scope, { user_id: "ada" }), ["ada"])
      // A digest of another session has no such member.
      yield* sumUp(scope, "Annual catering of the canteen", [ada], { session_id: "s2" })
      assert.deepStrictEqual(yield* keysFound(scope, "annual catering canteen", { session_ids: ["s2"] }, byDigests), [])
    }))

  it.effect("a digest made anew takes the place of the earlier one, and an ended one leads nowhere", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const [first, second] = yield* remember(scope, [
        { memory_key: "shop/apples", value: "Apples are sold out" },
        { memory_key: "shop/pears", value: "Pears come tomorrow" }
      ])
      if (first === undefined || second === undefined) return assert.fail()
      const digest = yield* sumUp(scope, "Quarterly logistics", [first])
      const again = yield* sumUp(scope, "Quarterly logistics", [second], { digest_id: digest.digest_id })
      const asked = keysFound(scope, "quarterly logistics", {}, byDigests)
      assert.deepStrictEqual(yield* asked, ["shop/pears"])
      yield* Effect.flatMap(DigestStore, (store) => store.end([endOf(again)]))
      assert.deepStrictEqual(yield* asked, [])
    }))

  it.effect("brings a stated number of memories at most, those of the closest digest first", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const rows = yield* remember(
        scope,
        Array.from({ length: 14 }, (_, at) => ({ memory_key: `n/${at}`, value: `Note ${at} of the day` }))
      )
      yield* sumUp(scope, "Weather of the island", rows.slice(1))
      yield* sumUp(scope, "Quarterly logistics", rows.slice(0, 1))
      const keys = yield* keysFound(scope, "quarterly logistics weather", {}, { ...byDigests, limit: 50 })
      assert.strictEqual(keys.length, DIGEST_HITS)
      assert.strictEqual(keys[0], "n/0")
    }))
})
