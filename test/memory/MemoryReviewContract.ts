/**
 * What every adapter promises of looking over a namespace and of scrubbing its past.
 */
import { assert, describe, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { intentOf } from "../../src/memory/CommitIntent.ts"
import { causeText } from "../../src/memory/MemoryCause.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import { MemoryReview } from "../../src/memory/MemoryReview.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import type { Authority } from "./MemoryCommitContract.ts"
import {
  commitOf,
  derivedOf,
  embedderId,
  freshScope,
  keysOf,
  noon,
  revised,
  rowOf,
  versionAt
} from "./MemoryFixture.ts"

const passage = { index: 0, start: 0, end: 7, text: "Deploys", stems: ["deploy"], lemmas: ["deploy"] }

export const suite = <E>(
  name: string,
  layer: Layer.Layer<MemoryStore | MemoryReader | MemoryReview, E>,
  authority: Authority = "rows"
): void => {
  testLayer(layer)(`MemoryReview, ${name}`, (it) => {
    describe("heads", () => {
      it.effect("come in the order of their places, page by page, within the bound", () =>
        Effect.gen(function*() {
          const [store, review] = [yield* MemoryStore, yield* MemoryReview]
          const scope = freshScope()
          const rows = [
            rowOf(scope, { memory_key: "b" }),
            rowOf(scope, { memory_key: "a", status: "tombstoned" }),
            rowOf(scope, { memory_key: "a", user_id: "ada" }),
            rowOf(scope, { memory_key: "a", agent: "bot" }),
            rowOf(scope, { memory_key: "é" }),
            rowOf(scope, { memory_key: "z" })
          ].map((row, at) => ({ ...row, version: versionAt(noon + at) }))
          yield* store.commit(commitOf([...rows, rowOf(freshScope())]))
          const first = yield* review.heads(scope, null, { after: null, limit: 4 })
          const second = yield* review.heads(scope, null, { after: first[3] ?? null, limit: 4 })
          assert.deepStrictEqual(
            [...first, ...second].map(({ agent, memory_key, user_id }) => `${agent}|${user_id}|${memory_key}`),
            ["|-|a", "|-|b", "|-|z", "|-|é", "|ada|a", "bot|-|a"]
          )
          const own = yield* review.heads(scope, "ada", { after: null, limit: 9 })
          assert.deepStrictEqual(own, rows.slice(2, 3))
        }))

      it.effect("are found by ids and keys together, within the bound", () =>
        Effect.gen(function*() {
          const [store, review] = [yield* MemoryStore, yield* MemoryReview]
          const scope = freshScope()
          const a = rowOf(scope, { memory_key: "a" })
          const b = rowOf(scope, { memory_key: "b", user_id: "ada", version: versionAt(noon + 1) })
          yield* store.commit(commitOf([a, b]))
          assert.deepStrictEqual(keysOf(yield* review.named(scope, null, { ids: [a.memory_id], keys: ["b"] })), [
            "a",
            "b"
          ])
          assert.deepStrictEqual(keysOf(yield* review.named(scope, null, { ids: [a.memory_id], keys: ["a"] })), ["a"])
          assert.deepStrictEqual(yield* review.named(scope, "ada", { ids: [a.memory_id], keys: [] }), [])
          assert.deepStrictEqual(yield* review.named(scope, null, { ids: [], keys: [] }), [])
        }))
    })

    describe("what waits for somebody", () => {
      it.effect("is counted and shown oldest first, within the bound", () =>
        Effect.gen(function*() {
          const [store, review] = [yield* MemoryStore, yield* MemoryReview]
          const scope = freshScope()
          const vouched = { verified_kind: "human", verified_by: "human:ada", verified_at: noon } as const
          const made = (memory_key: string, at: number, changed: Partial<ReturnType<typeof rowOf>> = {}) =>
            rowOf(scope, {
              memory_key,
              memory_id: `mem_${memory_key}`,
              created_at: noon - at,
              updated_at: noon - at,
              ...changed
            })
          const rows = [
            made("p-new", 10, { status: "proposed" }),
            made("p-old", 30, { status: "proposed", user_id: "ada", updated_at: noon }),
            made("p-over", 90, { status: "proposed", expires_at: noon }),
            made("p-same", 10, { status: "proposed" }),
            made("s-old", 20, { ...vouched, verified_sha256: "of what it said" }),
            made("s-new", 5, { ...vouched, verified_sha256: "of what it said", status: "conflicted", user_id: "ada" }),
            made("s-gone", 50, { ...vouched, verified_sha256: "of what it said", status: "tombstoned" }),
            made("s-ended", 50, { ...vouched, verified_sha256: "of what it said", valid_to: noon })
          ]
          const fresh = made("s-true", 40, vouched)
          yield* store.commit(commitOf([
            ...rows.map((row, at) => ({ ...row, version: versionAt(noon + at) })),
            { ...fresh, verified_sha256: fresh.content_sha256, version: versionAt(noon + 99) },
            rowOf(freshScope(), { status: "proposed" })
          ]))
          const waits = (kind: "proposed" | "stale", bound: string | null, limit = 9) =>
            Effect.map(
              review.standingBy(scope, bound, noon + 1, { kind, limit }),
              ({ count, oldest, rows }) => [count, oldest, rows.map(({ memory_key }) => memory_key)]
            )
          assert.deepStrictEqual(yield* waits("proposed", null), [3, noon - 30, ["p-old", "p-new", "p-same"]])
          assert.deepStrictEqual(yield* waits("proposed", null, 1), [3, noon - 30, ["p-old"]])
          assert.deepStrictEqual(yield* waits("proposed", null, 0), [3, noon - 30, []])
          assert.deepStrictEqual(yield* waits("proposed", "ada"), [1, noon - 30, ["p-old"]])
          assert.deepStrictEqual(yield* waits("proposed", "bob"), [0, null, []])
          assert.deepStrictEqual(yield* waits("stale", null), [2, noon - 20, ["s-old", "s-new"]])
          assert.deepStrictEqual(yield* waits("stale", "ada"), [1, noon - 5, ["s-new"]])
        }))
    })

    describe("conflict links", () => {
      it.effect("say since when they stand without a break, and by which cause", () =>
        Effect.gen(function*() {
          const [store, review] = [yield* MemoryStore, yield* MemoryReview]
          const scope = freshScope()
          const a = rowOf(scope, { memory_key: "a" })
          const id = "mem_b"
          const cause = causeText({ write_id: "wr_9", rule: "conflict.number", memory_id: id, evidence: "3 is not 4" })
          const linked = { status: "conflicted", conflict_with: [id] } as const
          const early = revised(a, 1, { ...linked, change: "flag", cause: "old" })
          const free = revised(a, 2, { status: "active", conflict_with: [], change: "unflag", cause: "" })
          const again = revised(a, 3, { ...linked, change: "flag", cause, write_id: "wr_9" })
          const tagged = revised(a, 4, { ...linked, change: "label", cause: "" })
          const b = rowOf(scope, {
            memory_key: "b",
            memory_id: id,
            status: "conflicted",
            conflict_with: [a.memory_id],
            version: versionAt(noon + 9),
            write_id: "wr_9"
          })
          const gone = rowOf(scope, {
            ...b,
            memory_key: "c",
            memory_id: "mem_c",
            expires_at: noon,
            version: b.version + 1n
          })
          const retired = rowOf(scope, {
            ...b,
            memory_key: "d",
            memory_id: "mem_d",
            status: "superseded",
            version: b.version + 2n
          })
          yield* store.commit(commitOf([a, early]))
          yield* store.commit(commitOf([free, again]))
          const over = rowOf(scope, {
            ...gone,
            memory_key: "e",
            memory_id: "mem_e",
            conflict_with: ["mem_c"],
            version: b.version + 3n
          })
          yield* store.commit(commitOf([tagged, b, gone, retired, over]))
          const links = yield* review.conflictLinks(scope, null, noon + 60_000)
          assert.sameDeepMembers([...links], [
            {
              agent: "",
              user_id: "-",
              session_id: "",
              memory_key: "a",
              memory_id: a.memory_id,
              memory_type: "semantic",
              other: id,
              since: again.version,
              at: again.updated_at,
              write_id: "wr_9",
              cause
            },
            {
              agent: "",
              user_id: "-",
              session_id: "",
              memory_key: "b",
              memory_id: id,
              memory_type: "semantic",
              other: a.memory_id,
              since: b.version,
              at: b.updated_at,
              write_id: "wr_9",
              cause: ""
            },
            // It ran out, and what it contradicts did not.
            {
              agent: "",
              user_id: "-",
              session_id: "",
              memory_key: "c",
              memory_id: "mem_c",
              memory_type: "semantic",
              other: a.memory_id,
              since: gone.version,
              at: gone.updated_at,
              write_id: "wr_9",
              cause: ""
            }
          ])
          assert.deepStrictEqual(yield* review.conflictLinks(scope, "ada", noon), [])
        }))
    })

    describe("of one row", () => {
      it.effect("tells what is derived, which vectors are lacking, its audit link, its versions and what it caused", () =>
        Effect.gen(function*() {
          const [store, review] = [yield* MemoryStore, yield* MemoryReview]
          const scope = freshScope()
          const first = rowOf(scope, { audit_prev: "p", audit_hash: "h" })
          const second = revised(first, 1, { value: "Deploys happen on Fridays" })
          const cause = causeText({ write_id: "w", rule: "newest_wins.key", memory_id: first.memory_id, evidence: "e" })
          const other = rowOf(scope, {
            memory_key: "other",
            user_id: "ada",
            status: "superseded",
            change: "retire",
            cause,
            version: versionAt(noon + 2)
          })
          const identity = derivedOf(first).identity
          yield* store.commit(commitOf([first, second, other], {
            derived: [derivedOf(first, { chunks: [passage, { ...passage, index: 1 }] })],
            entities: [{ identity, entity: "grace", version: 1n }, { identity, entity: "ada", version: 1n }]
          }))
          assert.deepStrictEqual(yield* review.derived(scope, first), {
            vectors: [{ content_sha256: first.content_sha256, embedder_id: embedderId }],
            chunks: [{ content_sha256: first.content_sha256, count: 2 }],
            entities: ["ada", "grace"]
          })
          assert.deepStrictEqual(yield* review.vectorless(scope, embedderId, [first, second]), [second])
          assert.deepStrictEqual(yield* review.vectorless(scope, "another", [first]), [first])
          assert.deepStrictEqual(yield* review.vectorless(scope, embedderId, []), [])
          assert.deepStrictEqual(
            yield* review.auditLink(scope, first.version),
            Option.some({ prev_hash: "p", hash: "h" })
          )
          assert.deepStrictEqual(yield* review.auditLink(scope, 1n), Option.none())
          const versions = yield* review.versions(scope, first, 9)
          assert.deepStrictEqual(versions.map(({ change, version }) => [change, version]), [
            ["revise", second.version],
            ["create", first.version]
          ])
          const caused = yield* review.causedBy(scope, null, first.memory_id, 9)
          assert.deepStrictEqual(caused.map(({ change, memory_id }) => [change, memory_id]), [[
            "retire",
            other.memory_id
          ]])
          assert.deepStrictEqual(yield* review.causedBy(scope, "-", first.memory_id, 9), [])
        }))
    })

    describe("points of the history", () => {
      it.effect("are ends of whole writes, and rows are found as they stood there", () =>
        Effect.gen(function*() {
          const [store, review] = [yield* MemoryStore, yield* MemoryReview]
          const scope = freshScope()
          const a = rowOf(scope, { memory_key: "a", write_id: "w1" })
          const b = rowOf(scope, { memory_key: "b", write_id: "w2", version: a.version + 10n, updated_at: noon + 5 })
          const flagged = revised(a, 0, {
            write_id: "w2",
            version: a.version + 11n,
            updated_at: noon + 5,
            status: "conflicted"
          })
          const c = rowOf(scope, { memory_key: "c", write_id: "w3", version: a.version + 12n, updated_at: noon + 9 })
          yield* store.commit(commitOf([a]))
          yield* store.commit(commitOf([b, flagged]))
          yield* store.commit(commitOf([c]))
          const at = (point: { readonly version: bigint } | { readonly at: number }) => review.point(scope, point)
          assert.strictEqual(yield* at({ version: b.version }), flagged.version)
          assert.strictEqual(yield* at({ version: a.version }), a.version)
          assert.strictEqual(yield* at({ version: c.version + 500n }), c.version)
          assert.strictEqual(yield* at({ version: 1n }), 0n)
          assert.strictEqual(yield* at({ at: noon + 5 }), flagged.version)
          assert.strictEqual(yield* at({ at: noon + 8 }), flagged.version)
          assert.strictEqual(yield* at({ at: noon - 1 }), 0n)
          const rows = yield* review.standing(scope, [a, b, c], flagged.version)
          assert.sameDeepMembers([...rows], [flagged, b])
          assert.deepStrictEqual(yield* review.standing(scope, [a, b, c], a.version), [a])
          assert.deepStrictEqual(yield* review.standing(scope, [], a.version), [])
          // Where a transaction decides, nothing is ever voided.
          if (authority === "transaction") return
          // What was voided is no point of it, and nothing stood there.
          const late = { ...c, version: c.version + 20n, write_id: "w4" }
          const { version: end } = c
          yield* store.disown(intentOf({ scope, epoch: 1n }, 1n, commitOf([late])), end + 100n)
          yield* store.commit(commitOf([late]))
          assert.strictEqual(yield* at({ version: end + 500n }), end)
          assert.strictEqual(yield* at({ at: noon + 99 }), end)
          assert.deepStrictEqual(yield* review.standing(scope, [c], end + 500n), [c])
          assert.deepStrictEqual((yield* review.versions(scope, c, 9)).map(({ version }) => version), [end])
        }))
    })

    describe("scrub", () => {
      it.effect("takes one content out of every version and of what was derived, keeps hashes, and repair brings nothing back", () =>
        Effect.gen(function*() {
          const [store, reader, review] = [yield* MemoryStore, yield* MemoryReader, yield* MemoryReview]
          const scope = freshScope()
          const answer = JSON.stringify({ conflict_verdict: "conflict", peers: [{ reason: "SENTINEL is not X" }] })
          const first = rowOf(scope, {
            value: "the code is SENTINEL",
            relations: "[[\"code\",\"is\",\"SENTINEL\"]]",
            entities: ["sentinel"],
            idem_hash: "i",
            answer
          })
          const pinned = revised(first, 1, { pinned: true, change: "pin", value: first.value, answer: "" })
          const head = revised(first, 2, { value: "the code is elsewhere", relations: "[]", entities: [], answer: "" })
          const other = rowOf(scope, { memory_key: "other", value: first.value, version: versionAt(noon + 3) })
          yield* store.commit(commitOf([first, pinned], { derived: [derivedOf(first, { chunks: [passage] })] }))
          yield* store.commit(commitOf([head, other], { derived: [derivedOf(head), derivedOf(other)] }))
          assert.deepStrictEqual(yield* review.scrub(scope, first, first.content_sha256), {
            versions: 2,
            vectors: 1,
            chunks: 1,
            remaining: 0
          })
          yield* store.repair(scope, embedderId)
          const history = yield* reader.history(scope, [first], { before: null, limit: 9 })
          assert.deepStrictEqual(history[0], head)
          assert.deepStrictEqual(
            history.slice(1).map((row) => [row.value, row.value_kind, row.relations, row.entities]),
            [["", "redacted", "[]", []], ["", "redacted", "[]", []]]
          )
          assert.deepStrictEqual(
            history.map(({ audit_hash, content_sha256, version }) => [version, content_sha256, audit_hash]),
            [head, pinned, first].map((
              { audit_hash, content_sha256, version }
            ) => [version, content_sha256, audit_hash])
          )
          assert.notInclude(history.map(({ answer, cause }) => answer + cause).join(), "SENTINEL")
          assert.include(history[2]?.answer ?? "", "\"conflict_verdict\":\"conflict\"")
          assert.deepStrictEqual((yield* review.derived(scope, first)).vectors.map((one) => one.content_sha256), [
            head.content_sha256
          ])
          // Another memory that says the same is not meant.
          assert.deepStrictEqual(yield* reader.history(scope, [other], { before: null, limit: 9 }), [other])
          assert.deepStrictEqual(yield* review.scrub(scope, first, first.content_sha256), {
            versions: 0,
            vectors: 0,
            chunks: 0,
            remaining: 0
          })
        }))

      it.effect("takes the quotes of the value out of other rows, heads and kept answers, and no other quotes", () =>
        Effect.gen(function*() {
          const [store, reader, review] = [yield* MemoryStore, yield* MemoryReader, yield* MemoryReview]
          const scope = freshScope()
          const first = rowOf(scope, {
            memory_key: "sec/\"a",
            memory_id: "mem_first",
            value: "SENTINEL",
            write_id: "w1"
          })
          const reason = "SENTINEL is not HERON"
          const peers = [{ memory_key: first.memory_key, memory_id: first.memory_id, reason }]
          const next = `\`${first.memory_key}\` says otherwise (${reason}). Decide`
          const answer = JSON.stringify({ conflict_verdict: "conflict", peers, next })
          const other = rowOf(scope, {
            memory_key: "other",
            memory_id: "mem_other",
            value: "HERON",
            version: first.version + 10n,
            write_id: "w2",
            idem_hash: "i",
            payload_hash: "p",
            answer
          })
          const cause = causeText({ write_id: "w3", rule: "conflict.x", memory_id: first.memory_id, evidence: reason })
          const flagged = revised(other, 0, {
            version: first.version + 20n,
            write_id: "w3",
            cause,
            answer: "",
            idem_hash: ""
          })
          const head = revised(first, 0, { value: "elsewhere", version: first.version + 30n, write_id: "w4" })
          const later = rowOf(scope, {
            memory_key: "later",
            memory_id: "mem_later",
            version: first.version + 40n,
            write_id: "w5",
            idem_hash: "j",
            answer: JSON.stringify({ peers: [{ memory_id: first.memory_id, reason: "elsewhere is not here" }] })
          })
          const refused = JSON.stringify({
            results: [
              { code: "PINNED_CONFLICT", message: `A pinned memory (\`${first.memory_key}\`): ${reason}` },
              { code: "LOCKED", message: "The memory is locked" }
            ]
          })
          const kept = { scope, idem_hash: "k", payload_hash: "p", write_id: "w9", answer: refused, at: noon }
          yield* store.commit(commitOf([first], { answers: [{ ...kept, version: first.version + 5n }] }))
          yield* store.commit(commitOf([other]))
          yield* store.commit(commitOf([flagged]))
          yield* store.commit(commitOf([head]))
          yield* store.commit(commitOf([later]))
          assert.strictEqual((yield* review.scrub(scope, first, first.content_sha256)).remaining, 0)
          yield* store.repair(scope, embedderId)
          const history = yield* reader.history(scope, [other], { before: null, limit: 9 })
          const heads = yield* reader.byKey(scope, "other", anyWriter)
          const told = [...history, ...heads].map((row) => row.answer + row.cause).join()
          assert.notInclude(told, "SENTINEL")
          assert.deepStrictEqual(history.map(({ value, version }) => [value, version]), [
            ["HERON", flagged.version],
            ["HERON", other.version]
          ])
          assert.deepStrictEqual(heads, history.slice(0, 1))
          assert.deepInclude(JSON.parse(heads[0]?.cause ?? ""), { memory_id: first.memory_id, evidence: "redacted" })
          const answers = yield* Effect.forEach(["i", "j", "k"], (hash) => store.keptAnswer(scope, hash))
          const [ofOther, ofLater, ofRefused] = answers.map(
            Option.match({ onNone: () => "", onSome: (one) => one.answer })
          )
          assert.deepStrictEqual(JSON.parse(ofOther ?? ""), {
            conflict_verdict: "conflict",
            peers: [{ ...peers[0], reason: "redacted" }],
            next: "redacted"
          })
          // The memory holds another value by then, which nobody redacted.
          assert.strictEqual(ofLater, later.answer)
          assert.deepStrictEqual(JSON.parse(ofRefused ?? ""), {
            results: [
              { code: "PINNED_CONFLICT", message: "redacted" },
              { code: "LOCKED", message: "The memory is locked" }
            ]
          })
          assert.deepStrictEqual(yield* reader.byKey(scope, first.memory_key, anyWriter), [head])
          assert.strictEqual((yield* review.heads(scope, null, { after: null, limit: 9 })).length, 3)
        }))

      it.effect("says when the head still holds the value", () =>
        Effect.gen(function*() {
          const [store, review] = [yield* MemoryStore, yield* MemoryReview]
          const scope = freshScope()
          const row = rowOf(scope, { memory_id: "mem_own", idem_hash: "i", answer: "{\"memory_id\":\"mem_own\"}" })
          yield* store.commit(commitOf([row]))
          assert.strictEqual((yield* review.scrub(scope, row, row.content_sha256)).remaining, 1)
          assert.strictEqual((yield* review.heads(scope, null, { after: null, limit: 1 }))[0]?.value, row.value)
        }))
    })
  })
}
