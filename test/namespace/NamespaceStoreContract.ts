/** What every namespace store keeps. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import { NamespaceStore } from "../../src/namespace/NamespaceStore.ts"
import { namespace } from "./NamespaceFixture.ts"

/** Each test has an org of its own, since the tests share a store. */
export const suite = <R, E>(name: string, store: Layer.Layer<NamespaceStore | R, E>) =>
  layer(store, { timeout: 60_000 })(`NamespaceStore (${name})`, (it) => {
    it.effect("gives back what was put, whole", () =>
      Effect.gen(function*() {
        const { find, put } = yield* NamespaceStore
        const one = namespace({
          org: "whole",
          default_conflict_policy: "manual_review",
          description: "it's \"odd\"\n\\ 😀",
          settings: {
            tag_registry: {
              "it's \"odd\"\\😀": { conflict: "append_only", dedup: "none", retention_seconds: 9 },
              constructor: {}
            },
            thresholds: { conflict: 0.123456789, duplicate: 1 },
            type_thresholds: { decision: { duplicate: 0 } },
            multi_valued_predicates: ["spricht", "話す"],
            consolidation: true
          },
          version: 2n ** 63n
        })
        yield* put(one)
        assert.deepEqual(yield* find(one), Option.some(one))
        assert.isTrue(Option.isNone(yield* find({ org: "whole", namespace: "ops" })))
        assert.isTrue(Option.isNone(yield* find({ org: "other", namespace: "eng" })))
      }))

    it.effect("tells the namespaces that opted in to consolidation, by their last word", () =>
      Effect.gen(function*() {
        const { consolidating, put } = yield* NamespaceStore
        const at = (name: string, version: bigint, consolidation: boolean) =>
          namespace({ org: "merging", namespace: name, version, settings: { ...noSettings, consolidation } })
        yield* put(at("a", 1n, true))
        yield* put(at("b", 1n, true))
        yield* put(at("b", 2n, false))
        yield* put(at("c", 1n, false))
        const found = (yield* consolidating).filter(({ org }) => org === "merging")
        assert.deepEqual(found, [{ org: "merging", namespace: "a" }])
      }))

    it.effect("counts the newest and lists one org by name", () =>
      Effect.gen(function*() {
        const { find, list, put } = yield* NamespaceStore
        const at = (name: string, version: bigint, description: string) =>
          namespace({ org: "listed", namespace: name, version, description })
        yield* put(at("b", 1n, "old"))
        yield* put(at("a", 1n, ""))
        yield* put(at("b", 2n, "new"))
        yield* put(namespace({ org: "else" }))
        assert.strictEqual(Option.getOrThrow(yield* find({ org: "listed", namespace: "b" })).description, "new")
        assert.deepEqual((yield* list("listed")).map((one) => [one.namespace, one.description]), [["a", ""], [
          "b",
          "new"
        ]])
      }))
  })
