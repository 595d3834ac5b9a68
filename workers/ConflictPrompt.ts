/**
 * What a language model is asked of one row and the rows that it may meet: one call a row. Records are data between markers;
 * a reply can say of a numbered peer how the two go together, and nothing else. A reply that names any other row is no
 * answer at all.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../src/kernel/Identity.ts"
import type { LoomError } from "../src/kernel/LoomError.ts"
import { Overloaded, refuse } from "../src/kernel/LoomError.ts"
import type { MemoryRow } from "../src/memory/MemoryModel.ts"
import type { LanguageModel, ModelError } from "../src/platform/LanguageModel.ts"
import { generateAs } from "../src/platform/ModelForm.ts"
import type { FormPrompt } from "../src/platform/ModelForm.ts"
import { DATA_RULE, fenced } from "../src/platform/PromptData.ts"

/** How a row and one of its peers go together. */
export const PeerVerdict = Schema.Struct({
  /** The number of the peer. */
  peer: Schema.Int,
  verdict: Schema.Literal("update", "contradiction", "compatible", "same", "unsure"),
  /** Of an update: which of the two tells the newer state. */
  newer: Schema.Literal("row", "peer", "unknown"),
  /** 0 to 1. */
  sure: Schema.Number.pipe(Schema.between(0, 1))
})
export type PeerVerdict = typeof PeerVerdict.Type

const Reply = Schema.Struct({ verdicts: Schema.Array(PeerVerdict) })

// Some forty tokens a verdict, a dozen of them at most.
const MAX_TOKENS = 800
// As much of a claim as decides; a longer text is a document.
const LONGEST = 2_000

const rules = `You judge whether stored memories of one user agree.
The user message holds records between two marker lines: number 0 is the row in question, the others are its peers. ${DATA_RULE}
For each peer decide how it goes together with row 0:
- "update": both are about the same attribute of the same subject, and one tells a newer state that replaces the other. "newer" is "row" when row 0 is the newer state, "peer" when the peer is.
- "contradiction": they cannot both be true, and neither is an update of the other.
- "compatible": they can both be true, or are about different things.
- "same": they say the same.
- "unsure": you cannot tell.
"true_from" is when a claim became true, "written" when it was stored; an older date does not by itself make an older state.
Reply with one JSON object and nothing else: {"verdicts": [{"peer": 1, "verdict": "update", "newer": "row", "sure": 0.9}]}. "sure" is between 0 and 1; "newer" is "unknown" unless the verdict is "update".`

const iso = (millis: number): string => new Date(millis).toISOString()

const recordOf = (row: MemoryRow, id: number) => ({
  id,
  key: row.memory_key,
  ...(row.valid_at === null ? {} : { true_from: iso(row.valid_at) }),
  written: iso(row.updated_at),
  by: row.actor,
  learned: row.source_class,
  ...(row.session_id === "" ? {} : { session: row.session_id }),
  text: row.value.slice(0, LONGEST).toWellFormed()
})

export const promptFor = (scope: Scope, row: MemoryRow, peers: ReadonlyArray<MemoryRow>): FormPrompt => ({
  purpose: "resolve",
  scope,
  system: rules,
  user: fenced([row, ...peers].map(recordOf)),
  maxTokens: MAX_TOKENS,
  patience: "worker"
})

/** What the model says of a row and its peers, by the peer's place among them. */
export const verdictsOn = (
  scope: Scope,
  row: MemoryRow,
  peers: ReadonlyArray<MemoryRow>
): Effect.Effect<ReadonlyMap<number, PeerVerdict>, LoomError, LanguageModel> =>
  Effect.flatMap(
    Effect.mapError(generateAs(Reply, promptFor(scope, row, peers)), passing),
    ({ value: { verdicts } }) => {
      const byPeer = new Map(verdicts.map((verdict) => [verdict.peer - 1, verdict]))
      const isAboutThem = verdicts.every(({ peer }) => peer >= 1 && peer <= peers.length)
      return isAboutThem && byPeer.size === verdicts.length
        ? Effect.succeed(byPeer)
        : Effect.fail(refuse("MODEL_REPLY_UNUSABLE", "The language model judged rows that it was not shown"))
    }
  )

// Until when the budget lasts is said with the refusal; a day has this many seconds.
const DAY_SECONDS = 24 * 60 * 60

/** A budget that is spent passes like a server that has too much to do: the work waits, and is not given up. */
const passing = (error: ModelError): LoomError => {
  if (error._tag !== "Refusal" || error.code !== "MODEL_BUDGET_SPENT") return error
  const { retry_after_s } = error.facts
  return new Overloaded({ retry_after_s: typeof retry_after_s === "number" ? retry_after_s : DAY_SECONDS })
}
