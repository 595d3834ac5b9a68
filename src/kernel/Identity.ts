/**
 * Whose memory it is: the identity tuple (org, namespace, agent, user_id, session_id, memory_key). It leads every sort
 * key, and `Scope` (org and namespace) is an argument that no query can be built without. The text rules for names and
 * keys are written once, here and in ADR 0003: nothing is folded or trimmed in silence, what does not fit is refused.
 */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** The user id of "nobody in particular"; an empty user_id is the same user. */
export const ANONYMOUS = "-"

// Long enough for a UUID pair with a prefix; short enough that six of them keep a sort key small.
const MAX_NAME = 256
// A readable path of about ten segments. UTF-16 code units.
const MAX_KEY = 512

// Control characters, line and paragraph separators, zero-width and bidi marks: invisible in a listing.
const INVISIBLE = /[\p{Cc}\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/u

const textFault = (text: string, max: number): string | undefined => {
  if (text.length > max) return `is longer than ${max} characters`
  if (!text.isWellFormed()) return "holds a lone surrogate"
  if (INVISIBLE.test(text)) return "holds a control or invisible character"
  if (text.trim() !== text) return "begins or ends with white space"
  if (text.normalize("NFC") !== text) return "is not in Unicode NFC form; send the NFC form"
  return undefined
}

const checked = (identifier: string, fault: (text: string) => string | undefined) =>
  Schema.String.pipe(
    Schema.filter((text) => fault(text) ?? true, { identifier, jsonSchema: { type: "string" } })
  )

/** A name that must not be empty: org, namespace. */
export const Name = checked(
  "Name",
  (text) => text.length === 0 ? "is empty" : textFault(text, MAX_NAME)
)

const namespaceFault = (text: string): string | undefined => {
  if (text === "*") return "is `*`, which stands for every namespace"
  if (text.includes("/")) return "holds a `/`, which parts keys"
  if (text === "." || text.includes("..")) return "is `.` or holds `..`"
  return text.length === 0 ? "is empty" : textFault(text, MAX_NAME)
}

/**
 * A namespace as a request names it. `*` means all of them in a token, and one that reads like a path (`../x`) could be
 * taken for another where it stands in an address or a file name. Stored rows keep theirs: they are read as `Name`.
 */
export const NamespaceName = checked("NamespaceName", namespaceFault)

/** A name that may be empty (meaning: none): agent, session_id, run_id. */
export const OptionalName = checked("OptionalName", (text) => textFault(text, MAX_NAME))

/** A user id; the empty string is the anonymous user `-`. */
export const UserId = Schema.transform(OptionalName, OptionalName, {
  strict: true,
  decode: (text) => text === "" ? ANONYMOUS : text,
  encode: (text) => text
}).annotations({ identifier: "UserId", jsonSchema: { type: "string" } })

const keyFault = (key: string): string | undefined => {
  if (key.length === 0) return "is empty"
  const fault = textFault(key, MAX_KEY)
  if (fault !== undefined) return fault
  const segments = key.split("/")
  if (segments.some((segment) => segment === "")) return "has an empty path segment (`//`, or a slash at an end)"
  if (segments.some((segment) => segment === "." || segment === "..")) return "has a `.` or `..` path segment"
  return undefined
}

/** `<scope>/<kind>/<id>`: one attribute of one subject. Case counts; NFC only; no empty, `.` or `..` segment. */
export const MemoryKey = checked("MemoryKey", keyFault)

/** The part of the identity that every query is bound to. */
export const Scope = Schema.Struct({ org: Name, namespace: Name })
export type Scope = typeof Scope.Type

/** Who wrote a row, within a scope. */
export const Writer = Schema.Struct({ agent: OptionalName, user_id: UserId, session_id: OptionalName })
export type Writer = typeof Writer.Type

/** The whole storage identity of one memory. */
export const Identity = Schema.Struct({ ...Scope.fields, ...Writer.fields, memory_key: MemoryKey })
export type Identity = typeof Identity.Type

/** The identity alone of a row that has it. */
export const identityOf = ({ agent, memory_key, namespace, org, session_id, user_id }: Identity): Identity => ({
  org,
  namespace,
  agent,
  user_id,
  session_id,
  memory_key
})

/** One string for a writer and key within a namespace; no two differ and collide, since the separator is refused. */
export const identityKey = (row: Writer & { readonly memory_key: string }): string =>
  `${row.agent}\u0000${row.user_id}\u0000${row.session_id}\u0000${row.memory_key}`

/** The actor's address: one actor per namespace (ADR 0002). Percent-encoding keeps `/` a separator. */
export const actorId = (scope: Scope): string =>
  `${encodeURIComponent(scope.org)}/${encodeURIComponent(scope.namespace)}`

/** The scope an actor's address stands for. */
export const ActorScope = Schema.transformOrFail(Schema.String, Scope, {
  strict: true,
  decode: (id, _, ast) => {
    const [org, namespace, ...rest] = id.split("/")
    return org === undefined || namespace === undefined || rest.length > 0
      ? ParseResult.fail(new ParseResult.Type(ast, id, "not an actor address"))
      : ParseResult.succeed({ org: decodeURIComponent(org), namespace: decodeURIComponent(namespace) })
  },
  encode: (scope) => ParseResult.succeed(actorId(scope))
})
