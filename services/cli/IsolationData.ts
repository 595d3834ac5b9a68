/**
 * What the isolation check writes and asks: memories of one tenant and of its neighbours out of few words, so that they
 * share keys, words, entities, tags and files, and questions under all kinds of filters. Everything follows from the seed.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export interface IsolationRow {
  readonly memory_key: string
  readonly value: string
  readonly tags: ReadonlyArray<string>
  readonly entities: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  readonly memory_type: string
  readonly agent: string
  readonly session_id: string
  readonly confidence: number
}

export interface IsolationQuestion {
  readonly query: string
  readonly filter: Readonly<Record<string, unknown>>
}

export interface IsolationData {
  readonly mine: ReadonlyArray<IsolationRow>
  /** What the neighbours write at first, and once they have deleted some of it. */
  readonly theirs: ReadonlyArray<IsolationRow>
  readonly later: ReadonlyArray<IsolationRow>
  readonly questions: ReadonlyArray<IsolationQuestion>
}

// Rare and common words, identifiers, a name, a script without spaces, a stop word.
const words = [
  "vault",
  "heron",
  "deploy",
  "window",
  "ERR_7731",
  "v1.9",
  "billing",
  "Mira",
  "检索",
  "tea",
  "the",
  "lamps"
]
const entities = ["Vault", "Mira", "Billing Services"]
const tags = ["kind:rule", "kind:note", "area:ops"]
const types = ["semantic", "preference", "decision"]
const agents = ["", "coder"]
const sessions = ["", "monday"]
const keys = [
  "ops/vault/code",
  "ops/vault/door",
  "mira/tea",
  "deploy/window",
  "billing/lamps",
  "n/1",
  "n/2",
  "n/3",
  "n/4"
]
export const files = ["src/vault.ts", "docs/deploy.md"]
export const allKeys: ReadonlyArray<string> = keys

const filters: ReadonlyArray<IsolationQuestion["filter"]> = [
  {},
  { tags: ["kind:rule"] },
  { tags_none: ["area:ops"] },
  { tags_soft: ["kind:note"], demote_tags: ["kind:rule"] },
  { entity_filter: ["mira"] },
  { agent: "coder" },
  { session_id: "monday" },
  { memory_type: "preference" },
  { confidence_gte: 0.5 },
  { exclude_keys: ["mira/tea"] },
  { include_superseded: true, include_duplicates: true, include_proposed: true },
  { legs: ["entities"] },
  { legs: ["lexical", "chunks"] }
]

// Few enough that a round takes seconds on a server far away; many enough that words and entities meet.
const MINE = 8
const THEIRS = 20
const QUESTIONS = 6
// A value with passages is longer than an excerpt; one in six has them.
const LONG_ONE_IN = 6
const filler = "Nothing is said here at all. ".repeat(60)

const oneOf = <A>(all: ReadonlyArray<A>, other: A): Effect.Effect<A> =>
  Effect.map(Random.nextIntBetween(0, all.length), (at) => all[at] ?? other)

const some = <A>(all: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<A>> => Effect.filter(all, () => Random.nextBoolean)

const phrase: Effect.Effect<string> = Effect.flatMap(
  Random.nextIntBetween(1, 8),
  (count) => Effect.map(Effect.replicateEffect(oneOf(words, "tea"), count), (some) => some.join(" "))
)

const text: Effect.Effect<string> = Effect.gen(function*() {
  const isLong = (yield* Random.nextIntBetween(0, LONG_ONE_IN)) === 0
  return isLong ? `${yield* phrase}. ${filler}${yield* phrase}.` : yield* phrase
})

const row: Effect.Effect<IsolationRow> = Effect.all({
  memory_key: oneOf(keys, "n/1"),
  value: text,
  tags: some(tags),
  entities: some(entities),
  files: some(files),
  memory_type: oneOf(types, "semantic"),
  agent: oneOf(agents, ""),
  session_id: oneOf(sessions, ""),
  confidence: Effect.map(Random.nextIntBetween(1, 10), (tenths) => tenths / 10)
})

const question: Effect.Effect<IsolationQuestion> = Effect.all({ query: phrase, filter: oneOf(filters, {}) })

const data: Effect.Effect<IsolationData> = Effect.all({
  mine: Effect.replicateEffect(row, MINE),
  theirs: Effect.replicateEffect(row, THEIRS),
  later: Effect.replicateEffect(row, THEIRS),
  questions: Effect.replicateEffect(question, QUESTIONS)
})

/** The data of a seed; the same for the same seed. */
export const make = (seed: string): Effect.Effect<IsolationData> => Effect.withRandom(data, Random.make(seed))

/** The second writing of the neighbours: every third row with other words under its key. */
export const revisions = (rows: ReadonlyArray<IsolationRow>): ReadonlyArray<IsolationRow> =>
  rows.filter((_, at) => at % 3 === 0).map((row) => ({ ...row, value: `${row.value} at noon` }))

/** What the neighbours delete: every other row, named with its writer. */
export const deletions = (
  rows: ReadonlyArray<IsolationRow>
): ReadonlyArray<Pick<IsolationRow, "memory_key" | "agent" | "session_id">> =>
  rows.filter((_, at) => at % 2 === 0).map(({ agent, memory_key, session_id }) => ({ memory_key, agent, session_id }))

/** The listings that are compared. */
export const listings: ReadonlyArray<object> = [
  { limit: 200 },
  { limit: 3, sort_by: "memory_key" },
  { limit: 200, include_superseded: true, include_duplicates: true, include_tombstoned: true },
  { entity_filter: ["vault"] },
  { tags: ["kind:rule"], count_only: true },
  { contains: "heron" },
  { prefix: "n/" }
]

export const SECRET_ENTITY = "Secret Door"
export const SECRET_FILE = "src/secret.ts"

/** The row under one key that each tenant writes with a value of its own. */
export const secretRow = (value: string): object => ({
  memory_key: "own/secret",
  value,
  entities: [SECRET_ENTITY],
  files: [SECRET_FILE]
})
