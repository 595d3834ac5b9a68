/**
 * The handlers of `memory.search` and `memory.search_trace`: who may read what, which page is asked for, and the answer.
 * A caller bound to one user who asks for another gets the empty answer of a question without matches.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readableUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb } from "../kernel/Verb.ts"
import { asOfOf } from "../memory/AsOfFields.ts"
import { Cursors } from "../platform/Cursors.ts"
import { Tokens } from "../platform/Tokens.ts"
import type { GatePolicy } from "./GatePolicy.ts"
import { Search } from "./Search.ts"
import type { SearchRequest, SearchResult } from "./Search.ts"
import * as SearchAcross from "./SearchAcross.ts"
import { pageOf, placeOf, SearchPlace } from "./SearchCursor.ts"
import { filterOf, isAsking, saidOf } from "./SearchRequests.ts"
import type { Request } from "./SearchRequests.ts"
import { scopesOf } from "./SearchScopes.ts"
import { MemorySearch, MemorySearchTrace } from "./SearchVerbs.ts"
import { legView, viewOf, visibleTo } from "./SearchView.ts"
import * as TokenBudget from "./TokenBudget.ts"

const DEFAULT_TOP_K = 10
// Ten sentences. On sessions of conversations the sentence asked for is among them in 86 %, at 600 characters in 77 %.
const DEFAULT_EXCERPT = 1_000

const NOTHING_FOUND = "Nothing matched: ask with other words or fewer filters, or page through memory.list."

type Needs = Search | GatePolicy | Cursors | Tokens

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const search = yield* Search
  const cursors = yield* Cursors
  const tokens = yield* Tokens
  const across = yield* SearchAcross.make

  /** Runs a search as the caller may, and tells what both verbs tell. */
  const asked = <Result extends SearchResult>(
    verb: string,
    request: Request,
    caller: Caller,
    run: (request: SearchRequest) => Effect.Effect<Result, StoreError | Overloaded>
  ) =>
    Effect.gen(function*() {
      const { closed, open } = yield* scopesOf(caller, request)
      yield* isAsking(request)
      if (request.agent !== undefined && request.agent_id !== undefined && request.agent !== request.agent_id) {
        return yield* refuse("INVALID_ARGUMENT", "`agent` and `agent_id` name two agents", { field: "agent_id" })
      }
      const now = yield* Clock.currentTimeMillis
      const asOf = yield* asOfOf(request, now)
      const { none, user } = readableUser(caller, request.user_id)
      // What decides the list; what only decides how much of it is shown, and how, may change from page to page.
      const { cursor, explain, max_excerpt_chars, token_budget, top_k, ...deciding } = request
      const listing = { verb, caller, filter: { ...deciding, open, user } }
      const page = cursor === undefined ? null : pageOf(yield* cursors.take(listing, SearchPlace, cursor))
      const scopes = none ? [] : open
      const found = yield* across({
        scopes,
        page: none ? null : page,
        filter: filterOf(request, user, asOf?.instant, now),
        text: request.query,
        limit: top_k ?? DEFAULT_TOP_K,
        legs: request.legs ?? [],
        tagsSoft: request.tags_soft ?? [],
        tagsDemoted: request.demote_tags ?? [],
        // Who asks for duplicates wants each of them.
        collapse: request.include_duplicates !== true,
        excerptLength: max_excerpt_chars ?? DEFAULT_EXCERPT
      }, run)
      const { shown, tokens_returned } = yield* budgeted(found.hits, token_budget)
      const visible = visibleTo(caller, found.hits.map(({ hit }) => hit))
      const answer = {
        results: found.hits.map(({ hit, scope }, at) =>
          viewOf(scope, hit, {
            explain: explain === true || verb === MemorySearchTrace.tag,
            isElided: shown[at] === false,
            visible
          })
        ),
        abstain: found.verdict.abstain !== null,
        abstain_code: found.verdict.abstain?.code ?? null,
        abstain_reason: found.verdict.abstain?.reason ?? null,
        retrieval_confidence: found.verdict.confidence,
        suppressed: asOf === null ? found.suppressed : null,
        candidates_total: found.candidates,
        bodies_returned: shown.filter((one) => one).length,
        bodies_elided: shown.filter((one) => !one).length,
        tokens_returned,
        namespaces_searched: open.map(({ namespace }) => namespace).filter((name) =>
          found.failed.every(({ namespace }) => namespace !== name)
        ),
        namespaces_skipped: found.failed.map(({ namespace }) => namespace),
        page_offset: found.offset,
        next_page: found.next === null ? null : yield* cursors.give(listing, placeOf(found.next)),
        degraded: found.degraded,
        embedding_model: found.embedderId,
        pending_index: found.pendingIndex,
        ...saidOf(request, asOf, closed === 0 ? [] : [CLOSED(closed)]),
        next: found.hits.length === 0 && page === null ? NOTHING_FOUND : null
      }
      return { answer, found: found.found }
    })

  /** Which excerpts are shown, and their tokens; without a budget all are, and nobody counts. */
  const budgeted = (hits: ReadonlyArray<{ readonly hit: SearchResult["hits"][number] }>, budget: number | undefined) =>
    Effect.gen(function*() {
      if (budget === undefined) return { shown: hits.map(() => true), tokens_returned: null }
      const count = yield* tokens.counter
      const bodies = hits.map(({ hit: { belowThreshold, excerpt, relevance } }): TokenBudget.Body => ({
        value: belowThreshold ? 0 : relevance,
        tokens: count(excerpt, budget)
      }))
      const shown = TokenBudget.pack(bodies, budget)
      return {
        shown,
        tokens_returned: bodies.reduce((sum, { tokens }, at) => sum + (shown[at] === true ? tokens : 0), 0)
      }
    })

  return [
    bind(
      MemorySearch,
      (request, caller) => Effect.map(asked(MemorySearch.tag, request, caller, search.find), ({ answer }) => answer)
    ),
    bind(
      MemorySearchTrace,
      (request, caller) =>
        Effect.map(asked(MemorySearchTrace.tag, request, caller, search.trace), ({ answer, found }) => ({
          ...answer,
          terms: found[0]?.result.terms ?? [],
          legs: found.flatMap(({ result, scope }) => result.legs.map((leg) => legView(scope, leg)))
        }))
    )
  ]
})

const CLOSED = (count: number): string =>
  `${count} of the namespaces named ${count === 1 ? "is" : "are"} not open to this token and not searched`
