/**
 * The handlers of `conversation.search` and `memory.recall`. A caller bound to one user who asks for another gets the empty
 * answer of a question without matches.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { naiveTimes, turnFilterOf, turnView } from "../conversation/ConversationFields.ts"
import { placeOf, TurnStore } from "../conversation/TurnStore.ts"
import type { TurnWords } from "../conversation/TurnStore.ts"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { refuse } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { stems } from "../platform/Analyzer.ts"
import { Cursors } from "../platform/Cursors.ts"
import type { Embedder } from "../platform/Embedder.ts"
import type { AbstainCode } from "./Gate.ts"
import { GatePolicy } from "./GatePolicy.ts"
import { isAsking } from "./SearchRequests.ts"
import { termGroups } from "./SearchTerms.ts"
import * as TurnSearch from "./TurnSearch.ts"
import type { TurnHit } from "./TurnSearch.ts"
import { ConversationSearch, MemoryRecall } from "./TurnVerbs.ts"

const DEFAULT_TOP_K = 10
const DEFAULT_RECALL = 20
// Ten sentences, as of memories.
const DEFAULT_EXCERPT = 1_000

const Place = Schema.Tuple(Schema.String, Schema.Number, Schema.BigInt, Schema.String)

type Needs = TurnStore | Embedder | GatePolicy | Cursors

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const store = yield* TurnStore
  const gate = yield* GatePolicy
  const cursors = yield* Cursors
  const find = yield* TurnSearch.make

  const search = (request: Payload<typeof ConversationSearch>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      yield* isAsking(request)
      const { none, user } = readableUser(caller, request.user_id)
      const filter = turnFilterOf(request, user)
      const found = none ? nothing : yield* find({
        scope,
        filter: { ...filter, session_ids: [...filter.session_ids, ...request.session_ids ?? []] },
        text: request.query,
        limit: request.top_k ?? DEFAULT_TOP_K,
        excerptLength: request.max_excerpt_chars ?? DEFAULT_EXCERPT,
        isEnough: gate.isEnough
      })
      const code: AbstainCode | null = found.hits.length > 0
        ? null
        : found.candidates === 0
        ? "NO_MATCH"
        : "BELOW_THRESHOLD"
      return {
        results: found.hits.map(hitView),
        abstain: code !== null,
        abstain_code: code,
        abstain_reason: code === null
          ? null
          : code === "NO_MATCH"
          ? "No turn that may be found matches the question."
          : `The most relevant turn has a relevance of ${
            found.confidence.toFixed(3)
          }, below what an answer needs (LOOM_SEARCH_GATE).`,
        retrieval_confidence: found.confidence,
        candidates_total: found.candidates,
        ...naiveTimes(request),
        degraded: found.degraded
      }
    })

  const recall = (request: Payload<typeof MemoryRecall>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { cursor, max_chars, query, session_id, thread, top_k = DEFAULT_RECALL, ...rest } = request
      if (thread !== undefined && session_id !== undefined && thread !== session_id) {
        return yield* refuse("INVALID_ARGUMENT", "`thread` and `session_id` name two sessions", { field: "thread" })
      }
      if (query !== undefined) yield* isAsking({ query })
      const order = request.order ?? (query === undefined ? "time" as const : "relevance" as const)
      if (query === undefined && (order === "relevance" || request.match !== undefined)) {
        return yield* refuse("INVALID_ARGUMENT", "`query` is needed for a match or an order by relevance", {
          field: "query"
        })
      }
      if (cursor !== undefined && order === "relevance") {
        return yield* refuse("INVALID_ARGUMENT", "`cursor` goes on in an order by time", { field: "cursor" })
      }
      const { none, user } = readableUser(caller, request.user_id)
      const said = { order, ...naiveTimes(request) }
      if (none) return { turns: [], total: 0, next_cursor: null, ...said, degraded: [] }
      const options = { reveal: false, maxChars: max_chars ?? null }
      const filter = {
        ...turnFilterOf({ ...request, session_id: session_id ?? thread }, user),
        // By relevance the words choose only where they are asked to: what is close in meaning is found too.
        words: query === undefined || (order === "relevance" && request.match === undefined)
          ? null
          : wordsOf(query, request.match ?? "any")
      }

      if (order === "relevance") {
        const { degraded, hits } = yield* find({
          scope,
          filter,
          text: query ?? "",
          limit: top_k,
          excerptLength: DEFAULT_EXCERPT,
          isEnough: request.match === undefined ? gate.isEnough : () => true
        })
        const turns = hits.map(({ relevance, turn }) => ({ ...turnView(turn, options), relevance }))
        return { turns, total: turns.length, next_cursor: null, ...said, degraded }
      }

      const listing = {
        verb: MemoryRecall.tag,
        caller,
        filter: { ...rest, ...scope, session_id: session_id ?? thread, query, order, user }
      }
      const place = cursor === undefined ? null : yield* cursors.take(listing, Place, cursor)
      const rows = yield* store.page(scope, filter, {
        by: "time",
        backwards: true,
        after: place === null
          ? null
          : { session_id: place[0], said_at: place[1], position: place[2], turn_id: place[3] },
        limit: top_k + 1
      })
      const page = rows.slice(0, top_k)
      const last = page[page.length - 1]
      const isWhole = place === null && rows.length <= top_k
      const next = last === undefined || rows.length <= top_k ? null : placeOf(last)
      return {
        turns: page.map((turn) => ({ ...turnView(turn, options), relevance: null })),
        total: isWhole ? rows.length : yield* store.count(scope, filter),
        next_cursor: next === null
          ? null
          : yield* cursors.give(listing, [next.session_id, next.said_at, next.position.toString(), next.turn_id]),
        ...said,
        degraded: []
      }
    })

  return [bind(ConversationSearch, search), bind(MemoryRecall, recall)]
})

const nothing: TurnSearch.TurnSearchResult = { hits: [], candidates: 0, confidence: 0, degraded: [] }

const wordsOf = (query: string, match: "any" | "all" | "phrase"): TurnWords =>
  match === "phrase" ? { match, stems: stems(query) } : { match, groups: termGroups(query) }

const hitView = ({ excerpt, found, relevance, score, turn }: TurnHit) => {
  const {
    agent,
    at,
    content_sha256,
    namespace,
    recorded_at,
    role,
    run_id,
    session_id,
    source_resource_id,
    speaker,
    turn_id,
    user_id
  } = turnView(turn, { reveal: false, maxChars: 0 })
  return {
    turn_id,
    namespace,
    agent,
    user_id,
    session_id,
    role,
    speaker,
    content_sha256,
    at,
    recorded_at,
    run_id,
    source_resource_id,
    content_excerpt: excerpt.text,
    content_truncated: excerpt.text.length < turn.content.trim().length,
    excerpt_parts: excerpt.parts,
    score,
    relevance,
    similarity: found.cosine
  }
}
