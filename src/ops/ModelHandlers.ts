/**
 * The handler of `model.usage`. Who reads a namespace may know what it takes; a token bound to one user is told nothing, since
 * the counts are of every user's material.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { LanguageModel } from "../platform/LanguageModel.ts"
import { ModelTerms } from "../platform/ModelTerms.ts"
import type { Terms } from "../platform/ModelTerms.ts"
import { added, dayOf, ModelUsageStore } from "../platform/ModelUsageStore.ts"
import type { UsageCounts } from "../platform/ModelUsageStore.ts"
import { ModelUsage } from "./ModelVerbs.ts"

const DEFAULT_DAYS = 30
const DAY = 86_400_000

interface Reach {
  readonly org: string
  readonly namespaces: "*" | ReadonlyArray<string>
  /** The one namespace that is told of. */
  readonly namespace: string | null
}

const reachOf = (caller: Caller, request: Payload<typeof ModelUsage>): Effect.Effect<Reach, Refusal> =>
  caller.boundUser !== null
    ? Effect.fail(refuse("FORBIDDEN", "A token bound to one user is not told what a whole namespace takes"))
    : request.namespace === undefined && caller.role === "admin"
    ? Effect.succeed({
      org: caller.org,
      namespaces: caller.namespaces.includes("*") ? "*" : caller.namespaces,
      namespace: null
    })
    : Effect.map(
      resolveScope(caller, request),
      ({ namespace, org }) => ({ org, namespaces: [namespace], namespace })
    )

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, LanguageModel | ModelTerms | ModelUsageStore> = Effect
  .gen(function*() {
    const { model } = yield* LanguageModel
    const terms = yield* ModelTerms
    const store = yield* ModelUsageStore
    return [
      bind(ModelUsage, (request, caller) =>
        Effect.gen(function*() {
          const { namespace, namespaces, org } = yield* reachOf(caller, request)
          const now = yield* Clock.currentTimeMillis
          const first = dayOf(now - ((request.days ?? DEFAULT_DAYS) - 1) * DAY)
          const usage = yield* store.since(org, namespaces, first)
          const [total] = added(usage, () => "")
          const { tokensPerDay } = terms
          const spent = tokensPerDay === null || namespace === null
            ? null
            : yield* store.spent({ org, namespace }, dayOf(now))
          return {
            org,
            namespace,
            model,
            usage: usage.map(({ day, model, purpose, ...counts }) => ({
              day,
              purpose,
              model,
              ...countsView(counts, terms)
            })),
            total: countsView(total ?? nothing, terms),
            tokens_per_day: tokensPerDay,
            tokens_left_today: tokensPerDay === null || spent === null ? null : Math.max(0, tokensPerDay - spent)
          }
        }))
    ]
  })

const nothing: UsageCounts = { calls: 0, failed: 0, tokensIn: 0, tokensOut: 0, cost: 0 }

const countsView = ({ calls, cost, failed, tokensIn, tokensOut }: UsageCounts, { priceIn, priceOut }: Terms) => ({
  calls,
  failed,
  tokens_in: tokensIn,
  tokens_out: tokensOut,
  // A millionth of a unit is what one token is priced in.
  cost: cost === 0 && priceIn === null && priceOut === null ? null : Math.round(cost * 1e6) / 1e6
})
