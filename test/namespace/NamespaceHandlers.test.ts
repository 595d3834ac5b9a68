import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Caller } from "../../src/kernel/Caller.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { toWire } from "../../src/kernel/LoomError.ts"
import type { BoundVerb } from "../../src/kernel/Verb.ts"
import * as NamespaceCache from "../../src/namespace/NamespaceCache.ts"
import * as NamespaceHandlers from "../../src/namespace/NamespaceHandlers.ts"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import { layerMemory, NamespaceStore } from "../../src/namespace/NamespaceStore.ts"
import { caller } from "./NamespaceFixture.ts"

interface House {
  readonly register: (request: object, as?: Caller) => ReturnType<BoundVerb["call"]>
  readonly get: (as?: Caller) => Effect.Effect<Record<string, unknown>, LoomError>
  readonly list: (request?: object, as?: Caller) => Effect.Effect<ReadonlyArray<Record<string, unknown>>, LoomError>
}

const plain = (answer: unknown): Record<string, unknown> => ({ ...Object(answer) })

/** Every reading of the store lets other fibers run, as a real one does. */
const layerSlow = Layer.effect(
  NamespaceStore,
  Effect.map(NamespaceStore, (store) => ({
    ...store,
    find: (scope: Parameters<typeof store.find>[0]) => Effect.zipLeft(store.find(scope), Effect.yieldNow())
  }))
).pipe(Layer.provide(layerMemory))

const run = <A, E>(test: (house: House) => Effect.Effect<A, E>) =>
  Effect.flatMap(NamespaceHandlers.make, (verbs) => {
    const call = (tag: string) => (request: object, as: Caller) =>
      verbs.find(({ verb }) => verb.tag === tag)?.call(request, as) ?? Effect.dieMessage(`no ${tag}`)
    const eng = (request: object) => ({ namespace: "eng", ...request })
    return test({
      register: (request, as = caller()) => call("namespace.register")(eng(request), as),
      get: (as = caller()) => Effect.map(call("namespace.get")(eng({}), as), plain),
      list: (request = {}, as = caller()) =>
        Effect.map(call("namespace.list")(request, as), (answer) => Object(answer).namespaces.map(plain))
    })
  }).pipe(Effect.provide(Layer.provideMerge(NamespaceCache.layer, layerSlow)))

const detail = (effect: ReturnType<House["register"]>) =>
  Effect.map(Effect.either(effect), (result) => Either.isLeft(result) ? toWire(result.left) : undefined)

const all = {
  tag_registry: { audit: { conflict: "append_only", dedup: "none", retention_seconds: 3600 }, plain: {} },
  thresholds: { conflict: 0.7, duplicate: 0.9 },
  type_thresholds: { decision: { duplicate: 0.95 } },
  multi_valued_predicates: ["speaks", "owns"]
}

describe("namespace.register", () => {
  it.effect("keeps what is left out, replaces what is given, clears what is null", () =>
    run(({ get, list, register }) =>
      Effect.gen(function*() {
        assert.deepInclude(yield* get(), { registered: false, ...noSettings })
        yield* register({ ...all, description: "for engineers" })
        assert.deepInclude(yield* get(), { registered: true, description: "for engineers", ...all })
        yield* register({ default_conflict_policy: "newest_wins" })
        assert.deepInclude(yield* get(), { default_conflict_policy: "newest_wins", ...all })
        yield* register({ thresholds: { conflict: 0.5 }, tag_registry: null })
        const now = { ...all, thresholds: { conflict: 0.5 }, tag_registry: {} }
        assert.deepInclude(yield* get(), now)
        assert.deepInclude((yield* list())[0] ?? {}, now)
        yield* register({ thresholds: null, type_thresholds: null, multi_valued_predicates: null })
        assert.deepInclude(yield* get(), { ...noSettings, default_conflict_policy: "newest_wins" })
      })
    ))

  it.effect("loses nothing when two callers set different things at once", () =>
    run(({ get, register }) =>
      Effect.gen(function*() {
        yield* Effect.all(
          [
            register({ thresholds: all.thresholds }),
            register({ tag_registry: all.tag_registry }),
            register({ type_thresholds: all.type_thresholds }),
            register({ multi_valued_predicates: all.multi_valued_predicates })
          ],
          { concurrency: "unbounded" }
        )
        assert.deepInclude(yield* get(), all)
      })
    ))

  it.effect("takes no settings from a token bound to one user, whatever its role", () =>
    run(({ get, register }) =>
      Effect.gen(function*() {
        const bob = caller({ boundUser: "bob" })
        for (const request of [{ default_conflict_policy: "append_only" }, { description: "mine" }, all, {}]) {
          const wire = yield* detail(register(request, bob))
          assert.deepInclude(wire ?? {}, { status: 403 })
          assert.strictEqual(wire?.body.detail.code, "FORBIDDEN")
        }
        assert.deepInclude(yield* get(bob), { registered: false, ...noSettings })
      })
    ))

  it.effect("says which setting is wrong and how", () =>
    run(({ get, register }) =>
      Effect.gen(function*() {
        const cases: ReadonlyArray<[object, string, string, RegExp]> = [
          [{ thresholds: { conflict: 2 } }, "INVALID_ARGUMENT", "thresholds.conflict", /between 0 and 1/],
          [
            { thresholds: { conflict: 0.9, duplicate: 0.8 } },
            "INVALID_ARGUMENT",
            "thresholds",
            /conflict threshold above the duplicate/
          ],
          [
            { type_thresholds: { semantic: { duplicate: "x" } } },
            "INVALID_ARGUMENT",
            "type_thresholds.semantic.duplicate",
            /number/
          ],
          [{ type_thresholds: { "A B": {} } }, "INVALID_ARGUMENT", "type_thresholds.A B", /not a type name/],
          [
            { tag_registry: { a: { retention_seconds: 0 } } },
            "INVALID_ARGUMENT",
            "tag_registry.a.retention_seconds",
            /between/
          ],
          [
            { tag_registry: { a: { conflict: "maybe" } } },
            "INVALID_ARGUMENT",
            "tag_registry.a.conflict",
            /append_only/
          ],
          [{ tag_registry: { a: { colour: 1 } } }, "UNKNOWN_FIELD", "tag_registry.a.colour", /colour/],
          [{ multi_valued_predicates: ["ok", " "] }, "INVALID_ARGUMENT", "multi_valued_predicates.1", /blank/],
          [{ char_limit: 5 }, "UNKNOWN_FIELD", "char_limit", /char_limit/]
        ]
        for (const [request, code, field, words] of cases) {
          const fault = yield* detail(register(request))
          assert.deepInclude(fault?.body.detail, { code, field }, JSON.stringify(request))
          assert.match(fault?.body.detail.message ?? "", words)
          assert.strictEqual(fault?.status, 422)
        }
        assert.strictEqual((yield* get())["registered"], false)
      })
    ))

  it.effect("is an admin's, in a namespace that the token opens", () =>
    run(({ list, register }) =>
      Effect.gen(function*() {
        const refused = [
          caller({ role: "write" }),
          caller({ org: "other", role: "read" }),
          caller({ namespaces: ["ops"] })
        ]
        for (const as of refused) {
          assert.strictEqual((yield* detail(register(all, as)))?.body.detail.code, "FORBIDDEN")
        }
        yield* register(all)
        assert.strictEqual((yield* list({}, caller({ org: "other" }))).length, 0)
        assert.strictEqual((yield* list({ org: "acme" }, caller({ org: "other" }))).length, 0)
        assert.strictEqual((yield* list({}, caller({ namespaces: ["ops"] }))).length, 0)
      })
    ))
})
