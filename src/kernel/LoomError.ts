/**
 * Every failure a caller can meet, in four kinds: a `Refusal` (the caller or a rule is the reason), `Unavailable` and
 * `Overloaded` (trying again may help), and `Corrupt` (trying again cannot help). Codes are one table, so that HTTP,
 * RPC, MCP and `docs/errors.md` cannot drift apart. An error carries keys, hashes and limits; never a stored value, a
 * cause or a stack. `toWire` gives the one shape in which all of them leave the process.
 */
import * as Schema from "effect/Schema"

/** What a code means: HTTP status, category, whether a retry may succeed, and what the caller should do next. */
export interface CodeFacts {
  readonly status: number
  readonly category: "access" | "conflict" | "internal" | "limit" | "unavailable" | "validation"
  readonly retryable: boolean
  readonly next: string
}

const code = (
  status: number,
  category: CodeFacts["category"],
  next: string,
  retryable = false
): CodeFacts => ({ status, category, retryable, next })

export const refusalCodes = {
  BAD_JSON: code(400, "validation", "Send one JSON object; the message gives the position of the first fault."),
  INVALID_ARGUMENT: code(422, "validation", "Correct the field that `field` names and send the request again."),
  UNKNOWN_FIELD: code(422, "validation", "Remove or rename the field; `GET /v1/verbs` lists the fields of each verb."),
  UNKNOWN_VERB: code(404, "validation", "`GET /v1/verbs` lists every verb."),
  PAYLOAD_TOO_LARGE: code(413, "limit", "Send less in one request, or store a long document in smaller pieces."),
  UNAUTHENTICATED: code(
    401,
    "access",
    "Send `Authorization: Bearer <token>` with a token that is live; clients and the command line take it from LOOM_API_KEY."
  ),
  FORBIDDEN: code(403, "access", "Use a token with the role and scope that the message names."),
  PINNED_CONFLICT: code(
    409,
    "conflict",
    "Change the pinned memory with `memory.update`, or write it with `pinned: true`."
  ),
  PRECONDITION_FAILED: code(409, "conflict", "Read the memory again and decide again with its new `content_sha256`."),
  AMBIGUOUS_KEY: code(409, "conflict", "Narrow by `agent`, `user_id` or `session_id`; `writers` lists them."),
  IDEMPOTENCY_CONFLICT: code(409, "conflict", "Use a fresh `idempotency_key` for a request that differs."),
  KEY_TAKEN: code(
    409,
    "conflict",
    "Propose it under a key of its own, or change the memory with `memory.update`."
  ),
  STALE_VERSION: code(409, "conflict", "The row moved on; read it again."),
  RUN_CONFLICT: code(
    409,
    "conflict",
    "The run has ended with other content, and ends once; `run.get` shows it. Begin another run."
  ),
  NAMESPACE_CONFLICT: code(409, "conflict", "The namespace is registered with other settings; read it first."),
  BLACKLISTED: code(422, "validation", "The value matches a refused pattern; do not store it."),
  SUPPRESSED: code(
    422,
    "validation",
    "The claim was deleted or rejected, and only an explicit `memory.set` brings it back; a deleted turn stays deleted."
  ),
  SOURCE_CLASS_UPGRADE: code(422, "validation", "Declare only `derived`, `external` or `imported`, or leave it out."),
  RESTORE_WINDOW_PASSED: code(422, "limit", "The delete is older than 14 days; write the memory anew."),
  LOCKED: code(423, "conflict", "An admin may loosen the lock; `reason` says why it is there."),
  EMBEDDING_REFUSED: code(
    422,
    "validation",
    "Shorten or reword the text; if every text is refused, the operator checks LOOM_EMBEDDINGS_MODEL and LOOM_EMBEDDINGS_SEND_DIMS."
  ),
  EMBEDDER_MISCONFIGURED: code(
    422,
    "unavailable",
    "The operator corrects the LOOM_EMBEDDINGS_… setting that the message names and starts the server again."
  ),
  LANGUAGE_MODEL_REQUIRED: code(422, "unavailable", "Configure a language model, or use a verb that needs none."),
  MODEL_REPLY_UNUSABLE: code(
    422,
    "unavailable",
    "Send less at once or ask otherwise; if it happens with every request, the operator chooses another model (LOOM_LLM_MODEL)."
  ),
  MODEL_BUDGET_SPENT: code(
    429,
    "limit",
    "Wait `retry_after_s` seconds: the budget of tokens is renewed at midnight UTC (LOOM_LLM_TOKENS_PER_DAY).",
    true
  )
} as const satisfies Record<string, CodeFacts>

export type RefusalCode = keyof typeof refusalCodes

/** Every code of a refusal. */
export const refusalCodeNames = Object.keys(refusalCodes).filter((name): name is RefusalCode => name in refusalCodes)

/** The request was understood and is not carried out: `code` says which rule, `facts` what it met (never a value). */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  code: Schema.Literal(...refusalCodeNames),
  message: Schema.String,
  facts: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), { default: () => ({}) })
}) {}

/** A store, model or embedder cannot be reached: try again with the same idempotency key. The cause is in the log. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  operation: Schema.String
}) {
  override get message() {
    return `${this.operation} is unavailable`
  }
}

/** Too much work is queued: wait `retry_after_s` seconds and try again. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  retry_after_s: Schema.Number
}) {
  override get message() {
    return "Too many requests are queued"
  }
}

/** Stored data does not decode: trying again cannot help, an operator must look at `operation`. */
export class Corrupt extends Schema.TaggedError<Corrupt>()("Corrupt", {
  operation: Schema.String
}) {
  override get message() {
    return `${this.operation} met data that does not decode`
  }
}

export const LoomError = Schema.Union(Refusal, Unavailable, Overloaded, Corrupt)
export type LoomError = typeof LoomError.Type

/** The failures of a store or an embedder. */
export type StoreError = Unavailable | Corrupt

const otherCodes = {
  Unavailable: { name: "UNAVAILABLE", ...code(503, "unavailable", "Try again with the same idempotency key.", true) },
  Overloaded: { name: "OVERLOADED", ...code(429, "limit", "Wait `retry_after_s` seconds and try again.", true) },
  Corrupt: { name: "INTERNAL", ...code(500, "internal", "Give the request id to the operator.") }
} as const

/** All codes with their facts, for `docs/errors.md` and `GET /v1/verbs`. */
export const allCodes: ReadonlyArray<CodeFacts & { readonly name: string }> = [
  ...refusalCodeNames.map((name) => ({ name, ...refusalCodes[name] })),
  ...Object.values(otherCodes)
]

/** The wire form of an error: `{"detail": {...}}` with its HTTP status. */
export interface WireError {
  readonly status: number
  readonly body: {
    readonly detail: {
      readonly code: string
      readonly message: string
      readonly category: string
      readonly retryable: boolean
      readonly [fact: string]: unknown
    }
  }
}

export const toWire = (error: LoomError): WireError => {
  switch (error._tag) {
    case "Refusal": {
      const { category, retryable, status } = refusalCodes[error.code]
      return {
        status,
        body: { detail: { ...error.facts, code: error.code, message: error.message, category, retryable } }
      }
    }
    case "Overloaded": {
      const { category, name, retryable, status } = otherCodes.Overloaded
      return {
        status,
        body: {
          detail: { code: name, message: error.message, category, retryable, retry_after_s: error.retry_after_s }
        }
      }
    }
    case "Unavailable":
    case "Corrupt": {
      const { category, name, retryable, status } = otherCodes[error._tag]
      return { status, body: { detail: { code: name, message: error.message, category, retryable } } }
    }
  }
}

/** A refusal in one line: the code, a message in plain words, and what it met. */
export const refuse = (code: RefusalCode, message: string, facts: Record<string, unknown> = {}): Refusal =>
  new Refusal({ code, message, facts })
