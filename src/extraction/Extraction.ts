/**
 * The work of one job: its turns, whoever finds facts in them, and the judge. Each step may be done again: sources are the
 * same whenever they are recorded, each part of the facts is one write under a key of the job's own, and what was to be
 * forgotten is found gone by the write id that took it. So a crash at any point, and another try, change nothing twice; a
 * model that finds other facts at its second try is told what became of the first. Next: `ExtractionJobPolicy`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Turn } from "../conversation/TurnModel.ts"
import { TurnStore } from "../conversation/TurnStore.ts"
import { faultPoint } from "../kernel/FaultPoint.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import * as Together from "../kernel/Together.ts"
import { BeliefSources } from "../memory/BeliefSources.ts"
import type { BeliefSource } from "../memory/BeliefSources.ts"
import { MemoryClient } from "../memory/MemoryClient.ts"
import type { SetItem } from "../memory/MemoryCommand.ts"
import { MemoryIntake } from "../memory/MemoryIntake.ts"
import { MemoryReader } from "../memory/MemoryReader.ts"
import type { Patience } from "../platform/LanguageModel.ts"
import { sourceClassOf, sourcesOf, statementOf } from "./ExtractionItems.ts"
import type { CitedFact } from "./ExtractionItems.ts"
import type { ExtractionJob, FactReceipt, Receipts, RefusalReceipt } from "./ExtractionJobModel.ts"
import { isRefused, receiptOf, refusalOf, refusedBy } from "./ExtractionReceipts.ts"
import type { BulkResult } from "./ExtractionReceipts.ts"
import { metaOf, writeIdOf } from "./ExtractionStamps.ts"
import { asksModel, Extractors } from "./Extractors.ts"
import type { Extracted, Transcript } from "./FactModel.ts"
import * as Forgetting from "./Forgetting.ts"
import { mintKey } from "./KeyMint.ts"

export class Extraction extends Context.Tag("loom/extraction/Extraction")<Extraction, {
  /** Whether a job of this choice asks a language model, and whether there is one. */
  readonly asks: (job: Pick<ExtractionJob, "extractor">) => { readonly model: boolean; readonly able: boolean }
  /** Carries a job out. The same again changes nothing, and gives the same receipts. */
  readonly run: (job: ExtractionJob, patience: Patience) => Effect.Effect<Receipts, LoomError>
  /** What would become of these turns; nothing is written. */
  readonly probe: (
    job: ExtractionJob,
    turns: ReadonlyArray<Turn>,
    patience: Patience
  ) => Effect.Effect<Receipts, LoomError>
}>() {}

// A commit of a hundred rows takes some tens of milliseconds; other writes of the namespace wait for it.
const PART = 100
// Transcripts that share a call; a part of one has up to a few hundred sources.
const SIDE_BY_SIDE = 32
// The embedder batches what comes side by side, and bounds its own queue.
const PREPARED_AT_ONCE = 16

const scopeOf = ({ namespace, org }: ExtractionJob): Scope => ({ org, namespace })

/** A fact ready for the judge. */
interface Ready {
  readonly cited: CitedFact
  readonly item: SetItem
}

/** The facts with the turns they cite, in the order in which they were said; of a fact that cites others nothing is left. */
const citedOf = (
  facts: Extracted["facts"],
  turns: ReadonlyArray<Turn>,
  isTold: (turn: Turn) => boolean
): ReadonlyArray<CitedFact> => {
  const order = new Map(turns.map((turn, index) => [turn.turn_id, index]))
  const first = ({ turns: [turn] }: CitedFact) => order.get(turn?.turn_id ?? "") ?? 0
  return facts
    .map((fact) => ({ fact, turns: turns.filter(({ turn_id }) => fact.turn_ids.includes(turn_id)) }))
    .filter((cited) => !cited.turns.every(isTold))
    .sort((left, right) => first(left) - first(right))
}

const chunked = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

export const layer: Layer.Layer<
  Extraction,
  never,
  TurnStore | Extractors | MemoryIntake | MemoryClient | MemoryReader | BeliefSources
> = Layer.scoped(
  Extraction,
  Effect.gen(function*() {
    const store = yield* TurnStore
    const extractors = yield* Extractors
    const intake = yield* MemoryIntake
    const client = yield* MemoryClient
    const reader = yield* MemoryReader
    const beliefs = yield* BeliefSources
    // Of transcripts side by side together: a call of a store costs as much as what else is done for a short one.
    const turnsOf = yield* Together.make(store.ofWriters, SIDE_BY_SIDE)
    const record = yield* Together.makeVoid(
      (sources: ReadonlyArray<ReadonlyArray<BeliefSource>>) => beliefs.record(sources.flat()),
      SIDE_BY_SIDE
    )
    const forgetting = yield* Forgetting.make

    /** A fact made ready; one that cannot be stored by its own fault is answered, and keeps no other back. */
    const ready = (job: ExtractionJob, cited: CitedFact): Effect.Effect<Ready | RefusalReceipt, LoomError> => {
      const memory_key = mintKey(cited.fact, job.user_name)
      const statement = statementOf(cited, job)
      return Effect.gen(function*() {
        const advisories = yield* intake.labels(
          statement.entities === undefined ? {} : { entities: statement.entities },
          undefined
        )
        const content = yield* intake.prepare({
          memory_key,
          value: cited.fact.text,
          memory_type: cited.fact.memory_type,
          sensitivity: undefined
        })
        const item: SetItem = {
          agent: job.agent,
          user_id: job.user_id,
          session_id: job.session_id,
          memory_key,
          run_id: job.run_id,
          content,
          statement,
          source_class: sourceClassOf(cited.turns),
          if_match_sha256: null,
          proposed: false,
          inferred: true,
          advisories
        }
        return { cited, item }
      }).pipe(
        Effect.catchTag("Refusal", (refusal) => Effect.succeed(refusedBy(refusal, memory_key, cited.fact.turn_ids)))
      )
    }

    const identityIn = (job: ExtractionJob, memory_key: string) => ({
      org: job.org,
      namespace: job.namespace,
      agent: job.agent,
      user_id: job.user_id,
      session_id: job.session_id,
      memory_key
    })

    const recorded = (job: ExtractionJob, part: ReadonlyArray<Ready>) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) =>
          record(part.flatMap(({ cited, item }) =>
            sourcesOf(identityIn(job, item.memory_key), item.content.content_sha256, cited.turns, {
              actor: job.actor,
              write_id: writeIdOf(job),
              now
            })
          ))
      )

    /** The turns of a result of an earlier try, which found other facts: those that were recorded for what it wrote. */
    const recordedFor = (job: ExtractionJob, { answer, memory_key }: BulkResult) =>
      memory_key === null
        ? Effect.succeed([])
        : Effect.map(beliefs.of(identityIn(job, memory_key)), (sources) =>
          sources.filter(({ content_sha256, write_id }) =>
            write_id === writeIdOf(job) && (answer === null || content_sha256 === answer.content_sha256)
          ).map(({ source_memory_id }) =>
            source_memory_id
          ))

    /** A memory that says it already rests on these turns as well. */
    const supported = (job: ExtractionJob, merged: ReadonlyArray<readonly [string, CitedFact]>) =>
      Effect.forEach(merged, ([memory_id, { turns }]) =>
        Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          const [row] = yield* reader.byId(scopeOf(job), memory_id, {
            agent: null,
            user_id: job.user_id,
            session_id: null
          })
          if (row === undefined) return
          yield* record(
            sourcesOf(
              {
                org: row.org,
                namespace: row.namespace,
                agent: row.agent,
                user_id: row.user_id,
                session_id: row.session_id,
                memory_key: row.memory_key
              },
              row.content_sha256,
              turns,
              { actor: job.actor, write_id: writeIdOf(job), now }
            )
          )
        }), { discard: true })

    const writePart = (job: ExtractionJob, part: ReadonlyArray<Ready>, index: number, dry: boolean) =>
      Effect.gen(function*() {
        if (!dry) {
          yield* recorded(job, part)
          yield* faultPoint("extraction.after_sources")
        }
        const { results } = yield* client.bulkSet(scopeOf(job), {
          _tag: "memory.bulk_set",
          meta: metaOf(job, `facts ${index}`, dry),
          items: part.map(({ item }) => item)
        })
        yield* faultPoint("extraction.after_write")
        const isOurs = results.length === part.length &&
          results.every(({ memory_key }, at) => memory_key === part[at]?.item.memory_key)
        const written: Array<FactReceipt> = []
        const refused: Array<RefusalReceipt> = []
        const merged: Array<readonly [string, CitedFact]> = []
        for (const [at, result] of results.entries()) {
          const cited = isOurs ? part[at]?.cited : undefined
          const known = {
            turn_ids: cited?.turns.map(({ turn_id }) => turn_id) ?? (yield* recordedFor(job, result)),
            about_other: cited?.fact.about_other ?? false
          }
          if (isRefused(result)) refused.push(refusalOf(result, known))
          else written.push(receiptOf(result, known))
          const into = result.answer?.merged_into_key ?? null
          if (cited !== undefined && into !== null && result.answer !== null) {
            merged.push([result.answer.memory_id, cited])
          }
        }
        if (!dry && merged.length > 0) yield* supported(job, merged)
        return { written, refused }
      })

    const carriedOut = (
      job: ExtractionJob,
      turns: ReadonlyArray<Turn>,
      patience: Patience,
      dry: boolean
    ): Effect.Effect<Receipts, LoomError> =>
      Effect.gen(function*() {
        const extractor = extractors.choose({ choice: job.extractor, patience, maxTokens: job.max_tokens })
        if (extractor === undefined) {
          return yield* refuse("LANGUAGE_MODEL_REQUIRED", "The job asks for a language model, and none is configured")
        }
        const transcript: Transcript = {
          scope: scopeOf(job),
          // What is of high sensitivity is sent to nobody, and remembered by nobody.
          turns: turns.filter(({ sensitivity }) => sensitivity !== "high"),
          user: job.user_name,
          observed_at: job.observed_at
        }
        const found = transcript.turns.length === 0 ? none(extractor.name) : yield* extractor.extract(transcript)
        yield* faultPoint("extraction.after_extract")
        const told = new Set(job.turn_ids.slice(0, job.told))
        const cited = citedOf(found.facts, transcript.turns, ({ turn_id }) => told.has(turn_id))
        const asked = found.forgets.filter(({ turn_id }) => !told.has(turn_id))
        const prepared = yield* Effect.forEach(cited, (one) => ready(job, one), { concurrency: PREPARED_AT_ONCE })
        const items = prepared.filter((one) => "item" in one)
        const written: Array<FactReceipt> = []
        const refused: Array<RefusalReceipt> = [
          ...found.refused.filter(({ turn_ids }) => turn_ids.length === 0 || !turn_ids.every((id) => told.has(id))).map(
            ({ code, reason, turn_ids }) => ({ memory_key: null, code, reason, turn_ids })
          ),
          ...prepared.flatMap((one) => "item" in one ? [] : [one])
        ]
        for (const [index, part] of chunked(items, PART).entries()) {
          const outcome = yield* writePart(job, part, index, dry)
          written.push(...outcome.written)
          refused.push(...outcome.refused)
        }
        const forgets = asked.length === 0
          ? []
          : yield* forgetting.carryOut(job, transcript.turns, asked, cited, dry)
        yield* faultPoint("extraction.after_forget")
        return {
          written,
          refused,
          forgets,
          extractor: found.extractor,
          segments: found.segments,
          tokens_in: found.tokens_in,
          tokens_out: found.tokens_out
        }
      })

    return {
      asks: ({ extractor }) => {
        const model = asksModel(extractors, extractor)
        return { model, able: !model || extractors.hasModel }
      },
      run: Effect.fn("Extraction.run")(function*(job, patience) {
        const turns = yield* turnsOf({ writer: job, ids: job.turn_ids })
        return yield* carriedOut(job, turns, patience, false)
      }),
      probe: Effect.fn("Extraction.probe")(function*(job, turns, patience) {
        return yield* carriedOut(job, turns, patience, true)
      })
    }
  })
)

const none = (extractor: string): Extracted => ({
  facts: [],
  forgets: [],
  refused: [],
  extractor,
  tokens_in: 0,
  tokens_out: 0,
  segments: 0
})
