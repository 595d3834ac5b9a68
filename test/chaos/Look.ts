/**
 * Reads over HTTP, when all is quiet, what the checker goes by: heads, histories and lists of every namespace of a run. It
 * asks as long as the cluster takes to be well again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { MemoryGet, MemoryHistory, MemoryList } from "../../src/memory/MemoryVerbs.ts"
import { jsonOf } from "./Answers.ts"
import type { Facts, Head, KeyFacts, Past, Version } from "./Facts.ts"
import type { Journal } from "./Journal.ts"

/** The store did not answer, though it had long enough. */
export class LookFailed extends Schema.TaggedError<LookFailed>()("LookFailed", {
  verb: Schema.String,
  told: Schema.String
}) {
  override get message() {
    return `${this.verb} of the last look: ${this.told}`
  }
}

const TRIES = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(60))

interface Asking<A, I> {
  readonly tag: string
  readonly answer: Schema.Schema<A, I>
}

const ask = <A, I>(url: string, { answer, tag }: Asking<A, I>, body: object): Effect.Effect<A, LookFailed> =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(`${url}/v1/${tag}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000)
      })
      return { status: response.status, text: await response.text() }
    },
    catch: (cause) => new LookFailed({ verb: tag, told: String(cause) })
  }).pipe(
    Effect.filterOrFail(({ status }) => status === 200, ({ text }) => new LookFailed({ verb: tag, told: text })),
    Effect.retry(TRIES),
    Effect.flatMap(({ text }) =>
      Effect.mapError(
        Schema.decodeUnknown(answer)(jsonOf(text)),
        (error) => new LookFailed({ verb: tag, told: error.message })
      )
    )
  )

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

const PAGE = 1_000

const historyOf = (url: string, key: object) =>
  Effect.gen(function*() {
    const versions: Array<Version> = []
    let before: string | null = null
    do {
      const page: typeof MemoryHistory.answer.Type = yield* ask(url, MemoryHistory, {
        ...key,
        limit: PAGE,
        ...(before === null ? {} : { before_version: before })
      })
      versions.push(...page.versions.map((row): Version => ({
        version: row.version_text ?? "",
        value: textOf(row.value),
        sha256: row.content_sha256 ?? "",
        status: row.status ?? "",
        change: row.change,
        write_id: row.write_id,
        memory_id: row.memory_id ?? "",
        reinforcement_count: row.reinforcement_count ?? 0,
        reason: row.cause?.evidence ?? ""
      })))
      before = page.next_before_version
    } while (before !== null)
    return versions.reverse()
  })

const headOf = ({ content_sha256 = "", found, value, version_text = "" }: typeof MemoryGet.answer.Type): Head =>
  found ? { found, version: version_text, sha256: content_sha256, value: textOf(value) } : {
    found,
    version: "",
    sha256: "",
    value: ""
  }

// Enough to meet a voided commit near some of them, few enough to be read in seconds.
const PAST_MOMENTS = 12
const NANOS_PER_MILLI = 1_000_000n

/** Moments between two versions that are more than two milliseconds apart, spread over the history. */
const momentsOf = (versions: ReadonlyArray<Version>, now: number): ReadonlyArray<number> => {
  const all = versions.flatMap(({ version }, index) => {
    const at = Number(BigInt(version) / NANOS_PER_MILLI) + 1
    const next = versions[index + 1]
    const until = next === undefined ? now : Number(BigInt(next.version) / NANOS_PER_MILLI)
    return at < until && at < now ? [at] : []
  })
  const step = Math.max(1, Math.floor(all.length / PAST_MOMENTS))
  return all.filter((_, index) => index % step === 0)
}

const pastOf = (url: string, key: object, versions: ReadonlyArray<Version>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.forEach(momentsOf(versions, now), (at) =>
      Effect.map(
        ask(url, MemoryGet, { ...key, as_of: new Date(at).toISOString(), as_of_basis: "knowledge_time" }),
        ({ content_sha256 = "", found }): Past => ({ at, found, sha256: found ? content_sha256 : "" })
      )))

/** The facts of these keys in each of these namespaces. */
export const look = (
  url: string,
  namespaces: ReadonlyArray<string>,
  keys: ReadonlyArray<string>,
  journal: Journal
): Effect.Effect<Facts, LookFailed> =>
  Effect.gen(function*() {
    const found = yield* Effect.forEach(
      namespaces.flatMap((namespace) => keys.map((memory_key) => ({ namespace, memory_key }))),
      (place) =>
        Effect.gen(function*() {
          const versions = yield* historyOf(url, place)
          const head = headOf(yield* ask(url, MemoryGet, place))
          const past = yield* pastOf(url, place, versions)
          const facts: KeyFacts = { namespace: place.namespace, key: place.memory_key, versions, head, past }
          return facts
        }),
      { concurrency: 4 }
    )
    const lists = yield* Effect.forEach(namespaces, (namespace) =>
      Effect.map(ask(url, MemoryList, { namespace, limit: PAGE }), ({ memories }) => ({
        namespace,
        listed: memories.map(({ content_sha256 = "", memory_key = "" }) => ({
          key: memory_key,
          sha256: content_sha256
        })),
        changes: journal.changes.get(namespace) ?? [],
        chainFaults: journal.chainFaults.get(namespace) ?? []
      })))
    return { keys: found, namespaces: lists }
  })
