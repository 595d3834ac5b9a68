/**
 * The namespace verbs: register (and change) a namespace's policies, read one, list those the token opens.
 */
import * as Schema from "effect/Schema"
import { Name } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { ConflictPolicy } from "./NamespaceModel.ts"

const NamespaceView = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  registered: Schema.Boolean,
  default_conflict_policy: ConflictPolicy,
  description: Schema.String,
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
    when: "A namespace needs another conflict policy than auto_reinforce.",
    whenNot: "The defaults fit: a namespace needs no registration."
  },
  payload: Schema.Struct({
    org: Schema.optional(Name),
    namespace: Name,
    default_conflict_policy: Schema.optional(ConflictPolicy),
    description: Schema.optional(Schema.String.pipe(Schema.maxLength(2048)))
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
  payload: Schema.Struct({ org: Schema.optional(Name), namespace: Schema.optional(Name) }),
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
