/**
 * The same model within a budget: what each call took is booked for its namespace and day, and a namespace that has taken as
 * many tokens as it may in a day is refused until the next (UTC). Booked after the call, by all processes together and read
 * with a short cache, so the calls that are under way when the budget ends are still made.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse, Unavailable } from "../kernel/LoomError.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelError, ModelPrompt, ModelReply } from "./LanguageModel.ts"
import { estimated, ModelMeter, promptTokens } from "./ModelMeter.ts"
import type { Meter } from "./ModelMeter.ts"
import { costOf, ModelTerms } from "./ModelTerms.ts"
import { added, dayOf, kindKey, ModelUsageStore } from "./ModelUsageStore.ts"
import type { ScopedUsage } from "./ModelUsageStore.ts"

export const make = (
  model: typeof LanguageModel.Service
): Effect.Effect<typeof LanguageModel.Service, never, ModelTerms | ModelUsageStore> =>
  Effect.gen(function*() {
    const { model: name } = model
    if (name === null) return model
    const terms = yield* ModelTerms
    const store = yield* ModelUsageStore
    const known = new Map<string, Known>()
    let owed: ReadonlyArray<ScopedUsage> = []

    const spentOf = (scope: Scope, now: number): Effect.Effect<number, Unavailable> => {
      const key = actorId(scope)
      const day = dayOf(now)
      const found = known.get(key)
      if (found !== undefined && found.day === day && now - found.at < KNOWN_FOR) return Effect.succeed(found.tokens)
      return store.spent(scope, day).pipe(
        Effect.map((booked) => {
          const tokens = booked + owedBy(owed, scope, day)
          if (known.size >= MOST_KNOWN) known.clear()
          known.set(key, { day, tokens, at: now })
          return tokens
        }),
        // Whether anything is left cannot be told.
        Effect.mapError(() => new Unavailable({ operation: "LanguageModel.budget" }))
      )
    }

    const admitted = (scope: Scope, tokensPerDay: number): Effect.Effect<void, Refusal | Unavailable> =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if ((yield* spentOf(scope, now)) < tokensPerDay) return
        return yield* refuse("MODEL_BUDGET_SPENT", "The namespace has taken its language model's tokens of today", {
          tokens_per_day: tokensPerDay,
          retry_after_s: Math.ceil((DAY - now % DAY) / 1000)
        })
      })

    const book = (usage: ScopedUsage): Effect.Effect<void> =>
      Effect.suspend(() => {
        const key = actorId(usage.scope)
        const found = known.get(key)
        if (found?.day === usage.day) {
          known.set(key, { ...found, tokens: found.tokens + usage.tokensIn + usage.tokensOut })
        }
        const due = added([...owed, usage], (one) => `${actorId(one.scope)}\u0000${kindKey(one)}`)
        owed = []
        return store.add(due).pipe(
          Effect.timeoutFail({
            duration: BOOKING_PATIENCE,
            onTimeout: () => new Unavailable({ operation: "LanguageModel.book" })
          }),
          Effect.catchAll(() =>
            Effect.zipRight(
              Effect.sync(() => {
                owed = [...owed, ...due].slice(-MOST_OWED)
              }),
              Effect.logWarning("What the language model took is booked with the next call")
            )
          )
        )
      })

    const generate = (prompt: ModelPrompt): Effect.Effect<ModelReply, ModelError> =>
      Effect.suspend(() => {
        const meter: Meter = { unanswered: 0 }
        return model.generate(prompt).pipe(
          Effect.provideService(ModelMeter, meter),
          Effect.onExit((exit) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => {
              const tokens = tokensOf(prompt, exit, meter)
              return book({
                scope: prompt.scope,
                day: dayOf(now),
                purpose: prompt.purpose,
                model: name,
                calls: 1,
                failed: Exit.isSuccess(exit) ? 0 : 1,
                ...tokens,
                cost: costOf(terms, tokens) ?? 0
              })
            })
          )
        )
      })

    const { tokensPerDay } = terms
    return {
      model: name,
      generate: tokensPerDay === null
        ? generate
        : (prompt) => Effect.zipRight(admitted(prompt.scope, tokensPerDay), generate(prompt))
    }
  })

export const layer: Layer.Layer<LanguageModel, never, LanguageModel | ModelTerms | ModelUsageStore> = Layer.effect(
  LanguageModel,
  Effect.flatMap(LanguageModel, make)
)

interface Known {
  readonly day: string
  readonly tokens: number
  /** When it was read. */
  readonly at: number
}

/** What was taken, as its server counted it, else estimated. */
const tokensOf = (prompt: ModelPrompt, exit: Exit.Exit<ModelReply, ModelError>, { unanswered }: Meter) =>
  Exit.match(exit, {
    onFailure: () => ({ tokensIn: unanswered, tokensOut: 0 }),
    onSuccess: ({ text, tokensIn, tokensOut }) => ({
      tokensIn: (tokensIn ?? promptTokens(prompt)) + unanswered,
      tokensOut: tokensOut ?? estimated(text)
    })
  })

const owedBy = (owed: ReadonlyArray<ScopedUsage>, { namespace, org }: Scope, day: string): number =>
  owed.filter(({ day: on, scope }) => on === day && scope.org === org && scope.namespace === namespace)
    .reduce((sum, { tokensIn, tokensOut }) => sum + tokensIn + tokensOut, 0)

const DAY = 86_400_000

// What other processes took meanwhile is seen after so many milliseconds: about as long as a call takes.
const KNOWN_FOR = 5_000

// A hundred bytes each; who has more namespaces than that at work reads some of them more often.
const MOST_KNOWN = 10_000

// A caller waits for the booking; a store that takes longer is given it with the next.
const BOOKING_PATIENCE = "2 seconds"

// Kinds, added up: beyond as many the oldest go unbooked, which takes a store that is away and a thousand namespaces at work.
const MOST_OWED = 5_000
