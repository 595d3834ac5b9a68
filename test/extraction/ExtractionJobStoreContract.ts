/** What every queue of extractions keeps, whatever it stands on. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { signOf } from "../../src/extraction/ExtractionJobModel.ts"
import type { ExtractionJob } from "../../src/extraction/ExtractionJobModel.ts"
import { ExtractionJobStore } from "../../src/extraction/ExtractionJobStore.ts"
import { sha256 } from "../../src/kernel/Json.ts"

let spaces = 0
const fresh = () => ({ org: "acme", namespace: `o'ps \\ ${++spaces} 😀` })

const noon = Date.UTC(2026, 10, 30, 12)

let count = 0
const jobIn = (scope: { readonly org: string; readonly namespace: string }, changed: Partial<ExtractionJob> = {}) => {
  const place = ++count
  const job: ExtractionJob = {
    ...scope,
    agent: "a",
    user_id: "ada",
    session_id: "s'1",
    job_id: `ext_${sha256(String(place)).slice(0, 32)}`,
    run_id: "r",
    actor: "human:ada",
    bound_user: null,
    user_name: "Ada \"L\"",
    extractor: "auto",
    max_tokens: 300,
    turn_ids: ["turn_1", "turn_2"],
    told: 1,
    observed_at: null,
    state: "queued",
    code: "",
    tries: 0,
    faults: 0,
    retry_at: null,
    receipts: null,
    created_at: noon + place,
    at: noon,
    epoch: 0n,
    version: BigInt(noon) * 1_000_000n + BigInt(place),
    ...changed
  }
  return job
}

const receipts: NonNullable<ExtractionJob["receipts"]> = {
  written: [{
    memory_key: "user/résidence",
    memory_id: "mem_1",
    outcome: "stored",
    conflict_verdict: "clear",
    merged_into_key: null,
    content_sha256: "ab",
    about_other: true,
    turn_ids: ["turn_2"]
  }],
  refused: [{ memory_key: null, code: "NOT_SAID", reason: "It's not said.", turn_ids: [] }],
  forgets: [{ turn_id: "turn_1", outcome: "not_found", keys: [], code: null }],
  extractor: "rules",
  segments: 1,
  tokens_in: 5,
  tokens_out: 7
}

const anyJob = { user_id: null, session_id: null, states: [] }

export const suite = <E>(name: string, store: Layer.Layer<ExtractionJobStore, E>) =>
  layer(store, { timeout: 60_000 })(`ExtractionJobStore: ${name}`, (it) => {
    it.effect("gives back every field, and the last version of a job whatever comes late", () =>
      Effect.gen(function*() {
        const { byIds, put } = yield* ExtractionJobStore
        const scope = fresh()
        const job = jobIn(scope, { bound_user: "ada", observed_at: noon - 1, retry_at: noon + 1, epoch: 2n ** 63n })
        yield* put([job])
        assert.deepStrictEqual(yield* byIds(scope, null, [job.job_id, "ext_other"]), [job])
        const later: ExtractionJob = { ...job, state: "done", receipts, retry_at: null, version: job.version + 5n }
        yield* put([later, { ...job, version: job.version + 3n }])
        yield* put([{ ...job, state: "waiting", version: job.version + 4n }])
        assert.deepStrictEqual(yield* byIds(scope, "ada", [job.job_id]), [later])
        assert.deepStrictEqual(yield* byIds(scope, null, []), [])
      }))

    it.effect("shows a user no other user's jobs, and a namespace no other's", () =>
      Effect.gen(function*() {
        const { byIds, counts, page, put, standing } = yield* ExtractionJobStore
        const [scope, foreign] = [fresh(), fresh()]
        const [mine, bobs] = [jobIn(scope), jobIn(scope, { user_id: "bob" })]
        const other = { ...jobIn(foreign), job_id: mine.job_id }
        yield* put([mine, bobs, other])
        const ids = [mine.job_id, bobs.job_id]
        assert.deepStrictEqual(yield* byIds(scope, "bob", ids), [bobs])
        assert.deepStrictEqual(yield* byIds(foreign, null, ids), [other])
        const asked = [[foreign, mine], [scope, bobs], [foreign, bobs], [scope, mine]] as const
        assert.deepStrictEqual(
          yield* standing(asked.map(([scope, { job_id }]) => ({ scope, job_id }))),
          [Option.some(other), Option.some(bobs), Option.none(), Option.some(mine)]
        )
        assert.deepStrictEqual(yield* standing([]), [])
        assert.deepStrictEqual(yield* page(scope, { ...anyJob, user_id: "ada" }, null, 9), [mine])
        assert.deepStrictEqual(yield* counts(scope, "ada"), [{ state: "queued", jobs: 1, oldest_at: mine.created_at }])
        assert.deepStrictEqual(yield* counts(scope, null), [{ state: "queued", jobs: 2, oldest_at: mine.created_at }])
      }))

    it.effect("pages through a filter, oldest first, each job once", () =>
      Effect.gen(function*() {
        const { page, put } = yield* ExtractionJobStore
        const scope = fresh()
        // Two of the same millisecond among them.
        const jobs = [0, 1, 1, 2, 3].map((after) => jobIn(scope, { created_at: noon + after }))
        const failed = jobIn(scope, { state: "failed", session_id: "s2", created_at: noon + 9 })
        yield* put([...jobs, failed])
        const seen: Array<ExtractionJob> = []
        for (;;) {
          const last = seen.at(-1)
          const next = yield* page(scope, { ...anyJob, states: ["queued", "running"] }, last ?? null, 2)
          if (next.length === 0) break
          seen.push(...next)
        }
        assert.deepStrictEqual(seen.map(({ created_at }) => created_at - noon), [0, 1, 1, 2, 3])
        assert.deepStrictEqual(new Set(seen.map(({ job_id }) => job_id)), new Set(jobs.map(({ job_id }) => job_id)))
        assert.deepStrictEqual(yield* page(scope, { ...anyJob, session_id: "s2" }, null, 9), [failed])
      }))

    it.effect("tells the owner of the queue what was written since, and at first what is not finished", () =>
      Effect.gen(function*() {
        const { put, touched } = yield* ExtractionJobStore
        const scope = fresh()
        const of = (since: bigint) =>
          Effect.map(touched(since, 1_000), (signs) => signs.filter((sign) => sign.scope.namespace === scope.namespace))
        const [open, over] = [jobIn(scope), jobIn(scope, { user_id: "bob" })]
        yield* put([open, over])
        assert.deepStrictEqual(yield* of(0n), [signOf(open), signOf(over)])
        const done: ExtractionJob = { ...over, state: "done", version: over.version + 10n }
        const waiting: ExtractionJob = { ...open, state: "waiting", retry_at: noon + 5, version: open.version + 11n }
        yield* put([done, waiting])
        assert.deepStrictEqual(yield* of(0n), [signOf(waiting)])
        assert.deepStrictEqual(yield* of(over.version), [signOf(waiting), signOf(done)])
        assert.deepStrictEqual(yield* of(done.version), [])
        const queued: ExtractionJob = { ...waiting, state: "queued", retry_at: null, version: waiting.version + 9n }
        yield* put([queued])
        assert.deepStrictEqual(yield* of(0n), [signOf(queued)])
      }))
  })
