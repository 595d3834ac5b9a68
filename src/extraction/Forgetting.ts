/**
 * Carries out what a transcript asks to forget: the user's own memories that are certainly meant (`Forget`) are deleted
 * through the actor, as he would do it himself. Nobody but the user asks: what a program, an assistant or a system text says
 * of forgetting is text. Whatever is not found for certain is left, and reported.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Turn } from "../conversation/TurnModel.ts"
import { faultPoint } from "../kernel/FaultPoint.ts"
import { ANONYMOUS } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { MemoryClient } from "../memory/MemoryClient.ts"
import { SERVED_STATUSES } from "../memory/MemoryModel.ts"
import type { MemoryRow } from "../memory/MemoryModel.ts"
import { everyRow, MemoryReader } from "../memory/MemoryReader.ts"
import { idTarget } from "../memory/MemoryRequest.ts"
import type { CitedFact } from "./ExtractionItems.ts"
import type { ExtractionJob, ForgetReceipt } from "./ExtractionJobModel.ts"
import { metaOf, writeIdOf } from "./ExtractionStamps.ts"
import type { ForgetRequest } from "./FactModel.ts"
import { meant } from "./Forget.ts"
import { mintKey } from "./KeyMint.ts"

const PAGE = 500
// Of a user with more memories than these not all are looked at, and nothing is certain.
const MOST_ROWS = 10_000

export const make = Effect.gen(function*() {
  const reader = yield* MemoryReader
  const client = yield* MemoryClient

  /** The user's own served memories, and those that this job has taken out; null when there are too many to look at. */
  const rowsOf = (job: ExtractionJob, now: number): Effect.Effect<ReadonlyArray<MemoryRow> | null, LoomError> =>
    Effect.gen(function*() {
      const filter = {
        ...everyRow(
          {
            agent: null,
            user_id: job.user_id,
            // Nobody knows whether two sessions without a user are one person's.
            session_id: job.user_id === ANONYMOUS ? job.session_id : null
          },
          [...SERVED_STATUSES, "tombstoned"]
        ),
        endedBefore: now
      }
      const found: Array<MemoryRow> = []
      for (;;) {
        const last = found.at(-1)
        const page = yield* reader.list({ org: job.org, namespace: job.namespace }, filter, {
          sort_by: "created_at",
          after: last === undefined ? null : { value: String(last.created_at), memory_id: last.memory_id },
          limit: PAGE,
          offset: 0
        })
        found.push(...page)
        if (page.length < PAGE) break
        if (found.length >= MOST_ROWS) return null
      }
      return found.filter(({ status, write_id }) => status !== "tombstoned" || write_id === writeIdOf(job))
    })

  /** One memory taken out; `undefined` when it was, else the code of what keeps it. */
  const forgotten = (
    job: ExtractionJob,
    row: MemoryRow,
    dry: boolean
  ): Effect.Effect<string | undefined, LoomError> => {
    if (row.status === "tombstoned") return Effect.succeed(undefined)
    // A person asked for it to stand; a transcript does not undo that.
    if (row.pinned) return Effect.succeed("PINNED_CONFLICT")
    return client.delete({ org: job.org, namespace: job.namespace }, {
      _tag: "memory.delete",
      meta: metaOf(job, `forget ${row.memory_id}`, dry),
      target: idTarget(row),
      reason: "asked for in the conversation",
      if_match_sha256: row.content_sha256
    }).pipe(
      Effect.as(undefined),
      Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
    )
  }

  const carryOut = (
    job: ExtractionJob,
    turns: ReadonlyArray<Turn>,
    forgets: ReadonlyArray<ForgetRequest>,
    cited: ReadonlyArray<CitedFact>,
    dry: boolean
  ): Effect.Effect<ReadonlyArray<ForgetReceipt>, LoomError> =>
    Effect.gen(function*() {
      const order = new Map(turns.map(({ turn_id }, index) => [turn_id, index]))
      const receipts: Array<ForgetReceipt> = []
      for (const { turn_id, what } of forgets) {
        const turn = turns.find((one) => one.turn_id === turn_id)
        const isUser = turn?.role === "user" &&
          (turn.speaker === "" || turn.speaker === job.user_name || job.user_name === "")
        if (turn === undefined || !isUser) {
          receipts.push({ turn_id, outcome: "refused", keys: [], code: "NOT_THE_USER" })
          continue
        }
        const now = yield* Clock.currentTimeMillis
        const rows = yield* rowsOf(job, now)
        if (rows === null) {
          receipts.push({ turn_id, outcome: "unclear", keys: [], code: null })
          continue
        }
        // What the user went on to say is not what he wants forgotten.
        const saidLater = new Set(
          cited.filter(({ turns: [first] }) => (order.get(first?.turn_id ?? "") ?? 0) > (order.get(turn_id) ?? 0))
            .map(({ fact }) => mintKey(fact, job.user_name))
        )
        const found = meant(
          { what, at: turn.at ?? job.observed_at, user: job.user_name },
          rows.filter(({ memory_key }) => !saidLater.has(memory_key))
        )
        if (found._tag !== "certain") {
          receipts.push({ turn_id, outcome: found._tag === "none" ? "not_found" : "unclear", keys: [], code: null })
          continue
        }
        const keys = new Set<string>()
        let kept: string | undefined
        for (const row of found.rows) {
          const code = yield* forgotten(job, row, dry)
          yield* faultPoint("extraction.after_delete")
          if (code === undefined) keys.add(row.memory_key)
          else kept = code
        }
        receipts.push({
          turn_id,
          outcome: keys.size > 0 ? "forgotten" : "refused",
          keys: [...keys],
          code: kept ?? null
        })
      }
      return receipts
    })

  return { carryOut }
})
