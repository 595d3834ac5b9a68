/** The verb by which an admin looks at the processes that write: who holds what, what waits, and what is left undone. */
import * as Schema from "effect/Schema"
import { NamespaceName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { ClusterView } from "./ClusterModel.ts"

export const OpsCluster = make("ops.cluster", {
  access: "admin",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "Tell which runner holds which shards and namespaces, under which epoch, and what waits: full mailboxes, open intents, copies, messages.",
    when: "Writes are slow or refused as OVERLOADED, or you add, drain or upgrade runners.",
    whenNot: "You want to know whether everything answers (ops.health) or how background work fares (ops.workers).",
    args:
      "Namespaces with the most waiting come first; limit is how many (100 by default, at most 1000), and what is left out is counted. The root token sees the namespaces of every org."
  },
  payload: Schema.Struct({
    namespace: Schema.optional(NamespaceName),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 1000)))
  }),
  answer: ClusterView
})
