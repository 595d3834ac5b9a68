/**
 * The verb `memory.for_file`, declared once.
 */
import * as Schema from "effect/Schema"
import { Name } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { scopeFields, writerFields } from "../memory/MemoryFields.ts"

// As long as a path that memory.set takes.
const MAX_PATH = 1_024
// Each is a read of its own; a repository has one code namespace.
const MAX_EXTRA = 16
// More tokens than the block has characters.
const MAX_BUDGET = 10_000

const Placed = {
  namespace: Schema.String,
  memory_key: Schema.String,
  memory_id: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_type: Schema.String,
  pinned: Schema.Boolean,
  source_class: Schema.String,
  /** Whether somebody vouched for what it says now. */
  verified: Schema.Boolean,
  /** Whether the store holds a memory that says otherwise. */
  disputed: Schema.Boolean
}

export const MemoryForFile = make("memory.for_file", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: true,
  teaching: {
    what:
      "A block of what is remembered about one file, ready for a prompt: decisions and constraints whole, the rest a line each.",
    when: "You are about to edit the file.",
    whenNot: "You have a question (memory.search), or the key is known (memory.get).",
    args:
      "file is a repository path, compared with the files that memories name; ./, backslashes and a trailing slash make no difference. token_budget (300) holds the rows that are neither decisions nor constraints; these share a ceiling of their own. What came from outside (external, imported) and nobody vouched for as it is says so in its brackets, behind the others, and is no rule. extra_namespaces adds their rows as team rules; one that the token does not open is skipped and named. agent, user_id and session_id narrow the own namespace alone. block is empty when nothing names the file, and always below 10,000 characters; left_out lists what it does not show."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    file: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(MAX_PATH)),
    token_budget: Schema.optional(Schema.Int.pipe(Schema.between(0, MAX_BUDGET))),
    extra_namespaces: Schema.optional(Schema.Array(Name).pipe(Schema.maxItems(MAX_EXTRA)))
  }),
  answer: Schema.Struct({
    /** The path as it was compared. */
    file: Schema.String,
    block: Schema.String,
    /** The rows of the block, in its order. */
    memories: Schema.Array(Schema.Struct(Placed)),
    /** How many served memories name the file: those shown and those left out. */
    total: Schema.Number,
    left_out_count: Schema.Number,
    /** The first 100 of them; `superseded` when a newer row that says otherwise was left out. */
    left_out: Schema.Array(
      Schema.Struct({ ...Placed, reason: Schema.Literal("budget", "ceiling", "superseded") })
    ),
    /** o200k tokens of the block. */
    tokens_returned: Schema.Number,
    namespaces_searched: Schema.Array(Schema.String),
    namespaces_skipped: Schema.Array(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})
