/**
 * The verb `memory.ask`, declared once: which memories may answer is said as in `memory.search`, what the answer rests on is
 * said in citations. An answer that is not known is a 200 with `abstain`.
 */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { asOfAnswer } from "../memory/AsOfFields.ts"
import { questionFields } from "../retrieval/SearchFields.ts"
import { SearchHitView } from "../retrieval/SearchVerbs.ts"

// From the shortest sentence to a page.
const [LEAST_ANSWER, MOST_ANSWER] = [40, 4_000]

/** One part of one memory that the answer rests on. */
export const CitationView = Schema.Struct({
  /** The number by which a written answer cites it, from 1; a quoted answer has one line for each. */
  citation: Schema.Number,
  memory_key: Schema.String,
  memory_id: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_type: Schema.String,
  /** A verbatim part of the value's text. */
  quote: Schema.String,
  /** Where it stands in the value's text: UTF-16 offsets, [start, end). */
  start: Schema.Number,
  end: Schema.Number,
  /** Who said it, where the memory is a turn of a talk. */
  speaker: Schema.NullOr(Schema.String),
  valid_at: Schema.NullOr(Schema.String),
  /** The date it is about. */
  temporal_anchor: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  version_text: Schema.String,
  content_sha256: Schema.String,
  source_class: Schema.String,
  source_resource_id: Schema.NullOr(Schema.String),
  verified: Schema.Boolean,
  status: Schema.String,
  relevance: Schema.Number
})
export type CitationView = typeof CitationView.Type

/** The stored sentence that what a question takes for granted was held against. */
export const PremiseVerdictView = Schema.Struct({
  verdict: Schema.Literal("contradicted", "supported"),
  /** What the question takes for granted, as a statement. */
  premise: Schema.String,
  memory_key: Schema.String,
  memory_id: Schema.String,
  quote: Schema.String,
  /** The rule that decided. */
  rule: Schema.String
})

export const MemoryAsk = make("memory.ask", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what:
      "Answer a question from memory, with citations: stored sentences word for word or, where a language model is configured, its words as far as the memories it cites bear them. Says so when the memory does not know.",
    when: "You want the answer to one question, not a list of memories to read through.",
    whenNot:
      "You want the memories themselves or more than a few (memory.search), the key is known (memory.get), or the question is about the world and not about what was remembered.",
    args:
      "query is the question. Which memories may answer is said as in memory.search: agent, user_id, session_id, run_id, memory_type, tags, entity_filter, time windows, as_of. Reflections answer only when memory_type asks for them; outside content (source_class external) only once somebody vouched for it as it is. source is extractive (each line of answer is a stored sentence), synthesis (sentences with [n], the citation's number) or none. allow_synthesis=false quotes only. When abstain is true, say that the memory does not know; do not answer from the results. premise_conflict says that the question takes for granted what the memory denies, or the opposite of what it states: correct that first; another number, day or name than the stored one is not told so. consistency conflicted means that the memories told contradict each other: tell both. citations says for each part the key, the place in the value, who said it and when."
  },
  payload: Schema.Struct({
    ...questionFields,
    top_k: Schema.optional(Schema.Int.pipe(Schema.between(1, 50))),
    allow_synthesis: Schema.optional(Schema.Boolean),
    max_answer_chars: Schema.optional(Schema.Int.pipe(Schema.between(LEAST_ANSWER, MOST_ANSWER)))
  }),
  answer: Schema.Struct({
    /** Empty when it abstains. */
    answer: Schema.String,
    source: Schema.Literal("extractive", "synthesis", "none"),
    /** True when nothing found is relevant enough to answer with: the memory does not know. */
    abstain: Schema.Boolean,
    /** `NO_MATCH`: nothing was found. `BELOW_THRESHOLD`: nothing relevant enough was. Null with an answer. */
    abstain_code: Schema.NullOr(Schema.String),
    abstain_reason: Schema.NullOr(Schema.String),
    /** The highest relevance of the results, 0 to 1; 0 without any. */
    retrieval_confidence: Schema.Number,
    /** Keys of the memories that the answer rests on, each once. */
    memory_keys: Schema.Array(Schema.String),
    citations: Schema.Array(CitationView),
    /** What the search found, best first; of an answer that abstains too, each then marked `below_threshold`. */
    results: Schema.Array(SearchHitView),
    /** The model that wrote; null when none did. */
    synth_model: Schema.NullOr(Schema.String),
    /** Sentences of the answer. */
    gate_kept: Schema.Number,
    /** Sentences of a model that were left out, since what they cite does not bear them. */
    gate_dropped: Schema.Number,
    /** Replaced memories that would have been among the results; null when that was not counted (with as_of). */
    superseded_dropped: Schema.NullOr(Schema.Number),
    /** Whether the question takes for granted what the memory contradicts. */
    premise_conflict: Schema.Boolean,
    premise_note: Schema.NullOr(Schema.String),
    /** Null where the question takes nothing for granted that could be compared. */
    premise_verdict: Schema.NullOr(PremiseVerdictView),
    /**
     * `conflicted`: memories that the answer rests on contradict each other, and both are told. `disputed`: a memory that
     * is not told contradicts it; the note names it when it may answer this question. Null without an answer.
     */
    consistency: Schema.NullOr(Schema.Literal("consistent", "conflicted", "disputed")),
    /** The share of the memories told that no other one told contradicts, 0 to 1. */
    consistency_score: Schema.NullOr(Schema.Number),
    consistency_note: Schema.NullOr(Schema.String),
    /** Parts that failed or were late, as `vector_unavailable` or `language_model_unavailable`. */
    degraded: Schema.Array(Schema.String),
    ...asOfAnswer,
    next: Schema.NullOr(Schema.String)
  })
})
