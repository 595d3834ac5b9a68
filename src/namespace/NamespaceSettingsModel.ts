/**
 * The further policies of a namespace, kept as JSON beside its registration: what a tag brings with it, pinned
 * thresholds, and the predicates that hold several values. A row written before a setting existed reads as if the
 * setting had never been made. `settingsFor` answers which of them hold for one memory.
 */
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"

/** One message for a choice among words, instead of one for each word. */
const says = (message: string) => ({ message: () => ({ message, override: true }) })

/** What a write that contradicts a stored memory does. */
export const ConflictPolicy = Schema.Literal("auto_reinforce", "manual_review", "newest_wins", "append_only")
export type ConflictPolicy = typeof ConflictPolicy.Type

export const DEFAULT_CONFLICT_POLICY: ConflictPolicy = "auto_reinforce"

/** Whether a write of the same bytes counts as the fact that is there, or as a row of its own. */
export const Dedup = Schema.Literal("identity", "none")
  .annotations(says("is neither identity nor none"))
export type Dedup = typeof Dedup.Type

// A namespace with more distinct rules than this is several namespaces; it also keeps the row and its listing small.
const MAX_TAGS = 256
const MAX_TYPES = 64
const MAX_PREDICATES = 256
// A century: longer is a mistake in the unit.
const MAX_RETENTION_SECONDS = 3_155_760_000

/** What is wrong with a text of the owner's own: a tag, a predicate. */
const labelFault = (max: number) => (text: string): string | undefined =>
  text.trim().length === 0
    ? "is blank"
    : text.length > max
    ? `is longer than ${max} characters`
    : !text.isWellFormed()
    ? "holds a lone surrogate"
    : /\p{Cc}/u.test(text)
    ? "holds a control character"
    : undefined

/** Memory types are named as in `memory.set`. */
const typeFault = (text: string): string | undefined =>
  /^[a-z][a-z0-9_.:-]{0,63}$/.test(text)
    ? undefined
    : "is not a type name: lower-case letters, digits and _ . : - (at most 64)"

/** A record with at most `max` names, each checked; a fault is told at its name. */
const bounded = <A, I>(value: Schema.Schema<A, I>, max: number, fault: (name: string) => string | undefined) =>
  Schema.Record({ key: Schema.String, value }).pipe(
    Schema.filter((all) => {
      // Assigning to this one name sets the prototype instead, so it would be lost in silence.
      if (Object.getPrototypeOf(all) !== Object.prototype) return "names `__proto__`, which cannot be used"
      const names = Object.keys(all)
      if (names.length > max) return `names more than ${max}`
      return names.flatMap((name) => {
        const message = fault(name)
        return message === undefined ? [] : [{ path: [name], message }]
      })
    })
  )

/** What a tag brings to every memory that carries it; what is left out, the tag leaves to others. */
export const TagRules = Schema.Struct({
  conflict: Schema.optional(ConflictPolicy),
  dedup: Schema.optional(Dedup),
  /** How long a memory is kept after it was written. */
  retention_seconds: Schema.optional(Schema.Int.pipe(Schema.between(1, MAX_RETENTION_SECONDS)))
})
export type TagRules = typeof TagRules.Type

const Cosine = Schema.Number.pipe(Schema.between(0, 1))

/** Cosines pinned by the namespace's owner, either or both. */
export const ThresholdPins = Schema.Struct({
  /** At or above it a memory is a peer that the write is compared with. */
  conflict: Schema.optional(Cosine),
  /** At or above it a peer that says nothing else is a duplicate. */
  duplicate: Schema.optional(Cosine)
}).pipe(
  Schema.filter(({ conflict, duplicate }) =>
    conflict === undefined || duplicate === undefined || conflict <= duplicate ||
    "has a conflict threshold above the duplicate threshold"
  )
)
export type ThresholdPins = typeof ThresholdPins.Type

export const TagRegistry = bounded(TagRules, MAX_TAGS, labelFault(256))
export const TypeThresholds = bounded(ThresholdPins, MAX_TYPES, typeFault)
export const MultiValuedPredicates = Schema.Array(
  Schema.String.pipe(Schema.filter((text) => labelFault(128)(text) ?? true, { jsonSchema: { type: "string" } }))
).pipe(Schema.maxItems(MAX_PREDICATES))

export const NamespaceSettings = Schema.Struct({
  tag_registry: Schema.optionalWith(TagRegistry, { default: () => ({}) }),
  thresholds: Schema.optionalWith(ThresholdPins, { default: () => ({}) }),
  type_thresholds: Schema.optionalWith(TypeThresholds, { default: () => ({}) }),
  /** Predicates of which a subject has several at once (`speaks`, `owns`): a new value never retires an older one. */
  multi_valued_predicates: Schema.optionalWith(MultiValuedPredicates, { default: () => [] }),
  /** Whether fragments about one subject are merged in the background. */
  consolidation: Schema.optionalWith(Schema.Boolean, { default: () => false })
})
export type NamespaceSettings = typeof NamespaceSettings.Type

export const noSettings: NamespaceSettings = {
  tag_registry: {},
  thresholds: {},
  type_thresholds: {},
  multi_valued_predicates: [],
  consolidation: false
}

/** What holds for one memory. */
export interface MemorySettings {
  readonly conflictPolicy: ConflictPolicy
  /** Null when no tag says: the operator's setting holds. */
  readonly dedup: Dedup | null
  /** Null when no tag says: the memory is kept. */
  readonly retentionSeconds: number | null
  /** What the namespace pinned for the memory's type; null when it pinned nothing. */
  readonly thresholds: ThresholdPins | null
}

/** The part of a registration that `settingsFor` reads. */
export interface Registered {
  readonly default_conflict_policy: ConflictPolicy
  readonly settings: NamespaceSettings
}

/**
 * From the strictest to the laxest, by how little is taken out of service without a person's word: under append_only
 * nothing is judged or retired; under manual_review a person retires; under auto_reinforce the resolver retires the
 * older side of an update it is sure of; under newest_wins every newer row retires the older ones.
 */
export const strictestFirst: ReadonlyArray<ConflictPolicy> = [
  "append_only",
  "manual_review",
  "auto_reinforce",
  "newest_wins"
]

/**
 * The settings of a memory with this type and these tags. A tag speaks louder than the namespace's default, whichever
 * is stricter: that is what it was registered for. Of several tags the strictest wins: the policy by `strictestFirst`,
 * dedup `none` before `identity` (it loses no row), and the shortest retention, since a window is a promise to let go.
 * Tags match in the case they were written in. A type's thresholds stand before the namespace's, each field by itself.
 */
export const settingsFor = (
  namespace: Registered | undefined,
  memory: { readonly memory_type: string; readonly tags: ReadonlyArray<string> }
): MemorySettings => {
  const settings = namespace?.settings ?? noSettings
  const rules = memory.tags.flatMap((tag) => Option.toArray(Record.get(settings.tag_registry, tag)))
  const retentions = rules.flatMap(({ retention_seconds }) => retention_seconds ?? [])
  return {
    conflictPolicy: strictestFirst.find((policy) => rules.some(({ conflict }) => conflict === policy)) ??
      namespace?.default_conflict_policy ?? DEFAULT_CONFLICT_POLICY,
    dedup: rules.some(({ dedup }) => dedup === "none")
      ? "none"
      : rules.some(({ dedup }) => dedup === "identity")
      ? "identity"
      : null,
    retentionSeconds: retentions.length === 0 ? null : Math.min(...retentions),
    thresholds: pinsFor(settings, memory.memory_type)
  }
}

const pinsFor = (settings: NamespaceSettings, memoryType: string): ThresholdPins | null => {
  const typed = typePins(settings, memoryType)
  const { thresholds } = settings
  if (!pinsSomething(typed) && !pinsSomething(thresholds)) return null
  // Where a type pins one side alone, the namespace's other side gives way, so that conflict stays at or below duplicate.
  const conflict = typed.conflict ??
    (thresholds.conflict === undefined ? undefined : Math.min(thresholds.conflict, typed.duplicate ?? 1))
  const duplicate = typed.duplicate ??
    (thresholds.duplicate === undefined ? undefined : Math.max(thresholds.duplicate, typed.conflict ?? 0))
  return { ...(conflict === undefined ? {} : { conflict }), ...(duplicate === undefined ? {} : { duplicate }) }
}

/** What the namespace pinned for this memory type alone. */
export const typePins = (settings: NamespaceSettings, memoryType: string): ThresholdPins =>
  Option.getOrElse(Record.get(settings.type_thresholds, memoryType), () => ({}))

export const pinsSomething = ({ conflict, duplicate }: ThresholdPins): boolean =>
  conflict !== undefined || duplicate !== undefined
