/**
 * From the fields of a write request to what the actor is told: times in milliseconds, entities in canonical form, the
 * source class that the server stamps, the hashes of the idempotency key. Pure; refusals name the field.
 */
import * as Either from "effect/Either"
import type { Caller } from "../kernel/Caller.ts"
import { canonical, sha256 } from "../kernel/Json.ts"
import type { Json } from "../kernel/Json.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { parseTime } from "../kernel/Time.ts"
import type { Statement, WriteMeta } from "./MemoryCommand.ts"
import type { SourceClass } from "./MemoryModel.ts"
import type { BulkItem } from "./MemoryVerbs.ts"

type Stated = Omit<BulkItem, "memory_key" | "value" | "agent" | "user_id" | "session_id" | "run_id" | "if_match_sha256">

export interface Prepared {
  readonly statement: Statement
  readonly advisories: ReadonlyArray<string>
}

/** `now` in milliseconds: a time to live counts from it; `onExpire` is what an expiry does that does not say it. */
export const statementOf = (stated: Stated, now: number, onExpire = "tombstone"): Prepared => {
  const advisories: Array<string> = []
  const time = (field: "valid_at" | "valid_to", text: string | null): number | null => {
    if (text === null) return null
    const parsed = parseTime(text)
    // The request schema has refused what does not parse.
    if (typeof parsed === "string") return null
    if (parsed.naive) advisories.push(`${field} named no offset and was read as UTC`)
    return parsed.millis
  }
  const expiry = stated.clear_expiry === true || stated.ttl_seconds === null
    ? { expires_at: null, on_expire: "", expire_reason: "" }
    : stated.ttl_seconds !== undefined
    ? { expires_at: now + stated.ttl_seconds * 1000, on_expire: stated.on_expire ?? onExpire }
    : stated.on_expire !== undefined
    ? { on_expire: stated.on_expire }
    : {}
  const statement: Statement = {
    ...(stated.tags === undefined ? {} : { tags: unique(stated.tags) }),
    ...(stated.entities === undefined
      ? {}
      : { entities: unique(stated.entities.map(canonicalEntity)).filter((entity) => entity !== "") }),
    ...(stated.relations === undefined ? {} : { relations: JSON.stringify(stated.relations) }),
    ...(stated.files === undefined ? {} : { files: unique(stated.files) }),
    ...(stated.confidence === undefined ? {} : { confidence: stated.confidence }),
    ...(stated.source_trace === undefined ? {} : { source_trace: stated.source_trace }),
    ...(stated.source_resource_id === undefined ? {} : { source_resource_id: stated.source_resource_id }),
    ...(stated.expire_reason === undefined ? {} : { expire_reason: stated.expire_reason }),
    ...expiry,
    ...(stated.valid_at === undefined ? {} : { valid_at: time("valid_at", stated.valid_at) }),
    ...(stated.valid_to === undefined ? {} : { valid_to: time("valid_to", stated.valid_to) }),
    ...(stated.pinned === undefined ? {} : { pinned: stated.pinned }),
    ...(stated.char_limit === undefined ? {} : { char_limit: stated.char_limit }),
    ...(stated.memory_type === undefined ? {} : { memory_type: stated.memory_type }),
    ...(stated.sensitivity === undefined ? {} : { sensitivity: stated.sensitivity })
  }
  return { statement, advisories }
}

const unique = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

const declarable: ReadonlyArray<SourceClass> = ["derived", "external", "imported"]

/** What the server stamps, or the downgrade that the request declares; anything else is an upgrade and refused. */
export const sourceClassOf = (
  declared: string | undefined,
  stamped: SourceClass
): Either.Either<SourceClass, Refusal> => {
  if (declared === undefined) return Either.right(stamped)
  const found = declarable.find((one) => one === declared)
  return found === undefined
    ? Either.left(refuse("SOURCE_CLASS_UPGRADE", "`source_class` may only declare derived, external or imported", {
      field: "source_class",
      allowed: declarable
    }))
    : Either.right(found)
}

/** Whether the validity the request states ends before it begins. */
export const validityFault = ({ statement }: Prepared): Refusal | undefined =>
  typeof statement.valid_at === "number" && typeof statement.valid_to === "number" &&
    statement.valid_to < statement.valid_at
    ? refuse("INVALID_ARGUMENT", "`valid_to` lies before `valid_at`", { field: "valid_to" })
    : undefined

/** What an idempotency key stands for: the caller that used it, and the verb and request it was used with. */
export const idempotencyOf = (
  caller: Caller,
  verb: string,
  request: { readonly idempotency_key?: string | undefined }
): Pick<WriteMeta, "idem_hash" | "payload_hash"> => {
  if (request.idempotency_key === undefined) return { idem_hash: "", payload_hash: "" }
  const { idempotency_key, ...rest } = request
  const plain: Json = JSON.parse(JSON.stringify(rest))
  return {
    idem_hash: sha256(canonical([caller.actor, caller.boundUser, idempotency_key])),
    payload_hash: sha256(canonical([verb, plain]))
  }
}
