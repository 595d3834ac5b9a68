/** What every blacklist store keeps. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { GLOBAL } from "../../src/blacklist/BlacklistModel.ts"
import type { BlacklistPattern } from "../../src/blacklist/BlacklistModel.ts"
import { BlacklistStore } from "../../src/blacklist/BlacklistStore.ts"
import { pattern } from "./BlacklistFixture.ts"

const ids = (patterns: ReadonlyArray<BlacklistPattern>) => patterns.map(({ pattern_id }) => pattern_id)
const idOf = (id: number) => pattern(id).pattern_id

/** Each test has an org of its own, since the tests share a store. */
export const suite = <R, E>(name: string, store: Layer.Layer<BlacklistStore | R, E>) =>
  layer(store, { timeout: 60_000 })(`BlacklistStore (${name})`, (it) => {
    it.effect("gives back what was put, whole", () =>
      Effect.gen(function*() {
        const { find, findByKey, put } = yield* BlacklistStore
        const plain = pattern(101, { org: "whole" })
        const full = pattern(102, {
          org: "whole",
          scope: "org",
          namespace: "",
          pattern: "it's\t\\\"odd\" 😀 %s {p1:String}",
          pattern_type: "regex",
          reason: "'; DROP TABLE loom.blacklist; --\n",
          removed_at: 1_700_000_000_123,
          removed_by: "human:other",
          idem_hash: "aa",
          request_hash: "bb",
          answer: "{\"a\":1}",
          version: 2n ** 64n - 1n
        })
        yield* put(plain)
        yield* put(full)
        assert.deepEqual(yield* find(plain.pattern_id), Option.some(plain))
        assert.deepEqual(yield* find(full.pattern_id), Option.some(full))
        assert.isTrue(Option.isNone(yield* find("' OR 1=1 --")))
        // A pattern that ended holds its key for a while, one in force for good.
        assert.deepEqual(yield* findByKey("aa", full.created_at), Option.some(full))
        assert.isTrue(Option.isNone(yield* findByKey("aa", full.created_at + 1)))
        yield* put(pattern(103, { org: "whole", idem_hash: "cc" }))
        yield* put(pattern(104, { org: "whole", idem_hash: "cc" }))
        const first = yield* findByKey("cc", 1_800_000_000_000)
        assert.deepEqual(Option.map(first, ({ pattern_id }) => pattern_id), Option.some(idOf(103)))
        assert.isTrue(Option.isNone(yield* findByKey("dd", 0)))
      }))

    it.effect("keeps the state with the highest version, in whatever order they come", () =>
      Effect.gen(function*() {
        const { find, inForce, put } = yield* BlacklistStore
        const old = pattern(201, { org: "states" })
        const ended = pattern(201, { org: "states", removed_at: 1_700_000_001_000, version: old.version + 1n })
        yield* put(ended)
        yield* put(old)
        assert.deepEqual(yield* find(old.pattern_id), Option.some(ended))
        assert.deepEqual(yield* inForce([old]), [])
      }))

    it.effect("answers exactly the places that are asked for, oldest first", () =>
      Effect.gen(function*() {
        const { inForce, put } = yield* BlacklistStore
        const org = "places"
        yield* put(pattern(302, { org }))
        yield* put(pattern(301, { org }))
        yield* put(pattern(303, { org, namespace: "ops" }))
        yield* put(pattern(304, { org, namespace: "", scope: "org" }))
        yield* put(pattern(305, { org: "another" }))
        yield* put(pattern(306, { ...GLOBAL, scope: "global" }))
        yield* put(pattern(307, { org, removed_at: 1 }))
        assert.deepEqual(ids(yield* inForce([{ org, namespace: "eng" }])), [idOf(301), idOf(302)])
        assert.deepEqual(ids(yield* inForce([{ org, namespace: "" }])), [idOf(304)])
        assert.deepEqual(ids(yield* inForce([{ org, namespace: "ops" }, { org, namespace: "" }])), [
          idOf(303),
          idOf(304)
        ])
        assert.include(ids(yield* inForce([GLOBAL])), idOf(306))
        assert.notInclude(ids(yield* inForce([GLOBAL])), idOf(304))
        assert.deepEqual(yield* inForce([]), [])
      }))

    it.effect("lists newest first, page by page, what is asked for", () =>
      Effect.gen(function*() {
        const { list, put } = yield* BlacklistStore
        const org = "pages"
        const at = (id: number, created_at: number, more: Partial<BlacklistPattern> = {}) =>
          pattern(id, { org, created_at, ...more })
        // Two of one moment: the id decides between them.
        for (const one of [at(401, 1000), at(402, 3000), at(403, 2000), at(404, 2000, { namespace: "ops" })]) {
          yield* put(one)
        }
        yield* put(at(405, 4000, { namespace: "", scope: "org" }))
        yield* put(at(406, 5000, { ...GLOBAL, scope: "global" }))
        yield* put(at(407, 6000, { removed_at: 7000 }))
        yield* put(at(408, 6000, { org: "other-pages" }))
        const page = {
          org,
          namespaces: null,
          scopes: ["namespace", "org"] as const,
          after: null,
          limit: 10
        }
        assert.deepEqual(ids(yield* list(page)), [405, 402, 404, 403, 401].map(idOf))
        assert.deepEqual(ids(yield* list({ ...page, namespaces: ["eng"] })), [405, 402, 403, 401].map(idOf))
        assert.deepEqual(ids(yield* list({ ...page, namespaces: [] })), [405].map(idOf))
        assert.deepEqual(ids(yield* list({ ...page, scopes: ["namespace"], namespaces: ["ops"] })), [404].map(idOf))
        assert.deepEqual(ids(yield* list({ ...page, org: null })), [])
        const all = ids(yield* list({ ...page, org: null, scopes: ["namespace", "org", "global"], limit: 1000 }))
        assert.include(all, idOf(406))
        assert.notInclude(all, idOf(405))
        const first = yield* list({ ...page, limit: 3 })
        const rest = yield* list({ ...page, limit: 3, after: first.at(-1) ?? null })
        assert.deepEqual([ids(first), ids(rest)], [[405, 402, 404].map(idOf), [403, 401].map(idOf)])
      }))

    it.effect("raises the version with every put, and not with a note", () =>
      Effect.gen(function*() {
        const { annotate, find, inForce, put, version } = yield* BlacklistStore
        const before = yield* version
        const one = pattern(501, { org: "versions" })
        const first = yield* put(one)
        assert.isAbove(first, before)
        assert.strictEqual(yield* version, first)
        yield* annotate({ ...one, answer: "{}", version: one.version + 1n })
        assert.strictEqual(yield* version, first)
        assert.strictEqual(Option.getOrThrow(yield* find(one.pattern_id)).answer, "{}")
        assert.strictEqual((yield* inForce([one])).length, 1)
        const both = yield* Effect.all(
          [put(pattern(502, { org: "versions" })), put(pattern(503, { org: "versions" }))],
          {
            concurrency: 2
          }
        )
        for (const made of both) assert.isAbove(made, first)
        assert.strictEqual(yield* version, Math.max(...both))
      }))

    it.effect("knows who runs which version, until he leaves", () =>
      Effect.gen(function*() {
        const { confirm, confirmations, leave } = yield* BlacklistStore
        const said = Effect.map(confirmations(60_000), (all) =>
          all.filter(({ process_id }) =>
            process_id.startsWith("said-")
          ).map(({ process_id, version }) => [
            process_id,
            version
          ]).sort())
        yield* confirm("said-a", 1)
        yield* confirm("said-b", 7)
        assert.deepEqual(yield* said, [["said-a", 1], ["said-b", 7]])
        yield* confirm("said-a", 2)
        assert.deepEqual(yield* said, [["said-a", 2], ["said-b", 7]])
        yield* leave("said-b")
        assert.deepEqual(yield* said, [["said-a", 2]])
        yield* confirm("said-b", 8)
        assert.deepEqual(yield* said, [["said-a", 2], ["said-b", 8]])
        for (const one of yield* confirmations(60_000)) assert.isTrue(one.age_millis >= 0 && one.age_millis < 60_000)
      }))
  })
