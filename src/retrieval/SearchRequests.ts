/** What a request of a search asks for: which rows may answer, and what its answer says of times it named loosely. */
import * as Effect from "effect/Effect"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { isNaive, parseTime } from "../kernel/Time.ts"
import type { Payload } from "../kernel/Verb.ts"
import { unheeded } from "../memory/AsOfFields.ts"
import type { AsOf } from "../memory/AsOfFields.ts"
import type { Instant } from "../memory/InstantModel.ts"
import { servedIn } from "../memory/MemoryModel.ts"
import { isBlank } from "../platform/Analyzer.ts"
import type { SearchFilter } from "./SearchModel.ts"
import type { MemorySearch } from "./SearchVerbs.ts"

export type Request = Payload<typeof MemorySearch>

/** Fails for a question without a word or sign. */
export const isAsking = ({ query }: Pick<Request, "query">): Effect.Effect<void, Refusal> =>
  isBlank(query)
    ? refuse("INVALID_ARGUMENT", "`query` is blank: it asks for nothing", { field: "query" })
    : Effect.void

const INCLUDES = ["include_duplicates", "include_superseded", "include_proposed"] as const

/** What the answer says of the instant asked about and of times that named no offset, and `more`. */
export const saidOf = (request: Request, asOf: AsOf | null, more: ReadonlyArray<string> = []) => {
  const heeded = unheeded(asOf, request, INCLUDES).advisories ?? asOf?.said.advisories ?? []
  const naive = (["created_after", "created_before"] as const)
    .filter((field) => isNaive(request[field] ?? ""))
    .map((field) => `${field} named no offset and was read as UTC`)
  const advisories = [...heeded, ...naive, ...more]
  return { ...asOf?.said, ...(advisories.length === 0 ? {} : { advisories }) }
}

const millisOf = (text: string | undefined): number | null => {
  const parsed = text === undefined ? null : parseTime(text)
  return parsed === null || typeof parsed === "string" ? null : parsed.millis
}

/** `user` is the one whose rows the caller may read; null for every user. */
export const filterOf = (
  request: Request,
  user: string | null,
  asOf: Instant | undefined,
  now: number
): SearchFilter => ({
  agent: request.agent ?? request.agent_id ?? null,
  user_id: user,
  session_ids: [...request.session_ids ?? [], ...request.session_id === undefined ? [] : [request.session_id]],
  run_id: request.run_id ?? null,
  memory_type: request.memory_type ?? null,
  tags: request.tags ?? [],
  tags_every: request.tags_every ?? [],
  tags_none: request.tags_none ?? [],
  entities: (request.entity_filter ?? []).map(canonicalEntity),
  exclude_keys: request.exclude_keys ?? [],
  statuses: [
    ...servedIn(request.run_id),
    ...request.include_duplicates === true ? ["duplicate" as const] : [],
    ...request.include_superseded === true ? ["superseded" as const] : [],
    ...request.include_proposed === true ? ["proposed" as const] : []
  ],
  created_after: millisOf(request.created_after),
  created_before: millisOf(request.created_before),
  confidence_gte: request.confidence_gte ?? null,
  now,
  asOf
})
