/**
 * One thing to import: the fields of a `memory.set` and where they go. A line of JSONL is either such a payload or a row
 * as `memory.list` and `loom export` show it, of which what a writer may state is kept. Pure.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { parse } from "../../src/kernel/Json.ts"
import { parseTime } from "../../src/kernel/Time.ts"
import { payloadFields } from "../../src/kernel/Verb.ts"
import { BulkItem } from "../../src/memory/MemoryVerbs.ts"

type Fields = { readonly [field: string]: unknown }

export interface ImportItem {
  /** Names the item in its source: `line 12`, or a turn. */
  readonly id: string
  readonly scope: { readonly org?: string; readonly namespace?: string }
  /** The fields of one item of `memory.bulk_set`. */
  readonly fields: Fields
  /** Whether it holds fields that only `memory.set` takes, so that it goes alone. */
  readonly alone: boolean
}

/** An item that cannot be sent at all. */
export interface ItemFault {
  readonly id: string
  readonly memory_key: string | null
  readonly code: string
  readonly message: string
}

const isFields = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const bulkFields = payloadFields({ payload: BulkItem })

// What only a stored row has.
const rowFields = ["memory_id", "version_text", "content_sha256"]

/** What an import may keep as it was declared; all else that is stored was asserted or observed elsewhere. */
const keptClasses: ReadonlySet<unknown> = new Set(["derived", "external"])

// What a row shows of a fact that its writer did not state.
const unstated: ReadonlySet<unknown> = new Set([undefined, null, "", false, "none"])

const isStated = (value: unknown): boolean => !unstated.has(value) && !(Array.isArray(value) && value.length === 0)

/** The statement that a stored row makes, as its writer would state it again. */
const statementOf = (row: Fields): Fields =>
  Object.fromEntries(
    bulkFields
      .filter((name) => name === "value" ? name in row : isStated(row[name]))
      .map((name) => [name, row[name]])
  )

/** A time to live in whole seconds, at least one, until the row would have ended. */
const withLifetime = ({ expires_at, ...fields }: Fields, now: number): Fields => {
  if (expires_at === undefined || expires_at === null) return fields
  const ends = typeof expires_at === "string" ? parseTime(expires_at) : "is no text"
  // What is no time goes on as it is, and the server says so.
  if (typeof ends === "string") return { ...fields, expires_at }
  return { ...fields, ttl_seconds: Math.max(1, Math.ceil((ends.millis - now) / 1000)) }
}

const sourceClass = (isRow: boolean, declared: unknown): unknown =>
  declared === undefined || (isRow && !keptClasses.has(declared)) ? "imported" : declared

/** The item of a payload or row; the namespace of the command line wins over the one it names. */
export const fromFields = (
  id: string,
  given: Fields,
  namespace: string | undefined,
  now: number
): Either.Either<ImportItem, ItemFault> => {
  const memory_key = typeof given["memory_key"] === "string" ? given["memory_key"] : null
  if (given["value_withheld"] === true) {
    const message = "The line holds no value: it was withheld when the row was read"
    return Either.left({ id, memory_key, code: "VALUE_WITHHELD", message })
  }
  const wrong = ["org", "namespace"].find((name) => given[name] !== undefined && typeof given[name] !== "string")
  if (wrong !== undefined) {
    return Either.left({ id, memory_key, code: "INVALID_ARGUMENT", message: `\`${wrong}\` is no text` })
  }
  const isRow = rowFields.some((name) => name in given)
  // The key of a line guards its own call elsewhere; here the import has its own.
  const { idempotency_key: _, namespace: own, org, ...rest } = given
  const stated = withLifetime(isRow ? { ...statementOf(rest), expires_at: rest["expires_at"] ?? null } : rest, now)
  const fields = { ...stated, source_class: sourceClass(isRow, rest["source_class"]) }
  return Either.right({
    id,
    scope: {
      ...(typeof org === "string" ? { org } : {}),
      ...(namespace !== undefined ? { namespace } : typeof own === "string" ? { namespace: own } : {})
    },
    fields,
    alone: "dry_run" in fields || "proposed" in fields
  })
}

/** The item of one line of JSONL. */
export const fromLine = (
  id: string,
  line: string,
  namespace: string | undefined,
  now: number
): Either.Either<ImportItem, ItemFault> => {
  const parsed = parse(line)
  if (Either.isLeft(parsed)) {
    const { kind, message } = parsed.left
    return Either.left({ id, memory_key: null, code: kind === "syntax" ? "BAD_JSON" : "INVALID_ARGUMENT", message })
  }
  return isFields(parsed.right)
    ? fromFields(id, parsed.right, namespace, now)
    : Either.left({ id, memory_key: null, code: "INVALID_ARGUMENT", message: "The line is no JSON object" })
}
