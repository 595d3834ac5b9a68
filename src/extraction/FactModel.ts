/**
 * The nouns of extraction: a transcript of turns, the facts somebody or something finds in it, and what it asks to forget.
 * A fact is one claim about one attribute of one subject, with the turns that say so; it is no memory before the judge has
 * seen it. Next: `Extractor` (who finds facts), `Extraction` (what becomes of them).
 */
import type { Turn } from "../conversation/TurnModel.ts"
import type { Scope } from "../kernel/Identity.ts"

/** Turns in the order in which they were said; what is of high sensitivity is not among them. */
export interface Transcript {
  readonly scope: Scope
  readonly turns: ReadonlyArray<Turn>
  /** The user's own name where it is known; his facts are then told by it. */
  readonly user: string
  /** When the conversation took place, for turns that do not say it; milliseconds, null when nobody knows. */
  readonly observed_at: number | null
}

export interface Fact {
  /** Whom or what it is about: `user` for the user himself, else a name as it was said. */
  readonly subject: string
  /** Which attribute of the subject it states, in a few words that do not depend on the value: "employer". */
  readonly attribute: string
  /** The claim in one short sentence that can be read without the transcript. */
  readonly text: string
  /** Whether the subject is somebody other than the user or the speaker. */
  readonly about_other: boolean
  readonly memory_type: string
  /** The turns that say it, by id; never empty. */
  readonly turn_ids: ReadonlyArray<string>
  /** The date it is about, milliseconds, and how sure that is, 0 to 1; null when it is about none. */
  readonly anchor: { readonly at: number; readonly confidence: number } | null
  /** 0 to 1. */
  readonly confidence: number
  readonly entities: ReadonlyArray<string>
}

/** What a speaker asked to forget, in his words, and the turn in which he did. */
export interface ForgetRequest {
  readonly what: string
  readonly turn_id: string
}

/** Something that was taken for a fact and is none: why, and where; never what was said. */
export interface RefusedFact {
  readonly code: string
  readonly reason: string
  readonly turn_ids: ReadonlyArray<string>
}

export interface Extracted {
  readonly facts: ReadonlyArray<Fact>
  readonly forgets: ReadonlyArray<ForgetRequest>
  readonly refused: ReadonlyArray<RefusedFact>
  /** `rules`, or the model that found them as its server names it. */
  readonly extractor: string
  /** As the model's server counted; 0 for rules. */
  readonly tokens_in: number
  readonly tokens_out: number
  /** Segments the transcript was cut into. */
  readonly segments: number
}
