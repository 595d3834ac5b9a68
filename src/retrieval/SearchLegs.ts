/**
 * Runs the legs of a search side by side, each within its own time. A leg that fails or is late is named in `degraded` and
 * the others answer; only when every leg asked for says nothing and one of them failed has the search no answer.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Embedder } from "../platform/Embedder.ts"
import * as ChunkLeg from "./ChunkLeg.ts"
import type { DigestIndex } from "./DigestIndex.ts"
import * as DigestLeg from "./DigestLeg.ts"
import * as EntityLeg from "./EntityLeg.ts"
import * as LexicalLeg from "./LexicalLeg.ts"
import type { SearchIndex } from "./SearchIndex.ts"
import { type Leg, type LegAnswer, type LegHit, nothing } from "./SearchLeg.ts"
import { placeKey } from "./SearchModel.ts"
import type { HiddenHead, LegName, Question } from "./SearchModel.ts"
import * as VectorLeg from "./VectorLeg.ts"

/** What one leg brought, before anything was made of it. */
export interface LegTrace {
  readonly name: LegName
  /** `late` or `unavailable` when it did not answer. */
  readonly failed: "late" | "unavailable" | null
  /** Best first, each with its score on the leg's own scale. */
  readonly hits: ReadonlyArray<LegHit>
}

export interface LegOutcome {
  readonly name: LegName
  readonly answer: LegAnswer
  readonly failed: LegTrace["failed"]
  /** `<leg>_unavailable` or `<leg>_late`. */
  readonly degraded: string | null
}

export type Budgets = Readonly<Record<LegName, Duration.DurationInput>>

/** Runs the legs of these names, all of them when none is named, in the order of `LEGS`. */
export type RunLegs = (question: Question, names: ReadonlyArray<LegName>) => Effect.Effect<ReadonlyArray<LegOutcome>>

export const make = (budgets: Budgets): Effect.Effect<RunLegs, never, SearchIndex | DigestIndex | Embedder> =>
  Effect.map(
    Effect.all([VectorLeg.make, LexicalLeg.make, ChunkLeg.make, EntityLeg.make, DigestLeg.make]),
    (legs: ReadonlyArray<Leg>): RunLegs => (question, names) =>
      Effect.forEach(
        legs.filter(({ name }) => names.length === 0 || names.includes(name)),
        (leg) => run(leg, budgets[leg.name], question),
        { concurrency: "unbounded" }
      )
  )

const run = (leg: Leg, budget: Duration.DurationInput, question: Question): Effect.Effect<LegOutcome> =>
  leg.find(question).pipe(
    Effect.timeoutOption(budget),
    Effect.map((answer) =>
      Option.match(answer, { onNone: () => failed(leg.name, "late"), onSome: (some) => answered(leg.name, some) })
    ),
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logWarning("A leg of a search failed").pipe(
          Effect.annotateLogs({ leg: leg.name, reason: error.message })
        ),
        failed(leg.name, "unavailable")
      )
    )
  )

const answered = (name: LegName, answer: LegAnswer): LegOutcome => ({ name, answer, failed: null, degraded: null })

const failed = (name: LegName, how: "late" | "unavailable"): LegOutcome => ({
  name,
  answer: nothing,
  failed: how,
  degraded: `${name}_${how}`
})

/** Whether nothing at all was answered and a leg is to blame. */
export const haveFailed = (outcomes: ReadonlyArray<LegOutcome>): boolean =>
  outcomes.some(({ degraded }) => degraded !== null) && outcomes.every(saysNothing)

/**
 * Most questions name no entity and most namespaces have no digests: those legs then ask the store for no row, and their
 * silence is no answer beside failures.
 */
const saysNothing = ({ answer, degraded, name }: LegOutcome): boolean =>
  degraded !== null || ((name === "entities" || name === "digests") && answer === nothing)

/** The hidden memories that legs passed by, each once. */
export const passedBy = (answers: ReadonlyArray<LegAnswer>): ReadonlyArray<HiddenHead> => [
  ...new Map(answers.flatMap(({ passed = [] }) => passed.map((head) => [placeKey(head), head] as const))).values()
]
