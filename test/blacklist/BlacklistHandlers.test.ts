import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { rootCaller } from "../../src/access/RootToken.ts"
import * as BlacklistCache from "../../src/blacklist/BlacklistCache.ts"
import * as BlacklistHandlers from "../../src/blacklist/BlacklistHandlers.ts"
import { BlacklistStore, layerMemory } from "../../src/blacklist/BlacklistStore.ts"
import * as BlacklistSweep from "../../src/blacklist/BlacklistSweep.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { toWire } from "../../src/kernel/LoomError.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { caller, pattern } from "./BlacklistFixture.ts"

type Cache = typeof BlacklistCache.BlacklistCache.Service
type Answered = Effect.Effect<Record<string, unknown>, LoomError>

interface House {
  readonly add: (request?: object, as?: Caller) => Answered
  readonly list: (request?: object, as?: Caller) => Effect.Effect<ReadonlyArray<Record<string, unknown>>, LoomError>
  readonly page: (request: object, as?: Caller) => Answered
  readonly remove: (id: unknown, as?: Caller) => Answered
  readonly cache: Cache
  readonly store: typeof BlacklistStore.Service
}

const plain = (answer: unknown): Record<string, unknown> => ({ ...Object(answer) })

const run = <A, E>(
  test: (house: House) => Effect.Effect<A, E>,
  sweep: Layer.Layer<BlacklistSweep.BlacklistSweep> = BlacklistSweep.layerMemory([])
) =>
  Effect.gen(function*() {
    const verbs = yield* BlacklistHandlers.make
    const call = (tag: string, request: object, as: Caller): Answered =>
      Effect.map(
        verbs.find(({ verb }) => verb.tag === tag)?.call(request, as) ?? Effect.dieMessage(`no ${tag}`),
        plain
      )
    return yield* test({
      add: (request = {}, as = caller()) =>
        call(
          "blacklist.add",
          { pattern: "hunter2", ...("scope" in request ? {} : { namespace: "eng" }), ...request },
          as
        ),
      list: (request = {}, as = caller()) =>
        Effect.map(call("blacklist.list", request, as), (answer) => Object(answer["patterns"]).map(plain)),
      page: (request, as = caller()) => call("blacklist.list", request, as),
      remove: (pattern_id, as = caller()) => call("blacklist.remove", { pattern_id }, as),
      cache: yield* BlacklistCache.BlacklistCache,
      store: yield* BlacklistStore
    })
  }).pipe(
    Effect.provide(
      Layer.mergeAll(BlacklistCache.layer, sweep, Cursors.layerMemory).pipe(Layer.provideMerge(layerMemory))
    )
  )

const detail = (effect: Answered) =>
  Effect.map(Effect.either(effect), (result) => Either.isLeft(result) ? toWire(result.left).body.detail : undefined)
const codeOf = (effect: Answered) => Effect.map(detail(effect), (found) => found?.code ?? "none")

const hits = (cache: Cache, org: string, namespace: string, text = "my Hunter2") =>
  Effect.map(cache.matcher({ org, namespace }), ({ match }) => match(text)?.pattern_id)

const row = (text: string, namespace = "eng", org = "acme"): BlacklistSweep.SweptRow => ({
  org,
  namespace,
  text,
  tombstoned: false
})

describe("blacklist.add", () => {
  it.effect("refuses matching values in its namespace from then on, and nowhere else", () =>
    run(({ add, cache }) =>
      Effect.gen(function*() {
        const answer = yield* add({ reason: "a password" })
        assert.match(String(answer["pattern_id"]), /^blk_[0-9a-f-]{36}$/)
        assert.deepInclude(answer, {
          scope: "namespace",
          org: "acme",
          namespace: "eng",
          noop: false,
          blacklist_version: 1,
          confirmed: true,
          swept: 0,
          swept_truncated: false,
          sweep_error: ""
        })
        assert.deepEqual((yield* cache.matcher({ org: "acme", namespace: "eng" })).match("HUNTER2"), {
          pattern_id: String(answer["pattern_id"]),
          scope: "namespace",
          reason: "a password"
        })
        assert.isUndefined(yield* hits(cache, "acme", "ops"))
        assert.isUndefined(yield* hits(cache, "other", "eng"))
      })
    ))

  it.effect("holds for the org, and for all of them", () =>
    run(({ add, cache }) =>
      Effect.gen(function*() {
        const org = yield* add({ scope: "org" })
        assert.deepInclude(org, { scope: "org", org: "acme", namespace: null })
        assert.strictEqual(yield* hits(cache, "acme", "ops"), org["pattern_id"])
        assert.isUndefined(yield* hits(cache, "other", "ops"))
        const global = yield* add({ scope: "global" }, rootCaller)
        assert.deepInclude(global, { scope: "global", org: null, namespace: null })
        assert.strictEqual(yield* hits(cache, "other", "ops"), global["pattern_id"])
        const foreign = yield* add({ scope: "org", org: "other", pattern: "swordfish" }, rootCaller)
        assert.strictEqual(yield* hits(cache, "other", "x", "swordfish"), foreign["pattern_id"])
        assert.isUndefined(yield* hits(cache, "acme", "x", "swordfish"))
      })
    ))

  it.effect("is for an admin of all of the place", () =>
    run(({ add, cache }) =>
      Effect.gen(function*() {
        const refused: ReadonlyArray<[object, Caller]> = [
          [{}, caller({ role: "write" })],
          [{}, caller({ namespaces: ["ops"] })],
          [{}, caller({ boundUser: "u1" })],
          [{ org: "acme" }, caller({ org: "other" })],
          [{}, rootCaller],
          [{ scope: "org" }, caller({ namespaces: ["eng", "ops"] })],
          [{ scope: "org" }, caller({ boundUser: "u1" })],
          [{ scope: "org", org: "acme" }, caller({ org: "other" })],
          [{ scope: "global" }, caller()],
          [{ scope: "global" }, localCaller]
        ]
        for (const [request, as] of refused) {
          assert.strictEqual(yield* codeOf(add(request, as)), "FORBIDDEN", JSON.stringify([request, as]))
        }
        assert.isUndefined(yield* hits(cache, "acme", "eng"))
        assert.strictEqual(yield* codeOf(add({}, caller({ namespaces: ["eng"] }))), "none")
        assert.strictEqual(yield* codeOf(add({ scope: "org" }, localCaller)), "none")
      })
    ))

  it.effect("names what is wrong with a request", () =>
    run(({ add, page }) =>
      Effect.gen(function*() {
        const faults: ReadonlyArray<[object, string, RegExp, Caller?]> = [
          [{ pattern: "" }, "pattern", /character/],
          [{ pattern: "  " }, "pattern", /blank/],
          [{ pattern: "a(", pattern_type: "regex" }, "pattern", /missing closing \)/],
          [{ pattern: "x*", pattern_type: "regex" }, "pattern", /matches any text/],
          [{ pattern: "x".repeat(513) }, "pattern", /longer than 512/],
          [{ pattern_type: "glob" }, "pattern_type", /substring/],
          [{ scope: "galaxy" }, "scope", /namespace/],
          [{ scope: "org", namespace: "eng" }, "namespace", /scope org/],
          [{ scope: "global", org: "acme" }, "org", /global/, rootCaller],
          [{ scope: "org" }, "org", /needed/, rootCaller],
          [{ reason: "x".repeat(513) }, "reason", /512/],
          [{ created_by: "me" }, "created_by", /created_by/],
          [{ namespace: undefined }, "namespace", /needed/]
        ]
        for (const [request, field, words, as] of faults) {
          const found = yield* detail(add(request, as))
          assert.strictEqual(found?.["field"], field, JSON.stringify(request).slice(0, 80))
          assert.match(found?.message ?? "", words)
        }
        assert.strictEqual(yield* codeOf(page({ cursor: "1.x" })), "INVALID_ARGUMENT")
      })
    ))

  it.effect("is bounded in number and in the size of its regexes", () =>
    run(({ add, store }) =>
      Effect.gen(function*() {
        for (let id = 0; id < 500; id++) yield* store.put(pattern(id, { pattern: `p${id}` }))
        const full = yield* detail(add())
        assert.deepInclude(full, { code: "INVALID_ARGUMENT", limit: 500 })
        // What is there already may be said again.
        assert.deepInclude(yield* add({ pattern: "p7" }), { noop: true, pattern_id: pattern(7).pattern_id })
        for (let id = 600; id < 616; id++) {
          yield* store.put(pattern(id, { namespace: "ops", pattern: `x{300}${id}`, pattern_type: "regex" }))
        }
        const large = yield* detail(add({ namespace: "ops", pattern: "y{300}", pattern_type: "regex" }))
        assert.deepInclude(large, { code: "INVALID_ARGUMENT", limit: 5_000 })
        assert.deepInclude(yield* add({ namespace: "ops" }), { noop: false })
      })
    ))

  it.effect("keeps one pattern when two callers add the same", () =>
    run(({ add, list }) =>
      Effect.gen(function*() {
        const both = yield* Effect.all([add(), add({ reason: "again" })], { concurrency: 2 })
        assert.strictEqual(both[0]["pattern_id"], both[1]["pattern_id"])
        assert.deepEqual(both.map((one) => one["noop"]).sort(), [false, true])
        assert.strictEqual((yield* list()).length, 1)
        // Another kind of pattern with the same text is another one.
        assert.deepInclude(yield* add({ pattern_type: "regex" }), { noop: false })
      })
    ))
})

describe("blacklist.add with sweep", () => {
  it.effect("tombstones what matches, within its reach, and counts it", () => {
    const rows = [
      row("my hunter2"),
      row("HUNTER2 again"),
      row("harmless"),
      row("hunter2", "ops"),
      row("hunter2", "eng", "other")
    ]
    return run(({ add }) =>
      Effect.gen(function*() {
        assert.deepInclude(yield* add(), { swept: 0 })
        assert.deepInclude(yield* add({ sweep: true }), {
          noop: true,
          swept: 2,
          swept_truncated: false,
          sweep_error: ""
        })
        assert.deepEqual(rows.map(({ tombstoned }) => tombstoned), [true, true, false, false, false])
        assert.deepInclude(yield* add({ scope: "org", sweep: true }), { swept: 1 })
        assert.deepInclude(yield* add({ scope: "global", sweep: true }, rootCaller), { swept: 1 })
        assert.deepEqual(rows.map(({ tombstoned }) => tombstoned), [true, true, false, true, true])
      }), BlacklistSweep.layerMemory(rows))
  })

  it.effect("passes again once the others run it, and finds what they let through meanwhile", () => {
    const rows = [row("hunter2 one")]
    let passes = 0
    const late = Effect.sync(() => {
      // Another process, which does not know yet, stores a match after the first pass.
      if (++passes === 1) rows.push(row("hunter2 two"))
    })
    return run(({ add, cache, store }) =>
      Effect.gen(function*() {
        yield* cache.matcher({ org: "acme", namespace: "eng" })
        yield* store.confirm("proc_other", 0)
        const adding = yield* Effect.fork(add({ sweep: true }))
        yield* TestClock.adjust("900 millis")
        assert.strictEqual(passes, 1)
        yield* store.confirm("proc_other", 1)
        yield* TestClock.adjust("100 millis")
        assert.deepInclude(yield* Fiber.join(adding), { swept: 2, confirmed: true })
        assert.strictEqual(passes, 2)
        assert.isTrue(rows.every(({ tombstoned }) => tombstoned))
      }), BlacklistSweep.layerMemory(rows, { after: late }))
  })

  it.effect("says that a process did not answer, and passes again all the same", () => {
    let passes = 0
    const count = Effect.sync(() => {
      passes++
    })
    return run(({ add, store }) =>
      Effect.gen(function*() {
        yield* store.confirm("proc_killed", 0)
        const adding = yield* Effect.fork(add({ sweep: true }))
        yield* TestClock.adjust("2 seconds")
        assert.deepInclude(yield* Fiber.join(adding), { confirmed: false })
        assert.strictEqual(passes, 2)
      }), BlacklistSweep.layerMemory([], { after: count }))
  })

  it.effect("says when the cap was reached, and goes on when asked again", () => {
    const rows = Array.from({ length: 7 }, (_, index) => row(`hunter2 ${index}`))
    return run(({ add }) =>
      Effect.gen(function*() {
        // Two passes of two rows each.
        assert.deepInclude(yield* add({ sweep: true }), { swept: 4, swept_truncated: true, sweep_error: "" })
        assert.deepInclude(yield* add({ sweep: true }), { swept: 3, swept_truncated: false })
        assert.deepInclude(yield* add({ sweep: true }), { swept: 0, swept_truncated: false })
      }), BlacklistSweep.layerMemory(rows, { cap: 2 }))
  })

  it.effect("tells the error of the last pass, and the rows of both", () => {
    const outcomes: Array<BlacklistSweep.SweepOutcome> = []
    const scripted = Layer.succeed(BlacklistSweep.BlacklistSweep, {
      sweep: () => Effect.sync(() => outcomes.shift() ?? { swept: 0, truncated: false })
    })
    return run(({ add }) =>
      Effect.gen(function*() {
        outcomes.push({ swept: 3, truncated: true, error: "the store was away" }, { swept: 2, truncated: false })
        assert.deepInclude(yield* add({ sweep: true }), { swept: 5, swept_truncated: false, sweep_error: "" })
        outcomes.push({ swept: 3, truncated: true }, { swept: 1, truncated: false, error: "the store was away" })
        assert.deepInclude(yield* add({ sweep: true }), {
          swept: 4,
          swept_truncated: true,
          sweep_error: "the store was away"
        })
      }), scripted)
  })

  it.effect("says that a server without memories sweeps nothing", () =>
    run(
      ({ add }) =>
        Effect.map(add({ sweep: true }), (answer) => assert.match(String(answer["sweep_error"]), /does not sweep/)),
      BlacklistSweep.layerNone
    ))
})

describe("blacklist.add under an idempotency key", () => {
  it.effect("gives the first answer again and does nothing", () => {
    const rows = [row("hunter2 one"), row("hunter2 two")]
    const key = { idempotency_key: "k1", sweep: true }
    return run(({ add, list, remove }) =>
      Effect.gen(function*() {
        const first = yield* add(key)
        assert.deepInclude(first, { swept: 2, noop: false })
        rows.push(row("hunter2 three"))
        assert.deepEqual(yield* add(key), first)
        assert.isFalse(rows[2]?.tombstoned)
        assert.strictEqual(yield* codeOf(add({ ...key, pattern: "else" })), "IDEMPOTENCY_CONFLICT")
        assert.strictEqual(yield* codeOf(add({ ...key, scope: "org" })), "IDEMPOTENCY_CONFLICT")
        // The key is the caller's own; an addition that found its pattern there keeps its answer too.
        const other = caller({ actor: "human:other" })
        const found = yield* add(key, other)
        assert.deepInclude(found, { noop: true, swept: 1, pattern_id: first["pattern_id"] })
        assert.strictEqual((yield* list()).length, 1)
        // A retry puts back nothing that was ended since.
        yield* remove(first["pattern_id"])
        assert.deepEqual(yield* add(key), first)
        assert.deepEqual(yield* add(key, other), found)
        assert.deepEqual(yield* list(), [])
        assert.strictEqual(yield* codeOf(add({ ...key, pattern: "else" }, other)), "IDEMPOTENCY_CONFLICT")
        yield* TestClock.adjust("25 hours")
        assert.deepInclude(yield* add(key), { noop: false })
        assert.strictEqual((yield* list()).length, 1)
      }), BlacklistSweep.layerMemory(rows))
  })

  it.effect("does not put back what was ended before its answer was kept", () =>
    run(({ add, list, remove, store }) =>
      Effect.gen(function*() {
        const first = yield* add({ idempotency_key: "k1" })
        yield* remove(first["pattern_id"])
        const stored = yield* store.find(String(first["pattern_id"]))
        if (stored._tag === "None") return assert.fail("not stored")
        yield* store.annotate({ ...stored.value, answer: "", version: stored.value.version + 1n })
        const again = yield* add({ idempotency_key: "k1", sweep: true }).pipe(Effect.flip)
        assert.propertyVal(again, "code", "IDEMPOTENCY_CONFLICT")
        assert.deepInclude(yield* add({ idempotency_key: "k1" }), { pattern_id: first["pattern_id"], noop: false })
        assert.deepEqual(yield* list(), [])
      })
    ))

  it.effect("finishes what an earlier call began", () => {
    const rows = [row("hunter2")]
    return run(({ add, store }) =>
      Effect.gen(function*() {
        const first = yield* add({ idempotency_key: "k1", sweep: true })
        const stored = yield* store.find(String(first["pattern_id"]))
        if (stored._tag === "None") return assert.fail("not stored")
        // As if the process had died before the answer was kept.
        yield* store.put({ ...stored.value, answer: "", version: stored.value.version + 1n })
        rows.push(row("hunter2 too"))
        assert.deepInclude(yield* add({ idempotency_key: "k1", sweep: true }), {
          pattern_id: first["pattern_id"],
          noop: false,
          swept: 1
        })
      }), BlacklistSweep.layerMemory(rows))
  })
})

describe("blacklist.list", () => {
  it.effect("shows each caller what may refuse his writes, and the text to whom it is to end", () =>
    run(({ add, list, page }) =>
      Effect.gen(function*() {
        yield* add({ pattern: "of-eng", reason: "r1" })
        yield* add({ pattern: "of-ops", namespace: "ops", reason: "r2" })
        yield* add({ pattern: "of-acme", scope: "org", reason: "r3" })
        yield* add({ pattern: "of-all", scope: "global", reason: "r4" }, rootCaller)
        yield* add({ pattern: "of-other", scope: "org", reason: "r5" }, caller({ org: "other" }))
        yield* add({ pattern: "of-other-eng", reason: "r6" }, caller({ org: "other" }))
        const seen = (as: Caller, request: object = {}) =>
          Effect.map(list(request, as), (all) =>
            all.map((one) => `${String(one["reason"])}:${String(one["pattern"])}`).sort())
        assert.deepEqual(yield* seen(caller()), ["r1:of-eng", "r2:of-ops", "r3:of-acme", "r4:null"])
        assert.deepEqual(yield* seen(caller(), { namespace: "eng" }), ["r1:of-eng", "r3:of-acme", "r4:null"])
        assert.deepEqual(yield* seen(caller(), { scope: "namespace" }), ["r1:of-eng", "r2:of-ops"])
        assert.deepEqual(yield* seen(caller({ defaultNamespace: "ops" })), ["r2:of-ops", "r3:of-acme", "r4:null"])
        assert.deepEqual(yield* seen(caller({ namespaces: ["eng"] })), ["r1:of-eng", "r3:null", "r4:null"])
        assert.deepEqual(yield* seen(caller({ role: "read" }), { namespace: "eng" }), ["r1:null", "r3:null", "r4:null"])
        assert.deepEqual(yield* seen(caller({ boundUser: "u1" })), ["r1:null", "r2:null", "r3:null", "r4:null"])
        assert.deepEqual(yield* seen(caller({ org: "other" })), ["r4:null", "r5:of-other", "r6:of-other-eng"])
        assert.deepEqual(yield* seen(caller({ org: "third" })), ["r4:null"])
        // Another org's patterns are not there, whoever asks for them by name.
        assert.deepEqual(yield* seen(caller(), { org: "other" }), ["r4:null"])
        assert.deepEqual(yield* seen(rootCaller), ["r4:of-all"])
        assert.deepEqual(yield* seen(rootCaller, { org: "acme" }), ["r3:of-acme", "r4:of-all"])
        const foreign = yield* page({ org: "acme", scope: "org", limit: 1 }, caller({ org: "other" }))
        assert.deepEqual(foreign, { patterns: [], next_cursor: null })
        const refused = yield* Effect.either(list({ namespace: "ops" }, caller({ namespaces: ["eng"] })))
        assert.isTrue(Either.isLeft(refused))
        const [one] = yield* list({ scope: "global" }, caller())
        assert.deepInclude(one, {
          scope: "global",
          org: null,
          namespace: null,
          pattern_type: "substring",
          created_by: null
        })
        const [own] = yield* list({ scope: "org" }, caller())
        assert.deepInclude(own, { created_by: "human:boss", created_at: "1970-01-01T00:00:00.000Z" })
      })
    ))

  it.effect("goes page by page", () =>
    run(({ add, page }) =>
      Effect.gen(function*() {
        for (const part of ["a", "b", "c", "d", "e"]) {
          yield* TestClock.adjust("1 seconds")
          yield* add({ pattern: `pattern-${part}` })
        }
        const seen: Array<unknown> = []
        let cursor: unknown = null
        let pages = 0
        do {
          const found: Record<string, unknown> = yield* page({ limit: 2, ...(cursor === null ? {} : { cursor }) })
          seen.push(...Object(found["patterns"]).map((one: unknown) => plain(one)["pattern"]))
          cursor = found["next_cursor"]
          pages++
        } while (cursor !== null)
        assert.deepEqual(seen, ["e", "d", "c", "b", "a"].map((part) => `pattern-${part}`))
        assert.strictEqual(pages, 3)
      })
    ))
})

describe("blacklist.remove", () => {
  it.effect("ends a pattern at once, and only once", () =>
    run(({ add, cache, list, remove }) =>
      Effect.gen(function*() {
        const { pattern_id } = yield* add()
        assert.strictEqual(yield* hits(cache, "acme", "eng"), pattern_id)
        yield* TestClock.adjust("5 seconds")
        const first = yield* remove(pattern_id)
        assert.deepEqual(first, { found: true, removed: true, pattern_id, removed_at: "1970-01-01T00:00:05.000Z" })
        assert.isUndefined(yield* hits(cache, "acme", "eng"))
        yield* TestClock.adjust("5 seconds")
        assert.deepEqual(yield* remove(pattern_id), first)
        assert.deepEqual(yield* list(), [])
      })
    ))

  it.effect("is for whom may set it, and a miss for whom it does not concern", () =>
    run(({ add, cache, remove }) =>
      Effect.gen(function*() {
        const { pattern_id: eng } = yield* add()
        const { pattern_id: org } = yield* add({ scope: "org" })
        const { pattern_id: global } = yield* add({ scope: "global" }, rootCaller)
        const miss = (pattern_id: unknown) => ({ found: false, removed: false, pattern_id, removed_at: null })
        assert.deepEqual(yield* remove("blk_none"), miss("blk_none"))
        for (const id of [eng, org]) assert.deepEqual(yield* remove(id, caller({ org: "other" })), miss(id))
        assert.deepEqual(yield* remove(eng, caller({ namespaces: ["ops"] })), miss(eng))
        assert.deepEqual(yield* remove(eng, rootCaller), miss(eng))
        assert.strictEqual(yield* codeOf(remove(eng, caller({ role: "write" }))), "FORBIDDEN")
        assert.strictEqual(yield* codeOf(remove(eng, caller({ boundUser: "u1" }))), "FORBIDDEN")
        assert.strictEqual(yield* codeOf(remove(org, caller({ namespaces: ["eng"] }))), "FORBIDDEN")
        assert.strictEqual(yield* codeOf(remove(global)), "FORBIDDEN")
        assert.strictEqual(yield* hits(cache, "acme", "eng"), eng)
        for (
          const [id, as] of [[eng, caller({ namespaces: ["eng"] })], [org, rootCaller], [global, rootCaller]] as const
        ) {
          assert.deepInclude(yield* remove(id, as), { removed: true })
        }
        assert.isUndefined(yield* hits(cache, "acme", "eng"))
      })
    ))
})
