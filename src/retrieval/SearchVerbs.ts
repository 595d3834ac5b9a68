/**
 * The verbs `memory.search` and `memory.search_trace`, declared once. Every list filter left empty is no filter; tags are compared exactly, case
 * included; times without an offset are read as UTC.
 */
import * as Schema from "effect/Schema"
import { NamespaceName, OptionalName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { asOfAnswer } from "../memory/AsOfFields.ts"
import { CursorText } from "../platform/Cursors.ts"
import { ABSTAIN_CODES } from "./Gate.ts"
import { questionFields } from "./SearchFields.ts"
import { LEGS } from "./SearchModel.ts"
import { MOST_NAMESPACES } from "./SearchScopes.ts"

// The words of one passage; a whole value is read by memory.get.
const MAX_EXCERPT = 1_200

// More than any prompt has room for; a larger one is no budget.
const MAX_BUDGET = 100_000

/** The weighted parts of a score; they add up to it. */
export const ScoreComponents = Schema.Struct({
  /** The share of the question's words that the text or its best passage holds, rare words counting more: 0 to 1. */
  words: Schema.Number,
  /** 0.75 of the cosine. */
  vector: Schema.Number,
  /** 0.4 of the share of the question's identifiers that the text holds. */
  identifier: Schema.Number,
  /** 0.2 of the share it holds of what the question's entities say, those that few memories name saying more: 0 to 0.2. */
  entities: Schema.Number,
  /** 0.1 of the share of a digest that speaks of the memory and is close to the question. */
  digests: Schema.Number,
  /** 0.1 of the share of the names in the question that the text holds. */
  names: Schema.Number,
  /** 0.2 when the memory's time is one that the question names, halved by each week it is off. */
  time: Schema.Number,
  /** 2 when the memory is the question word for word. */
  exact: Schema.Number,
  /** 0 to 0.12: the more words a memory has, up to 64, the more it states. This and the next five together are bounded. */
  fullness: Schema.Number,
  /** 0 to 0.1, when the question asks for what holds now: halved by each month of age. */
  recency: Schema.Number,
  /** -0.05 to 0: what its writer was not sure of. */
  confidence: Schema.Number,
  /** 0.05 (or what the deployment set) when attested as it stands, half of it when asserted, less when from outside. */
  trust: Schema.Number,
  /** 0 to 0.1: how often it was relied on with a good outcome, less the bad ones, fading. */
  usage: Schema.Number,
  /** -0.05 when of medium sensitivity. */
  sensitivity: Schema.Number,
  /** 0.1 when it has one of `tags_soft`. */
  tags_soft: Schema.Number,
  /** -0.1, or less where the score would fall below 0, when it has one of `demote_tags`. */
  demote_tags: Schema.Number
})

export const SearchHitView = Schema.Struct({
  memory_key: Schema.String,
  memory_id: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_type: Schema.String,
  /** The sentences of the value's text that say most of what is asked, verbatim; ` […] ` stands where some are left out. */
  content_excerpt: Schema.String,
  /** Whether the value says more than the excerpt. */
  body_truncated: Schema.Boolean,
  /** Whether `token_budget` left no room for the excerpt, which is then empty; memory.get reads the value. */
  body_elided: Schema.Boolean,
  /** Where they stand in the text, UTF-16 offsets from start to before end, one pair for each run of sentences. */
  excerpt_parts: Schema.Array(Schema.Struct({ start: Schema.Number, end: Schema.Number })),
  /** Cosine of the question with the value or, damped, with the key; null when no vectors were compared. */
  similarity: Schema.NullOr(Schema.Number),
  /** 1 less the similarity. */
  distance: Schema.NullOr(Schema.Number),
  /** The sum of the components; a higher one is a better match, and what other rows hold does not change its parts. */
  score: Schema.Number,
  rank_score: Schema.Number,
  /**
   * The chance, 0 to 1, that the memory is evidence for the answer, from what it holds itself: no other row moves it.
   * Calibrated on conversations: of hits at 0.3, about three in ten answered.
   */
  relevance: Schema.Number,
  /** Whether its relevance is below what an answer needs. */
  below_threshold: Schema.Boolean,
  /** How many more memories say the same (equal in canonical form, or a duplicate of this one): they are this one hit. */
  siblings_folded: Schema.Number,
  score_components: Schema.optional(ScoreComponents),
  tags: Schema.Array(Schema.String),
  entities: Schema.Array(Schema.String),
  status: Schema.String,
  pinned: Schema.Boolean,
  /** Nearest double of the version; `version_text` is exact. */
  version: Schema.Number,
  version_text: Schema.String,
  content_sha256: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String,
  valid_at: Schema.NullOr(Schema.String),
  /** The date the fact is about, and how sure that is, 0 to 1, where an extraction said so. */
  temporal_anchor: Schema.NullOr(Schema.String),
  temporal_confidence: Schema.NullOr(Schema.Number),
  /** The memory_id of what replaced it, and when; a token bound to one user is told only of a memory among the results. */
  superseded_by: Schema.NullOr(Schema.String),
  superseded_at: Schema.NullOr(Schema.String),
  /** The memory_id of what answers for it elsewhere, told in the same way. */
  duplicate_of: Schema.NullOr(Schema.String),
  /** 1, and one more for each time it was said again. */
  reinforcement_count: Schema.Number,
  source_class: Schema.String,
  /** The resource that its writer names as its source. */
  source_resource_id: Schema.NullOr(Schema.String),
  /** Whether somebody vouched for the content as it is; false again once it is edited. */
  verified: Schema.Boolean,
  confidence: Schema.Number,
  /** Set when the excerpt is from a passage of a long value: its key, and the passage's UTF-16 offsets in the text. */
  parent_memory_key: Schema.NullOr(Schema.String),
  chunk_index: Schema.NullOr(Schema.Number),
  chunk_start: Schema.NullOr(Schema.Number),
  chunk_end: Schema.NullOr(Schema.Number)
})
export type SearchHitView = typeof SearchHitView.Type

/**
 * How many memories would have been among the results had their state not hidden them, by state. Counted among the rows
 * that the search looked at, at most a few hundred, that pass the caller's own scope and filter: a count is at least so
 * many, and 0 mostly none. Deleted memories and those of high sensitivity are in no count.
 */
export const SuppressedView = Schema.Struct({
  superseded: Schema.Number,
  duplicate: Schema.Number,
  proposed: Schema.Number,
  rejected: Schema.Number,
  /** Past its expiry or the end of its validity. */
  expired: Schema.Number
})

const payload = Schema.Struct({
  ...questionFields,
  /** Several namespaces in one search. */
  namespaces: Schema.optional(Schema.Array(NamespaceName).pipe(Schema.maxItems(MOST_NAMESPACES))),
  agent_id: Schema.optional(OptionalName),
  top_k: Schema.optional(Schema.Int.pipe(Schema.between(1, 100))),
  include_duplicates: Schema.optional(Schema.Boolean),
  include_proposed: Schema.optional(Schema.Boolean),
  legs: Schema.optional(Schema.Array(Schema.Literal(...LEGS))),
  explain: Schema.optional(Schema.Boolean),
  max_excerpt_chars: Schema.optional(Schema.Int.pipe(Schema.between(20, MAX_EXCERPT))),
  /** The most tokens (o200k) that all excerpts together may have. */
  token_budget: Schema.optional(Schema.Int.pipe(Schema.between(0, MAX_BUDGET))),
  /** The `next_page` of an answer to the same question. */
  cursor: Schema.optional(CursorText)
})

const answer = Schema.Struct({
  /** Best first. Of an answer that abstains too, each then marked `below_threshold`. */
  results: Schema.Array(SearchHitView),
  /** True when nothing found is relevant enough to answer with: the memory does not know. */
  abstain: Schema.Boolean,
  /** `NO_MATCH`: nothing was found. `BELOW_THRESHOLD`: nothing relevant enough was. Null with an answer. */
  abstain_code: Schema.NullOr(Schema.Literal(...ABSTAIN_CODES)),
  abstain_reason: Schema.NullOr(Schema.String),
  /** The highest relevance of the results, 0 to 1; 0 without any. */
  retrieval_confidence: Schema.Number,
  /** Null when it was not counted: with as_of, after the first page, or when the count would have held up the answer. */
  suppressed: Schema.NullOr(SuppressedView),
  /** How many memories were compared for the order. */
  candidates_total: Schema.Number,
  /** How many results come with their excerpt, and how many `token_budget` left without. */
  bodies_returned: Schema.Number,
  bodies_elided: Schema.Number,
  /** The tokens of the excerpts; null without a `token_budget`, as nobody counted them. */
  tokens_returned: Schema.NullOr(Schema.Number),
  namespaces_searched: Schema.Array(Schema.String),
  /** Namespaces that are open to the token and could not be searched this time. */
  namespaces_skipped: Schema.Array(Schema.String),
  /** How many results came on earlier pages. */
  page_offset: Schema.Number,
  /** The `cursor` of the next page; null on the last. */
  next_page: Schema.NullOr(Schema.String),
  /** Parts of the search that failed or were late, as `vector_unavailable` or `lexical_late`. */
  degraded: Schema.Array(Schema.String),
  /** The embedder whose vectors were compared; null when none were. */
  embedding_model: Schema.NullOr(Schema.String),
  /** Memories that may be found and have no vector of that embedder yet: only their words find them. Null when none were compared. */
  pending_index: Schema.NullOr(Schema.Number),
  ...asOfAnswer,
  next: Schema.NullOr(Schema.String)
})

export const MemorySearch = make("memory.search", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what:
      "Find memories by meaning and by word, best first, each with the part of its text that speaks to the question.",
    when: "A question may be answered by what was learned before, and the key is not known.",
    whenNot: "The key is known (memory.get), or you need every row of a kind (memory.list).",
    args:
      "query is a question or a few words; names, versions and error codes are matched as they are. Rows of every agent and session are searched unless agent, user_id or session_id narrow. tags matches any, tags_every all, tags_none none of the tags, exactly; an empty list is no filter. tags_soft lifts rows with any of these tags a little, demote_tags lowers them; neither hides a row. Lessons from runs are found with memory_type=reflection only; episodic and profile memories, and those of high sensitivity, are never searched: memory.get and memory.list read them. run_id searches what a run wrote, what another run had said before it included. as_of searches what was true at a time, with as_of_basis=knowledge_time what was served then. abstain says that nothing stored is relevant enough, and why: answer then that the memory does not know. suppressed counts what its state hid; include_superseded, include_duplicates and include_proposed bring such rows in; include_superseded also shows what a key said before, behind what it says now. namespaces searches several at once, each by its own measure, the best of all first; those your token does not open are passed over. token_budget keeps the excerpts that say most for their length. next_page as cursor, with the same question and filters, shows what was ranked next when you first asked. degraded names a way of searching that did not answer this time."
  },
  payload,
  answer
})

/** What one leg found on its own. */
export const LegTraceView = Schema.Struct({
  namespace: Schema.String,
  leg: Schema.Literal(...LEGS),
  /** `late` or `unavailable` when it did not answer. */
  failed: Schema.NullOr(Schema.Literal("late", "unavailable")),
  /** Best first. */
  hits: Schema.Array(Schema.Struct({
    memory_key: Schema.String,
    memory_id: Schema.String,
    agent: Schema.String,
    user_id: Schema.String,
    session_id: Schema.String,
    /**
     * On the leg's own scale: a cosine, or a share from 0 to 1 of words, of what the question's entities say, or of what
     * a digest says.
     */
    score: Schema.Number,
    /** The passage that was found, for a leg that looks at passages. */
    chunk_index: Schema.NullOr(Schema.Number),
    /** What led to the memory when that is not its own text: the id of a digest; empty otherwise. */
    via_path: Schema.Array(Schema.String)
  }))
})

export const MemorySearchTrace = make("memory.search_trace", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "Explain a search: the answer of memory.search with what each way of searching found on its own, and its scores.",
    when: "A memory that should have been found was not, or stands in the wrong place.",
    whenNot: "You want the answer alone (memory.search).",
    args:
      "The arguments of memory.search, with the same scope and filters; the parts of each score are always told. legs lists each way of searching with its hits, best first, on its own scale; terms the words that were looked up."
  },
  payload,
  answer: Schema.Struct({
    ...answer.fields,
    /** The words of the question as they were looked up: a text holds one by its stem or by a dictionary form. */
    terms: Schema.Array(Schema.Struct({
      stem: Schema.String,
      lemmas: Schema.Array(Schema.String),
      /** A name, version, code or hash that is matched as it is. */
      identifier: Schema.Boolean
    })),
    legs: Schema.Array(LegTraceView)
  })
})
