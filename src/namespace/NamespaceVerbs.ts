/**
 * The namespace verbs: register (and change) a namespace's policies, read one, list those the token opens.
 */
import * as Schema from "effect/Schema"
import { Name, NamespaceName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import {
  ConflictPolicy,
  MultiValuedPredicates,
  TagRegistry,
  ThresholdPins,
  TypeThresholds
} from "./NamespaceSettingsModel.ts"

const NamespaceView = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  registered: Schema.Boolean,
  default_conflict_policy: ConflictPolicy,
  description: Schema.String,
  tag_registry: TagRegistry,
  thresholds: ThresholdPins,
  type_thresholds: TypeThresholds,
  multi_valued_predicates: MultiValuedPredicates,
  consolidation: Schema.Boolean,
  created_at: Schema.NullOr(Schema.String),
  updated_at: Schema.NullOr(Schema.String)
})

export const NamespaceRegister = make("namespace.register", {
  access: "admin",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what: "Register a namespace or change its policies; what is left out is kept.",
    when: "A namespace needs another conflict policy than auto_reinforce, or rules for tags, types or predicates.",
    whenNot: "The defaults fit: a namespace needs no registration.",
    args:
      "A token bound to one user may not: the settings hold for every user. Each setting is replaced as a whole; null clears it. tag_registry gives a tag its own conflict policy, dedup (identity or none: whether memory.bulk_set takes a live row with the same bytes, of the same agent and user, for the fact; memory.set merges the same canonical form either way) and retention_seconds; it stands before the default, and of several tags the strictest counts. thresholds and type_thresholds pin the cosines from which a close memory that may say otherwise is a conflict (conflict) and one that says the same a duplicate (duplicate); one that surely says otherwise is a conflict from a little below, whatever is pinned. calibration.get tells what is in force and what it decides. multi_valued_predicates names those of which a subject has several at once, such as speaks. consolidation=true has fragments about one subject merged in the background (memory.consolidate does it once)."
  },
  payload: Schema.Struct({
    org: Schema.optional(Name),
    namespace: NamespaceName,
    default_conflict_policy: Schema.optional(ConflictPolicy),
    description: Schema.optional(Schema.String.pipe(Schema.maxLength(2048))),
    tag_registry: Schema.optional(Schema.NullOr(TagRegistry)),
    thresholds: Schema.optional(Schema.NullOr(ThresholdPins)),
    type_thresholds: Schema.optional(Schema.NullOr(TypeThresholds)),
    multi_valued_predicates: Schema.optional(Schema.NullOr(MultiValuedPredicates)),
    consolidation: Schema.optional(Schema.NullOr(Schema.Boolean))
  }),
  answer: NamespaceView
})

export const NamespaceGet = make("namespace.get", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Read a namespace's policies.",
    when: "You need to know what a write will do here.",
    whenNot: "You look for memories (memory.list, memory.search)."
  },
  payload: Schema.Struct({ org: Schema.optional(Name), namespace: Schema.optional(NamespaceName) }),
  answer: NamespaceView
})

export const NamespaceList = make("namespace.list", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "List the registered namespaces that the token opens.",
    when: "You choose where to read or write.",
    whenNot: "The namespace is known."
  },
  payload: Schema.Struct({ org: Schema.optional(Name) }),
  answer: Schema.Struct({ namespaces: Schema.Array(NamespaceView) })
})
