/**
 * What a block is made of: sections that are listed and those that are searched are looked up side by side, then every
 * memory is read once, as it is by now. A search that cannot answer leaves the other sections standing and is named.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { IndexLag, withLag } from "../kernel/IndexLag.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import { servedIn } from "../memory/MemoryModel.ts"
import { Search } from "../retrieval/Search.ts"
import type { SearchHit, SearchResult } from "../retrieval/Search.ts"
import { LEGS } from "../retrieval/SearchModel.ts"
import type { LegName, SearchFilter } from "../retrieval/SearchModel.ts"
import { LINE } from "./PackBlock.ts"
import type { FoundMemory, PackMemory, SectionName } from "./PackModel.ts"
import type { Material } from "./PackSections.ts"
import { PackStore } from "./PackStore.ts"
import type { Listed, ListedSection, Place, Served, WriterFilter } from "./PackStore.ts"
import { WorkingMemory } from "./WorkingMemory.ts"
import type { Worker } from "./WorkingMemory.ts"

export interface PackQuestion {
  readonly scope: Scope
  /** The sections that may be filled. */
  readonly sections: ReadonlyArray<SectionName>
  /** Whose memories are read. */
  readonly writer: WriterFilter
  /** Who asks; a user or session that is not told has no profile and no events. */
  readonly worker: Worker
  readonly query: string | null
  readonly situation: string | null
  readonly topK: number
  readonly withPassages: boolean
}

export interface PackFound {
  readonly material: Material
  /** Null when nothing was asked or the search did not answer. */
  readonly verdict: SearchResult["verdict"] | null
  readonly degraded: ReadonlyArray<string>
}

// Hits that other sections take, as decisions, leave as many for the memories.
const SPARE = 20
const MOST_HITS = 100

const nothing: Listed = { places: [], total: 0 }

export const make = Effect.gen(function*() {
  const search = yield* Search
  const store = yield* PackStore
  const working = yield* WorkingMemory
  const lag = yield* IndexLag

  return Effect.fn("Pack.find")(function*(question: PackQuestion) {
    const { scope, worker, writer } = question
    const now = yield* Clock.currentTimeMillis
    const served = { statuses: servedIn(writer.run_id ?? undefined), now }
    const has = (section: SectionName): boolean => question.sections.includes(section)

    const list = (section: ListedSection, of: WriterFilter): Effect.Effect<Listed, StoreError> =>
      has(section) ? store.listed(scope, section, of, served) : Effect.succeed(nothing)

    const find = (
      isWanted: boolean,
      text: string | null,
      memory_type: string | null
    ): Effect.Effect<Outcome, Overloaded> =>
      !isWanted || text === null
        ? Effect.succeed(null)
        : search.find({
          scope,
          filter: filterOf(writer, memory_type, served),
          text,
          limit: Math.min(MOST_HITS, question.topK + SPARE),
          legs: question.withPassages ? [] : withoutPassages,
          collapse: true,
          excerptLength: LINE
        }).pipe(
          Effect.catchTags({ Unavailable: () => unanswered, Corrupt: () => unanswered })
        )

    const asked = question.query ?? question.situation
    // Procedures stand among the memories of a search; one of their own is for a question of their own.
    const ownProcedures = has("procedures") && question.situation !== null && question.situation !== asked
    const looked = yield* Effect.all({
      working: has("working_memory") ? working.read(scope, worker, now) : Effect.succeed([]),
      session: list("session", { ...writer, session_id: worker.session_id, run_id: null }),
      // A profile is its user's, whoever wrote it.
      profile: list("profile", { agent: null, user_id: worker.user_id, session_id: null, run_id: null }),
      decisions: list("decisions", writer),
      memories: find(isSearched(question), asked, null),
      procedures: find(ownProcedures, question.situation, PROCEDURAL),
      reflections: find(has("reflections"), asked, REFLECTION)
    }, { concurrency: "unbounded" })

    const lists = [looked.session, looked.profile, looked.decisions]
    const searches = [looked.memories, looked.procedures, looked.reflections]
    const places = new Map<string, Place>()
    for (const place of lists.flatMap(({ places }) => places)) places.set(identityKey(place), place)
    for (const { candidate } of searches.flatMap(hitsOf)) places.set(identityKey(candidate.head), candidate.head)
    const read = new Map(
      (yield* store.at(scope, [...places.values()], served)).map((memory) => [identityKey(memory), memory])
    )

    const memoriesAt = ({ places }: Listed): ReadonlyArray<PackMemory> =>
      places.flatMap((place) => read.get(identityKey(place)) ?? [])
    const found = (result: Outcome): ReadonlyArray<FoundMemory> =>
      hitsOf(result).flatMap((hit) => {
        const memory = read.get(identityKey(hit.candidate.head))
        return memory === undefined ? [] : [foundOf(hit, memory)]
      })

    const answer: PackFound = {
      material: {
        working: looked.working,
        session: memoriesAt(looked.session),
        profile: memoriesAt(looked.profile),
        decisions: memoriesAt(looked.decisions),
        memories: isAnswer(looked.memories) ? found(looked.memories) : null,
        procedures: ownProcedures
          ? found(looked.procedures)
          : found(looked.memories).filter(({ memory }) => memory.memory_type === PROCEDURAL),
        reflections: found(looked.reflections),
        unread: {
          session: looked.session.total - looked.session.places.length,
          profile: looked.profile.total - looked.profile.places.length,
          decisions: looked.decisions.total - looked.decisions.places.length
        }
      },
      verdict: isAnswer(looked.memories) ? looked.memories.verdict : null,
      degraded: yield* withLag(lag, scope, degradedOf(searches))
    }
    return answer
  })
})

/** Whether there is a question to the memories, and a section that its answer goes into. */
export const isSearched = ({ query, sections, situation }: Pick<PackQuestion, "query" | "sections" | "situation">) =>
  (query ?? situation) !== null && ANSWERED.some((section) => sections.includes(section))

const ANSWERED: ReadonlyArray<SectionName> = ["memories", "decisions", "procedures"]
const PROCEDURAL = "procedural"
const REFLECTION = "reflection"

const unanswered = Effect.succeed("unavailable" as const)

type Outcome = SearchResult | "unavailable" | null

const isAnswer = (outcome: Outcome): outcome is SearchResult => outcome !== null && outcome !== "unavailable"

const hitsOf = (outcome: Outcome): ReadonlyArray<SearchHit> => isAnswer(outcome) ? outcome.hits : []

const degradedOf = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> => [
  ...new Set(
    outcomes.flatMap((outcome) => outcome === "unavailable" ? ["search_unavailable"] : outcome?.degraded ?? [])
  )
]

const withoutPassages: ReadonlyArray<LegName> = LEGS.filter((leg) => leg !== "chunks")

const foundOf = (
  { belowThreshold, candidate, excerpt, excerptParts, relevance, score }: SearchHit,
  memory: PackMemory
): FoundMemory => ({
  memory,
  // Of a value that was changed since, no part is shown that it no longer has.
  excerpt: memory.content_sha256 === candidate.head.content_sha256
    ? { text: excerpt, start: excerptParts[0]?.start ?? 0, end: excerptParts.at(-1)?.end ?? 0 }
    : null,
  score,
  relevance,
  isEnough: !belowThreshold
})

const filterOf = (
  { agent, run_id, session_id, user_id }: WriterFilter,
  memory_type: string | null,
  { now, statuses }: Served
): SearchFilter => ({
  agent,
  user_id,
  session_ids: session_id === null ? [] : [session_id],
  run_id,
  memory_type,
  tags: [],
  tags_every: [],
  tags_none: [],
  entities: [],
  exclude_keys: [],
  statuses,
  created_after: null,
  created_before: null,
  confidence_gte: null,
  now
})
