/** What every store of what language models took and said keeps, whatever it stands on. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ModelAnswerStore } from "../../src/platform/ModelAnswerStore.ts"
import { ModelUsageStore } from "../../src/platform/ModelUsageStore.ts"
import type { ScopedUsage } from "../../src/platform/ModelUsageStore.ts"

let orgs = 0
/** An org that no other test writes to. */
const freshOrg = () => `acme-${++orgs}`

const usage = (org: string, changed: Partial<ScopedUsage> = {}): ScopedUsage => ({
  scope: { org, namespace: "eng" },
  day: "2026-11-30",
  purpose: "ask",
  model: "small",
  calls: 1,
  failed: 0,
  tokensIn: 100,
  tokensOut: 20,
  cost: 0.25,
  ...changed
})

export const suite = <E>(name: string, stores: Layer.Layer<ModelUsageStore | ModelAnswerStore, E>): void =>
  layer(stores, { timeout: 60_000 })(`stores of language models: ${name}`, (it) => {
    it.effect("adds up what models took, by day, purpose and model, the latest day first", () =>
      Effect.gen(function*() {
        const store = yield* ModelUsageStore
        const org = freshOrg()
        yield* store.add([usage(org), usage(org, { failed: 1, tokensIn: 3, tokensOut: 0, cost: 0 })])
        yield* store.add([
          usage(org),
          usage(org, { purpose: "extract" }),
          usage(org, { model: "large" }),
          usage(org, { day: "2026-12-01" }),
          usage(org, { day: "2026-11-28" })
        ])
        yield* store.add([])
        const one = { calls: 1, failed: 0, tokensIn: 100, tokensOut: 20, cost: 0.25 }
        assert.deepStrictEqual(yield* store.since(org, ["eng"], "2026-11-29"), [
          { day: "2026-12-01", purpose: "ask", model: "small", ...one },
          { day: "2026-11-30", purpose: "ask", model: "large", ...one },
          {
            day: "2026-11-30",
            purpose: "ask",
            model: "small",
            calls: 3,
            failed: 1,
            tokensIn: 203,
            tokensOut: 40,
            cost: 0.5
          },
          { day: "2026-11-30", purpose: "extract", model: "small", ...one }
        ])
        assert.strictEqual(yield* store.spent({ org, namespace: "eng" }, "2026-11-30"), 483)
        assert.strictEqual(yield* store.spent({ org, namespace: "eng" }, "2026-11-29"), 0)
      }))

    it.effect("tells of the namespaces of one org that it is asked for, and of no others", () =>
      Effect.gen(function*() {
        const store = yield* ModelUsageStore
        const [org, other] = [freshOrg(), freshOrg()]
        const odd = "o'ps \\ 😀"
        yield* store.add([
          usage(org),
          usage(org, { scope: { org, namespace: odd } }),
          usage(org, { scope: { org, namespace: "sales" } }),
          usage(other)
        ])
        const calls = (namespaces: "*" | ReadonlyArray<string>) =>
          Effect.map(store.since(org, namespaces, "2026-11-01"), (found) => found.map(({ calls }) => calls))
        assert.deepStrictEqual(yield* calls("*"), [3])
        assert.deepStrictEqual(yield* calls([odd, "eng"]), [2])
        assert.deepStrictEqual(yield* calls([]), [])
        assert.strictEqual(yield* store.spent({ org, namespace: odd }, "2026-11-30"), 120)
      }))

    it.effect("gives the last answer to a prompt back, to its namespace, until it is too old", () =>
      Effect.gen(function*() {
        const { find, keep } = yield* ModelAnswerStore
        const scope = { org: freshOrg(), namespace: "eng" }
        const answer = { model: "small-2026", text: "First.", truncated: false, at: 1_700_000_000_123 }
        assert.isTrue(Option.isNone(yield* find(scope, "hash", 0)))
        yield* keep(scope, "hash", answer)
        yield* keep(scope, "hash", { ...answer, text: "Second.", truncated: true, at: answer.at + 1 })
        yield* keep(scope, "other", { ...answer, at: answer.at + 9 })
        assert.deepStrictEqual(
          yield* find(scope, "hash", answer.at),
          Option.some({ ...answer, text: "Second.", truncated: true, at: answer.at + 1 })
        )
        assert.isTrue(Option.isNone(yield* find(scope, "hash", answer.at + 2)))
        assert.isTrue(Option.isNone(yield* find({ ...scope, namespace: "ops" }, "hash", 0)))
        assert.isTrue(Option.isNone(yield* find({ ...scope, org: freshOrg() }, "hash", 0)))
      }))

    it.effect("keeps every text as it is", () =>
      Effect.gen(function*() {
        const { find, keep } = yield* ModelAnswerStore
        const scope = { org: freshOrg(), namespace: "eng" }
        const texts = FastCheck.sample(FastCheck.string({ unit: "grapheme", maxLength: 40 }), { numRuns: 20, seed: 7 })
        yield* Effect.forEach([...texts, "", "a\0b", "'\\n\u2028"], (text, n) =>
          Effect.gen(function*() {
            yield* keep(scope, `${n}`, { model: "m", text, truncated: false, at: 1 })
            assert.strictEqual(Option.getOrThrow(yield* find(scope, `${n}`, 0)).text, text)
          }), { concurrency: 4 })
      }))
  })
