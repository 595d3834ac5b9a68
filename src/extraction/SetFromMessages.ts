/**
 * The handler of memory.set_from_messages. The turns are stored first and are never lost; then the transcript is a job, the
 * same one however often it is sent. It is carried out at once where that is quick, under a mark that keeps the queue off it
 * for so long; what is not done by then, or fails, is the queue's. Next: `Extraction`, `workers/ExtractionQueue`.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { TurnIntake } from "../conversation/TurnIntake.ts"
import type { Receipt } from "../conversation/TurnIntake.ts"
import type { Turn, TurnWriter } from "../conversation/TurnModel.ts"
import { resolveScope, resolveUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { faultPoint } from "../kernel/FaultPoint.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { refuse, toWire } from "../kernel/LoomError.ts"
import { parseTime } from "../kernel/Time.ts"
import { bind } from "../kernel/Verb.ts"
import type { Answer, BoundVerb, Payload } from "../kernel/Verb.ts"
import { once } from "../memory/FirstAnswer.ts"
import { MemoryClient } from "../memory/MemoryClient.ts"
import { metaOf } from "../memory/MemoryRequest.ts"
import { isBlank } from "../platform/Analyzer.ts"
import { Extraction } from "./Extraction.ts"
import { isFinished, jobIdOf, versionAfter } from "./ExtractionJobModel.ts"
import type { ExtractionJob } from "./ExtractionJobModel.ts"
import { begun, done, failed, left } from "./ExtractionJobPolicy.ts"
import type { Failure } from "./ExtractionJobPolicy.ts"
import { ExtractionJobStore } from "./ExtractionJobStore.ts"
import { MemorySetFromMessages } from "./ExtractionVerbs.ts"
import { isoOf, outcomeOf } from "./ExtractionViews.ts"

// A third of the patience of the reference client; who waits longer is better told that it takes longer.
const INLINE_LIMIT = "20 seconds"
// The queue leaves it to whoever answers for that long, and some seconds for the word of what became of it.
const INLINE_MARK_MILLIS = 25_000
// A question and its answer, twice: enough for a pronoun to find its name.
const TOLD_BEFORE = 4

type Request = Payload<typeof MemorySetFromMessages>
type Told = Answer<typeof MemorySetFromMessages>

/** How a job came to wait. */
type Deferral = Exclude<Told["deferred_by"], null>

const failureOf = (cause: Cause.Cause<LoomError>): Failure =>
  Option.getOrElse(Cause.failureOption(cause), (): Failure => "DEFECT")

export const make: Effect.Effect<
  ReadonlyArray<BoundVerb>,
  never,
  TurnIntake | ExtractionJobStore | Extraction | MemoryClient
> = Effect.gen(function*() {
  const intake = yield* TurnIntake
  const jobs = yield* ExtractionJobStore
  const extraction = yield* Extraction
  const client = yield* MemoryClient

  /** How many of the turns an earlier job has: the same transcript was sent when it was shorter. */
  const toldBefore = (writer: TurnWriter, ids: ReadonlyArray<string>, known: number) =>
    Effect.gen(function*() {
      const lengths = new Map(
        Array.from({ length: Math.min(known, ids.length - 1) }, (_, at) => [
          jobIdOf(writer, writer, ids.slice(0, at + 1)),
          at + 1
        ])
      )
      const found = yield* jobs.byIds(writer, writer.user_id, [...lengths.keys()])
      return found.filter(({ state }) => state !== "failed" && state !== "dropped")
        .reduce((most, { job_id }) => Math.max(most, lengths.get(job_id) ?? 0), 0)
    })

  /** Carries a job out at once; what it comes to is kept, done or not. */
  const atOnce = (job: ExtractionJob) =>
    Effect.gen(function*() {
      const began = yield* Clock.currentTimeMillis
      const running = begun(job, { now: began, epoch: 0n }, began + INLINE_MARK_MILLIS)
      yield* jobs.put([running])
      yield* faultPoint("extraction.after_enqueue")
      const exit = yield* extraction.run(running, "caller").pipe(Effect.timeoutOption(INLINE_LIMIT), Effect.exit)
      const writing = { now: yield* Clock.currentTimeMillis, epoch: 0n }
      const [next, deferral] = Exit.isFailure(exit)
        ? [failed(running, writing, failureOf(exit.cause)), "failure" as const]
        : Option.isNone(exit.value)
        ? [left(running, writing), "time" as const]
        : [done(running, writing, exit.value.value), null]
      if (Exit.isFailure(exit)) {
        yield* Effect.logWarning("An extraction failed", exit.cause).pipe(Effect.annotateLogs({ code: next.code }))
      }
      // The mark would keep the queue off it, so what cannot be kept now is only late.
      yield* jobs.put([next])
      return [next, deferral] as const
    })

  const jobOf =
    (request: Request, caller: Caller, writer: TurnWriter, observed_at: number | null, now: number) =>
    (turn_ids: ReadonlyArray<string>, told: number): ExtractionJob => ({
      ...writer,
      job_id: jobIdOf(writer, writer, turn_ids),
      run_id: request.run_id ?? "",
      actor: caller.actor,
      bound_user: caller.boundUser,
      user_name: (request.user_name ?? "").trim(),
      extractor: request.extractor ?? "auto",
      max_tokens: request.max_tokens ?? 0,
      turn_ids: turn_ids.slice(Math.max(0, told - TOLD_BEFORE)),
      told: Math.min(told, TOLD_BEFORE),
      observed_at,
      state: "queued",
      code: "",
      tries: 0,
      faults: 0,
      retry_at: null,
      receipts: null,
      created_at: now,
      at: now,
      epoch: 0n,
      version: versionAfter(0n, now)
    })

  const handler = (request: Request, caller: Caller): Effect.Effect<Told, LoomError> =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const user_id = yield* resolveUser(caller, request.user_id)
      const meta = yield* metaOf(MemorySetFromMessages.tag, request, caller, "extracted")
      const attempt = taken(request, caller, {
        ...scope,
        agent: request.agent ?? "",
        user_id,
        session_id: request.session_id ?? ""
      }, meta.idem_hash)
      // What waits is told anew each time; only what is done is a last word.
      return yield* once(client, {
        scope,
        meta,
        verb: MemorySetFromMessages,
        isFinal: ({ deferred }) => !deferred
      }, attempt)
    })

  const taken = (
    request: Request,
    caller: Caller,
    writer: TurnWriter,
    idem_hash: string
  ): Effect.Effect<Told, LoomError> =>
    Effect.gen(function*() {
      const isDry = request.dry_run === true
      const given = {
        writer,
        messages: request.messages,
        actor: caller.actor,
        run_id: request.run_id ?? "",
        are: "transcript",
        idem_hash
      } as const
      const { advisories, receipts } = yield* isDry ? intake.prepare(given) : intake.take(given)
      const turns = receipts.flatMap((receipt): ReadonlyArray<Turn> => "turn" in receipt ? [receipt.turn] : [])
      const [first] = turns
      if (first === undefined) return yield* nothingTaken(receipts)
      yield* faultPoint("extraction.after_turns")

      const date = request.observation_date === undefined ? null : parseTime(request.observation_date)
      const observed = date === null || typeof date === "string" ? null : date.millis
      const now = yield* Clock.currentTimeMillis
      const turnIds = turns.map(({ turn_id }) => turn_id)
      const make = jobOf(request, caller, writer, observed, now)
      const tell = answering(request, receipts, [
        ...advisories,
        ...(date !== null && typeof date !== "string" && date.naive
          ? ["observation_date named no offset and was read as UTC"]
          : [])
      ])
      if (isDry) {
        const job = make(turnIds, 0)
        const { able } = extraction.asks(job)
        if (!able) return tell(job, "no_model", true)
        return tell(done(job, { now, epoch: 0n }, yield* extraction.probe(job, turns, "caller")), null, true)
      }

      const [before] = yield* jobs.byIds(writer, writer.user_id, [jobIdOf(writer, writer, turnIds)])
      if (before !== undefined) return tell(before, isFinished(before) ? null : "queue", false)
      const known = receipts.findIndex(({ outcome }) => outcome !== "known")
      const job = make(turnIds, known <= 0 ? 0 : yield* toldBefore(writer, turnIds, known))
      const { able } = extraction.asks(job)
      if (request.defer === true || !able) {
        yield* jobs.put([job])
        return tell(job, request.defer === true ? "request" : "no_model", false)
      }
      const [next, deferral] = yield* atOnce(job)
      return tell(next, deferral, false)
    })

  const nothingTaken = (receipts: ReadonlyArray<Receipt>): Effect.Effect<never, LoomError> => {
    const [first] = receipts
    return first !== undefined && first.outcome === "refused"
      ? Effect.fail(first.error)
      : Effect.fail(refuse("INVALID_ARGUMENT", "`messages` holds no turn", { field: "messages" }))
  }

  const answering =
    (request: Request, receipts: ReadonlyArray<Receipt>, advisories: ReadonlyArray<string>) =>
    (job: ExtractionJob, deferral: Deferral | null, isDry: boolean): Told => {
      const turns = receipts.flatMap((receipt) => "turn" in receipt ? [receipt.turn] : [])
      const turns_refused = receipts.flatMap((receipt, index) => {
        if (receipt.outcome !== "refused") return []
        const { code, message } = toWire(receipt.error).body.detail
        return [{ index, code, message }]
      })
      const { model } = extraction.asks(job)
      const outcome = outcomeOf(job.receipts)
      const isWaiting = !isFinished(job) && deferral !== null
      return {
        ...outcome,
        ok: job.state === "done" && turns_refused.length === 0 && outcome.refused.length === 0 &&
          outcome.forget_requests.every(({ outcome }) => outcome === "forgotten"),
        turns_stored: isDry ? 0 : receipts.filter(({ outcome }) => outcome === "stored").length,
        turns_known: receipts.filter(({ outcome }) => outcome === "known").length,
        turns_refused,
        evidence_ids: turns.map(({ turn_id }) => turn_id),
        deferred: isWaiting,
        deferred_by: isWaiting ? deferral : null,
        queue_id: isDry ? null : job.job_id,
        state: isDry ? null : job.state,
        retry_at: isoOf(job.retry_at),
        observation_date_source: turns.some(({ at }) => at !== null)
          ? "messages"
          : job.observed_at !== null
          ? "request"
          : "none",
        ignored_args: [
          ...(request.max_tokens !== undefined && !model ? ["max_tokens"] : []),
          ...(request.user_name !== undefined && isBlank(request.user_name) ? ["user_name"] : []),
          ...(request.defer !== undefined && isDry ? ["defer"] : [])
        ],
        pipeline_errors: job.code === "" ? [] : [{ code: job.code }],
        advisories,
        dry_run: isDry,
        degraded: isWaiting ? ["extraction"] : []
      }
    }

  return [bind(MemorySetFromMessages, handler)]
})
