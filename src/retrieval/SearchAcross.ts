/**
 * A search of several namespaces, page by page. Each namespace is searched by itself, with its own corpus, so nothing in
 * one moves a score in another; `SearchMerge` makes one list of them. The first page fixes which memories are listed and
 * in which order; a later one shows the next of these that may still be found, whatever was written since.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "../kernel/Identity.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import type { Verdict } from "./Gate.ts"
import { GatePolicy } from "./GatePolicy.ts"
import type { SearchHit, SearchRequest, SearchResult } from "./Search.ts"
import { behind, merge, split } from "./SearchMerge.ts"
import type { Drawn } from "./SearchMerge.ts"
import * as Suppressed from "./Suppressed.ts"

/**
 * How many memories the first page lists behind its own: what a caller pages through to find one, not to read a
 * namespace (memory.list does that). A cursor of so many ids is 9 KB long.
 */
export const MOST_LISTED = 300

/** Half of the searches that run at once, so that one over many namespaces leaves turns to others. */
const NAMESPACES_AT_ONCE = 2

/** Where a list goes on. */
export interface Page {
  /** The memories behind those shown, by the place of their namespace and their id. */
  readonly listed: ReadonlyArray<Drawn<string>>
  /** How many were shown before. */
  readonly offset: number
  /** The highest relevance on the first page, 0 to 1: a later page does not make the answer less sure. */
  readonly confidence: number
  /** How many hits of each leg the first page compared. */
  readonly depth: number
}

export interface AcrossRequest extends Omit<SearchRequest, "scope" | "listed" | "depth"> {
  readonly scopes: ReadonlyArray<Scope>
  /** Null for the first page. */
  readonly page: Page | null
}

/** What one namespace answered. */
export interface Found<Result> {
  readonly scope: Scope
  /** Whether it is what memories said before. */
  readonly isEarlier: boolean
  readonly result: Result
}

export interface AcrossResult<Result> {
  readonly hits: ReadonlyArray<{ readonly scope: Scope; readonly hit: SearchHit }>
  readonly found: ReadonlyArray<Found<Result>>
  /** Namespaces whose search failed; the others answer. */
  readonly failed: ReadonlyArray<Scope>
  readonly verdict: Verdict
  /** Null when it was not counted in one of them. */
  readonly suppressed: Suppressed.Counts | null
  readonly candidates: number
  readonly degraded: ReadonlyArray<string>
  readonly embedderId: string | null
  /** How many memories are not indexed yet, of all namespaces; null when it was not counted in one of them. */
  readonly pendingIndex: number | null
  readonly offset: number
  /** Null when this was the last page. */
  readonly next: Page | null
}

/** Searches one namespace. */
type Run<Result> = (request: SearchRequest) => Effect.Effect<Result, StoreError | Overloaded>

type Tried<Result> = Found<Result> | { readonly scope: Scope; readonly error: StoreError }

/** Searches every scope of the request with `run`. Fails when none answers; a later page needs all that are listed. */
export const make = Effect.map(
  GatePolicy,
  (gate) =>
    Effect.fn("SearchAcross.find")(function*<Result extends SearchResult>(request: AcrossRequest, run: Run<Result>) {
      const { page, scopes, ...asked } = request
      const listed = page === null ? null : split(page.listed, scopes.length)
      const before = page === null ? earlier(asked) : []
      const wanted = scopes.flatMap((scope, at): ReadonlyArray<SearchRequest> => {
        const ids = listed?.[at] ?? []
        if (page === null) return [{ ...asked, scope }, ...before.map((one) => ({ ...one, scope }))]
        return ids.length === 0 ? [] : [{ ...asked, scope, listed: ids, depth: page.depth }]
      })
      const tried = yield* Effect.forEach(wanted, (one) => attempt(one, run), { concurrency: NAMESPACES_AT_ONCE })
      const failures = tried.flatMap((one) => "error" in one ? [one] : [])
      const answered = tried.flatMap((one) => "error" in one ? [] : [one])
      const found = answered.filter(({ isEarlier }) => !isEarlier)
      const [failure] = failures
      if (failure !== undefined && (found.length === 0 || page !== null)) return yield* failure.error

      const placed = answered.map((one) => ({ ...one, at: scopes.indexOf(one.scope) }))
      const { hits, rest } = page === null
        ? firstOf(placed, request.limit)
        : nextOf(placed, request.limit, page)
      const degraded = [
        ...new Set(answered.flatMap(({ result }) => result.degraded)),
        ...failures.length === 0 ? [] : ["namespace_unavailable"]
      ]
      const relevances = [...hits.map(({ hit }) => hit.relevance), ...page === null ? [] : [page.confidence]]
      const verdict = gate.judge(relevances, degraded)
      const offset = page?.offset ?? 0
      return {
        hits,
        found,
        failed: scopes.filter((scope) => failures.some((one) => one.scope === scope)),
        verdict,
        suppressed: total(found.map(({ result }) => result.suppressed)),
        candidates: answered.reduce((sum, { result }) => sum + result.candidates, 0),
        degraded,
        embedderId: found.find(({ result }) => result.embedderId !== null)?.result.embedderId ?? null,
        pendingIndex: found.reduce<number | null>(
          (sum, { result: { pendingIndex } }) => sum === null || pendingIndex === null ? null : sum + pendingIndex,
          0
        ),
        offset,
        next: rest.length === 0 ? null : {
          listed: rest,
          offset: offset + hits.length,
          confidence: verdict.confidence,
          depth: page?.depth ?? found.reduce((depth, { result }) => Math.max(depth, result.depth), 0)
        }
      } satisfies AcrossResult<Result>
    })
)

/** By the meaning and the words of the values; a memory's entities are those of what it says now. */
const LEGS_OF_EARLIER = ["vector", "lexical", "chunks"] as const

/**
 * Whoever asks for what was superseded is also shown what a key said before: each such value is a hit of its own, on the
 * first page, which is as far as they are of use. Without those legs there is no such search.
 */
const earlier = (
  { filter, legs, ...asked }: Omit<SearchRequest, "scope">
): ReadonlyArray<Omit<SearchRequest, "scope">> => {
  const use = LEGS_OF_EARLIER.filter((leg) => legs.length === 0 || legs.includes(leg))
  return use.length === 0 || filter.asOf !== undefined || !filter.statuses.includes("superseded")
    ? []
    : [{ ...asked, legs: use, filter: { ...filter, earlier: true } }]
}

const attempt = <Result>(request: SearchRequest, run: Run<Result>): Effect.Effect<Tried<Result>, Overloaded> => {
  const { filter, scope } = request
  const isEarlier = filter.earlier === true
  const lost = (error: StoreError) =>
    Effect.as(
      Effect.logWarning("The search of a namespace failed").pipe(Effect.annotateLogs({ reason: error.message })),
      { scope, error }
    )
  return Effect.map(run(request), (result) => ({ scope, isEarlier, result })).pipe(
    Effect.catchTags({ Unavailable: lost, Corrupt: lost })
  )
}

interface Placed {
  readonly at: number
  readonly scope: Scope
  readonly isEarlier: boolean
  readonly result: SearchResult
}

interface Listed {
  readonly memory_id: string
  readonly score: number
  /** Undefined for what may only be listed. */
  readonly hit: SearchHit | undefined
}

/**
 * The first page and what is listed behind it. Every namespace answers with as many hits as the page may have of it. What
 * was replaced stands behind what replaced it, whatever the scores: whoever reads the first of them reads what holds.
 */
const firstOf = (placed: ReadonlyArray<Placed>, limit: number) => {
  const lists = placed.map(({ isEarlier, result: { hits, rest } }) => [
    ...hits.map((hit): Listed => ({ memory_id: hit.candidate.head.memory_id, score: hit.score, hit })),
    ...isEarlier ? [] : rest.map((standing): Listed => ({ ...standing, hit: undefined }))
  ])
  const nameOf = ({ at, one }: Drawn<Listed>) => `${placed[at]?.at ?? 0} ${one.memory_id}`
  const order = behind(
    merge(lists, limit + MOST_LISTED),
    (drawn) => placed[drawn.at]?.isEarlier === true ? undefined : nameOf(drawn),
    ({ at, one: { hit } }) => {
      const by = hit?.candidate.head.status === "superseded" ? hit.candidate.head.superseded_by : ""
      return by === "" ? undefined : `${placed[at]?.at ?? 0} ${by}`
    }
  )
  return {
    hits: order.slice(0, limit).flatMap(({ at, one: { hit } }) => {
      const scope = placed[at]?.scope
      return hit === undefined || scope === undefined ? [] : [{ scope, hit }]
    }),
    rest: order.slice(limit).flatMap(({ at, one }) => {
      const list = placed[at]
      return list === undefined || list.isEarlier ? [] : [{ at: list.at, one: one.memory_id }]
    })
  }
}

/** The next page of a list: the first of it that were found, and what is listed behind the last of these. */
const nextOf = (placed: ReadonlyArray<Placed>, limit: number, { listed }: Page) => {
  const known = new Map(placed.map(({ at, result, scope }) => [at, {
    scope,
    hits: new Map(result.hits.map((hit) => [hit.candidate.head.memory_id, hit]))
  }]))
  const shown = listed.flatMap(({ at, one }, position) => {
    const space = known.get(at)
    const hit = space?.hits.get(one)
    return space === undefined || hit === undefined ? [] : [{ scope: space.scope, hit, position }]
  }).slice(0, limit)
  const last = shown.length < limit ? undefined : shown.at(-1)
  return {
    hits: shown.map(({ hit, scope }) => ({ scope, hit })),
    rest: last === undefined ? [] : listed.slice(last.position + 1)
  }
}

const total = (counts: ReadonlyArray<Suppressed.Counts | null>): Suppressed.Counts | null =>
  counts.reduce<Suppressed.Counts | null>(
    (sum, one) => sum === null || one === null ? null : Suppressed.plus(sum, one),
    Suppressed.none
  )
