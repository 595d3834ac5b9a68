/**
 * From facts to what the judge is asked, pure: the key, what is stated beside the value, and the sources that each fact
 * rests on. The key is minted from subject and attribute alone, so that a later session lands on the same key.
 */
import type { Turn } from "../conversation/TurnModel.ts"
import type { Identity } from "../kernel/Identity.ts"
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { beliefSource } from "../memory/BeliefSources.ts"
import type { BeliefSource } from "../memory/BeliefSources.ts"
import type { Statement } from "../memory/MemoryCommand.ts"
import type { SourceClass } from "../memory/MemoryModel.ts"
import type { ExtractionJob } from "./ExtractionJobModel.ts"
import type { Fact } from "./FactModel.ts"

/** A fact with the turns it cites, in the order in which they were said. */
export interface CitedFact {
  readonly fact: Fact
  readonly turns: ReadonlyArray<Turn>
}

// More labels than these on one short sentence are noise; the limit of a row is 64.
const MOST_ENTITIES = 16
// As the fields of memory.set take them.
const LONGEST_LABEL = 256

/** What brought it in: a fact that only programs said is outside content, whoever repeats it. */
export const sourceClassOf = (turns: ReadonlyArray<Turn>): SourceClass =>
  turns.length > 0 && turns.every(({ role }) => role === "tool") ? "external" : "extracted"

/** When a fact became true: the date it is about, else when it was said last, else when the conversation took place. */
export const validAtOf = ({ fact, turns }: CitedFact, observedAt: number | null): number | null =>
  fact.anchor?.at ?? turns.reduce<number | null>((last, { at }) => at ?? last, null) ?? observedAt

const labels = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(texts.map(canonicalEntity))].filter((text) => text !== "" && text.length <= LONGEST_LABEL).slice(
    0,
    MOST_ENTITIES
  )

export const statementOf = (cited: CitedFact, job: ExtractionJob): Statement => {
  const { fact, turns } = cited
  const speakers = [...new Set(turns.map(({ speaker }) => speaker))].filter((name) => name !== "")
  return {
    tags: [...(fact.about_other ? ["about_other"] : []), ...speakers.map((name) => `speaker:${name.slice(0, 200)}`)],
    entities: labels([...(fact.subject === "user" ? [] : [fact.subject]), ...fact.entities]),
    confidence: Math.min(1, Math.max(0, fact.confidence)),
    ...(job.session_id === "" ? {} : { source_trace: job.session_id }),
    valid_at: validAtOf(cited, job.observed_at),
    temporal_anchor: fact.anchor?.at ?? null,
    temporal_confidence: fact.anchor?.confidence ?? null,
    memory_type: fact.memory_type
  }
}

/** What a memory of this content rests on: one source for each turn, the same whenever it is recorded. */
export const sourcesOf = (
  identity: Identity,
  content_sha256: string,
  turns: ReadonlyArray<Turn>,
  stamp: { readonly actor: string; readonly write_id: string; readonly now: number }
): ReadonlyArray<BeliefSource> =>
  turns.map((turn) =>
    beliefSource(
      { ...identity, content_sha256 },
      { ...turn, memory_key: "", memory_id: turn.turn_id },
      { support_type: "extracted_from", actor: stamp.actor, write_id: stamp.write_id, at: stamp.now }
    )
  )
