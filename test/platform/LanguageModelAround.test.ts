/** What stands around a model, over one that says what a test tells it to: budget and booking, counters, kept answers. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import { toWire, Unavailable } from "../../src/kernel/LoomError.ts"
import { LanguageModel } from "../../src/platform/LanguageModel.ts"
import type { ModelError, ModelPrompt, ModelReply } from "../../src/platform/LanguageModel.ts"
import * as LanguageModelAnswers from "../../src/platform/LanguageModelAnswers.ts"
import * as LanguageModelBudget from "../../src/platform/LanguageModelBudget.ts"
import { LanguageModelFailure } from "../../src/platform/LanguageModelFailure.ts"
import * as LanguageModelMetrics from "../../src/platform/LanguageModelMetrics.ts"
import * as LanguageModelRetry from "../../src/platform/LanguageModelRetry.ts"
import * as ModelAnswerStore from "../../src/platform/ModelAnswerStore.ts"
import { promptTokens } from "../../src/platform/ModelMeter.ts"
import * as ModelTerms from "../../src/platform/ModelTerms.ts"
import * as ModelUsageStore from "../../src/platform/ModelUsageStore.ts"

const prompt: ModelPrompt = {
  purpose: "ask",
  scope: { org: "acme", namespace: "eng" },
  system: "the rules",
  user: "the question",
  maxTokens: 50
}
const other: ModelPrompt = { ...prompt, scope: { org: "acme", namespace: "ops" } }

const reply: ModelReply = { text: "An answer.", model: "small-2026", tokensIn: 60, tokensOut: 40 }

type Model = typeof LanguageModel.Service

const saying = (generate: (prompt: ModelPrompt) => Effect.Effect<ModelReply, ModelError>): Model => ({
  model: "small",
  generate
})

const NOON = Date.parse("2026-11-30T12:00:00Z")

/** A process of its own around the model, over a store that others may share. */
const budgeted = (
  model: Model,
  store: Context.Tag.Service<ModelUsageStore.ModelUsageStore>,
  terms: Partial<ModelTerms.Terms> = {}
) =>
  LanguageModelBudget.make(model).pipe(
    Effect.provideService(ModelTerms.ModelTerms, { ...ModelTerms.free, ...terms }),
    Effect.provideService(ModelUsageStore.ModelUsageStore, store)
  )

const usageStore = Effect.map(Layer.build(ModelUsageStore.layerMemory), Context.get(ModelUsageStore.ModelUsageStore))

const quiet = Effect.provide(Logger.remove(Logger.defaultLogger))
const detailOf = (error: ModelError) => toWire(error).body.detail

describe("LanguageModelBudget", () => {
  it.scoped("refuses a namespace that has taken its tokens, until the next day and no other namespace", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(NOON)
      const store = yield* usageStore
      let calls = 0
      const { generate } = yield* budgeted(saying(() => Effect.sync(() => (calls++, reply))), store, {
        tokensPerDay: 150
      })
      yield* generate(prompt)
      yield* generate(prompt)
      const detail = detailOf(yield* Effect.flip(generate(prompt)))
      assert.deepInclude(detail, {
        code: "MODEL_BUDGET_SPENT",
        category: "limit",
        retryable: true,
        tokens_per_day: 150,
        retry_after_s: 12 * 3600
      })
      assert.strictEqual(toWire(yield* Effect.flip(generate(prompt))).status, 429)
      assert.strictEqual(calls, 2)
      yield* generate(other)
      yield* TestClock.setTime(NOON + 12 * 3_600_000 - 1)
      assert.strictEqual(detailOf(yield* Effect.flip(generate(prompt)))["retry_after_s"], 1)
      yield* TestClock.setTime(NOON + 12 * 3_600_000)
      yield* generate(prompt)
      assert.strictEqual(calls, 4)
    }))

  it.scoped("is one budget for all processes, which see each other's calls within seconds", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(NOON)
      const store = yield* usageStore
      const model = saying(() => Effect.succeed(reply))
      const one = yield* budgeted(model, store, { tokensPerDay: 100 })
      const two = yield* budgeted(model, store, { tokensPerDay: 100 })
      yield* two.generate(other)
      yield* one.generate(prompt)
      assert.strictEqual(detailOf(yield* Effect.flip(two.generate(prompt)))["code"], "MODEL_BUDGET_SPENT")
      // Known to be spent to the one that spent it without another look.
      assert.strictEqual(detailOf(yield* Effect.flip(one.generate(prompt)))["code"], "MODEL_BUDGET_SPENT")
    }))

  it.scoped("books what was taken, estimated where nobody counted, and what it costs", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(NOON)
      const store = yield* usageStore
      const said = [reply, { ...reply, tokensIn: null, tokensOut: null }]
      const { generate } = yield* budgeted(
        saying(({ purpose }) =>
          purpose === "ask" ? Effect.succeed(said.shift() ?? reply) : new Unavailable({ operation: "x" })
        ),
        store,
        { priceIn: 2, priceOut: 10 }
      )
      yield* generate(prompt)
      yield* generate(prompt)
      yield* Effect.flip(generate({ ...prompt, purpose: "extract" }))
      const [asked, extracted] = yield* store.since("acme", ["eng"], "2026-11-30")
      assert.deepStrictEqual(asked, {
        day: "2026-11-30",
        purpose: "ask",
        model: "small",
        calls: 2,
        failed: 0,
        // "the rules" and "the question" are 21 bytes, "An answer." is 10.
        tokensIn: 60 + 6,
        tokensOut: 40 + 3,
        cost: (66 * 2 + 43 * 10) / 1e6
      })
      assert.deepInclude(extracted, { calls: 1, failed: 1, tokensIn: 0, tokensOut: 0 })
    }))

  it.scoped("books what was sent in vain: out of time, given up by the caller, broken off", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(NOON)
      const store = yield* usageStore
      let turn = 0
      const broken = new LanguageModelFailure({ reason: "transport", status: 200 })
      const model = yield* LanguageModelRetry.make(
        ({ purpose }) =>
          purpose === "resolve"
            ? new LanguageModelFailure({ reason: "overloaded", status: 429, retryAfter: 60_000 })
            : purpose === "digest" && turn++ === 0
            ? broken
            : purpose === "digest"
            ? Effect.succeed(reply)
            : Effect.never,
        { model: "small", timeout: "2 seconds" }
      )
      const { generate } = yield* budgeted(model, store)
      const tokens = promptTokens(prompt)
      const taken = (purpose: ModelPrompt["purpose"]) =>
        Effect.map(store.since("acme", ["eng"], "2026-11-30"), (all) => all.find((one) => one.purpose === purpose))

      const late = yield* Effect.fork(Effect.flip(quiet(generate(prompt))))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(late))._tag, "Unavailable")
      assert.deepInclude(yield* taken("ask"), { calls: 1, failed: 1, tokensIn: tokens })

      // A worker's patience is longer.
      const worker = yield* Effect.fork(
        Effect.flip(quiet(generate({ ...prompt, purpose: "extract", patience: "worker" })))
      )
      yield* TestClock.adjust("11 seconds")
      assert.isNull(worker.unsafePoll())
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(worker))._tag, "Unavailable")
      assert.deepInclude(yield* taken("extract"), { calls: 1, failed: 1, tokensIn: tokens })

      const left = yield* Effect.fork(generate({ ...prompt, purpose: "consolidate" }))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(left)
      assert.deepInclude(yield* taken("consolidate"), { calls: 1, failed: 1, tokensIn: tokens })

      const again = yield* Effect.fork(generate({ ...prompt, purpose: "digest" }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(again)
      assert.deepInclude(yield* taken("digest"), { calls: 1, failed: 0, tokensIn: tokens + 60, tokensOut: 40 })

      const limited = yield* Effect.flip(quiet(generate({ ...prompt, purpose: "resolve" })))
      assert.deepInclude(detailOf(limited), { code: "OVERLOADED", retry_after_s: 60 })
      assert.deepInclude(yield* taken("resolve"), { calls: 1, failed: 1, tokensIn: 0 })
    }))

  it.scoped("sends nothing while nobody knows what is left, and books later what cannot be booked", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(NOON)
      const store = yield* usageStore
      let [isAway, calls] = [false, 0]
      const away = new Unavailable({ operation: "store" })
      const shaky = {
        ...store,
        add: (usages: ReadonlyArray<ModelUsageStore.ScopedUsage>) => isAway ? away : store.add(usages),
        spent: (scope: ModelPrompt["scope"], day: string) => isAway ? away : store.spent(scope, day)
      }
      const { generate } = yield* budgeted(saying(() => Effect.sync(() => (calls++, reply))), shaky, {
        tokensPerDay: 250
      })
      yield* generate(prompt)
      isAway = true
      // Known for some seconds.
      yield* quiet(generate(prompt))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Effect.flip(generate(prompt)))._tag, "Unavailable")
      assert.strictEqual(calls, 2)
      isAway = false
      // What is owed counts.
      yield* generate(prompt)
      assert.strictEqual(yield* store.spent(prompt.scope, "2026-11-30"), 300)
      assert.strictEqual(detailOf(yield* Effect.flip(generate(prompt)))["code"], "MODEL_BUDGET_SPENT")
    }))

  it.scoped("leaves no model as it is", () =>
    Effect.gen(function*() {
      const none = yield* Effect.provide(
        LanguageModel,
        Layer.fresh(Layer.succeed(LanguageModel, { model: null, generate: () => Effect.never }))
      )
      assert.strictEqual(yield* budgeted(none, yield* usageStore, { tokensPerDay: 1 }), none)
    }))
})

describe("LanguageModelMetrics", () => {
  it.scoped("counts calls, tokens, cost and failed tries by purpose", () =>
    Effect.gen(function*() {
      const model = yield* LanguageModelRetry.make(
        ({ user }) =>
          user === "fails" ? new LanguageModelFailure({ reason: "rejected", status: 401 }) : Effect.succeed(reply),
        { model: "small", timeout: "2 seconds" }
      )
      const counted = yield* Layer.build(LanguageModelMetrics.layer.pipe(
        Layer.provide(Layer.succeed(LanguageModel, model)),
        Layer.provide(ModelTerms.layer({ ...ModelTerms.free, priceIn: 2, priceOut: 10 }))
      ))
      const { generate } = Context.get(counted, LanguageModel)
      const asked = { ...prompt, purpose: "consolidate" as const }
      yield* generate(asked)
      yield* generate(asked)
      yield* Effect.flip(quiet(generate({ ...asked, user: "fails" })))
      const counts = new Map(
        (yield* Metric.snapshot).flatMap(({ metricKey, metricState }) => {
          const labels = metricKey.tags.map(({ key, value }) => `${key}=${value}`)
          return metricKey.name.startsWith("loom_llm_") && labels.includes("purpose=consolidate") &&
              "count" in metricState
            ? [[
              `${metricKey.name} ${labels.filter((label) => !label.startsWith("purpose")).sort().join(" ")}`.trim(),
              Number(metricState.count)
            ]]
            : []
        })
      )
      assert.deepStrictEqual(Object.fromEntries(counts), {
        "loom_llm_calls_total outcome=ok": 2,
        "loom_llm_calls_total outcome=failed": 1,
        "loom_llm_tokens_total direction=in": 120,
        "loom_llm_tokens_total direction=out": 80,
        "loom_llm_cost_total": 2 * (60 * 2 + 40 * 10) / 1e6,
        "loom_llm_failures_total reason=rejected": 1,
        "loom_llm_duration_seconds": 3
      })
    }))
})

describe("LanguageModelAnswers", () => {
  const keeping = (
    terms: Partial<ModelTerms.Terms>,
    store: Partial<Context.Tag.Service<ModelAnswerStore.ModelAnswerStore>> = {}
  ) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(NOON)
      let calls = 0
      const kept = Context.get(yield* Layer.build(ModelAnswerStore.layerMemory), ModelAnswerStore.ModelAnswerStore)
      const { generate } = yield* LanguageModelAnswers.make(
        saying(() => Effect.sync(() => ({ ...reply, text: `Answer ${++calls}.` })))
      ).pipe(
        Effect.provideService(ModelTerms.ModelTerms, { ...ModelTerms.free, ...terms }),
        Effect.provideService(ModelAnswerStore.ModelAnswerStore, { ...kept, ...store })
      )
      return (asked: ModelPrompt) => Effect.map(generate(asked), ({ text, tokensIn }) => [text, tokensIn])
    })

  it.scoped("asks once for the same thing within a namespace, for thirty days", () =>
    Effect.gen(function*() {
      const ask = yield* keeping({ keepAnswers: true })
      assert.deepStrictEqual(yield* ask(prompt), ["Answer 1.", 60])
      // Neither who waits nor what for is part of it.
      assert.deepStrictEqual(yield* ask({ ...prompt, purpose: "digest", patience: "worker" }), ["Answer 1.", 0])
      const form = { name: "f", schema: { type: "object" } }
      const different: ReadonlyArray<ModelPrompt> = [
        other,
        { ...prompt, scope: { org: "globex", namespace: "eng" } },
        { ...prompt, system: "other rules" },
        { ...prompt, user: "another" },
        { ...prompt, maxTokens: 51 },
        { ...prompt, form },
        { ...prompt, form: { ...form, schema: { type: "object", required: [] } } },
        { ...prompt, correction: { said: "a", why: "b" } }
      ]
      for (const [at, one] of different.entries()) assert.deepStrictEqual(yield* ask(one), [`Answer ${at + 2}.`, 60])
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(yield* ask(prompt), ["Answer 1.", 0])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* ask(prompt), ["Answer 10.", 60])
    }))

  it.scoped("keeps nothing unless it is told to", () =>
    Effect.gen(function*() {
      const ask = yield* keeping({})
      yield* ask(prompt)
      assert.deepStrictEqual(yield* ask(prompt), ["Answer 2.", 60])
    }))

  it.scoped("asks the model where the store is away", () =>
    Effect.gen(function*() {
      const away = () => Effect.fail(new Unavailable({ operation: "store" }))
      const ask = yield* keeping({ keepAnswers: true }, { find: away, keep: away })
      assert.deepStrictEqual(yield* ask(prompt), ["Answer 1.", 60])
      assert.deepStrictEqual(yield* ask(prompt), ["Answer 2.", 60])
    }))
})
