/**
 * The way from an edge to the namespace actor. Cluster words end here: a full mailbox is `Overloaded`, anything else
 * that keeps the actor from answering in time is `Unavailable`, and both may be tried again with the same idempotency
 * key.
 */
import type { Sharding } from "@effect/cluster/Sharding"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { Overloaded, Unavailable } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import { NamespaceEntity } from "./MemoryCommand.ts"
import type {
  AnswerCommand,
  AuditReadCommand,
  BulkCommand,
  DeleteCommand,
  FirstAnswerText,
  RestoreCommand,
  SetCommand,
  TransitionAnswer,
  TransitionCommand,
  UpdateByIdCommand,
  UpdateCommand
} from "./MemoryCommand.ts"
import type { MemoryBulkSet, MemoryDelete, MemoryRestore, MemorySet, MemoryUpdate } from "./MemoryVerbs.ts"

type Reply<A> = Effect.Effect<A, LoomError>

export class MemoryClient extends Context.Tag("loom/memory/MemoryClient")<MemoryClient, {
  readonly set: (scope: Scope, command: SetCommand) => Reply<Answer<typeof MemorySet>>
  readonly bulkSet: (scope: Scope, command: BulkCommand) => Reply<Answer<typeof MemoryBulkSet>>
  readonly update: (scope: Scope, command: UpdateCommand) => Reply<Answer<typeof MemoryUpdate>>
  readonly updateById: (scope: Scope, command: UpdateByIdCommand) => Reply<Answer<typeof MemoryUpdate>>
  readonly delete: (scope: Scope, command: DeleteCommand) => Reply<Answer<typeof MemoryDelete>>
  readonly restore: (scope: Scope, command: RestoreCommand) => Reply<Answer<typeof MemoryRestore>>
  /** Changes to rows already stored, other than new statements; each item is answered on its own. */
  readonly transition: (scope: Scope, command: TransitionCommand) => Reply<TransitionAnswer>
  /** Keeps the answer of a whole verb under its key, and gives the first that was kept there. */
  readonly answer: (scope: Scope, command: AnswerCommand) => Reply<FirstAnswerText>
  /** Writes a read of a high-sensitivity value into the audit chain; the value is answered only after that. */
  readonly auditRead: (scope: Scope, command: AuditReadCommand) => Reply<void>
  /** Brings the actor up, so that it repairs what a crash left behind. */
  readonly activate: (scope: Scope) => Reply<void>
}>() {}

// Longer than any healthy batch takes, shorter than a caller's own patience (60 s in the reference client).
const CALL_TIMEOUT = "30 seconds"
// A full mailbox drains within a few commits of some tens of milliseconds.
const RETRY_AFTER_SECONDS = 0.5

export const layer: Layer.Layer<MemoryClient, never, Sharding> = Layer.effect(
  MemoryClient,
  Effect.map(NamespaceEntity.client, (actor) => {
    const call = <A, E extends LoomError | { readonly _tag: string }>(
      verb: string,
      reply: Effect.Effect<A, E>
    ): Effect.Effect<A, LoomError> =>
      reply.pipe(
        Effect.catchAll((error): Effect.Effect<never, LoomError> =>
          isLoomError(error)
            ? Effect.fail(error)
            : error._tag === "MailboxFull"
            ? Effect.fail(new Overloaded({ retry_after_s: RETRY_AFTER_SECONDS }))
            : Effect.zipRight(
              Effect.logWarning("A namespace actor did not answer").pipe(
                Effect.annotateLogs({ verb, error: error._tag })
              ),
              Effect.fail(new Unavailable({ operation: verb }))
            )
        ),
        Effect.timeoutFail({ duration: CALL_TIMEOUT, onTimeout: () => new Unavailable({ operation: verb }) })
      )
    return {
      set: (scope, command) => call("memory.set", actor(actorId(scope))["memory.set"](command)),
      bulkSet: (scope, command) => call("memory.bulk_set", actor(actorId(scope))["memory.bulk_set"](command)),
      update: (scope, command) => call("memory.update", actor(actorId(scope))["memory.update"](command)),
      updateById: (scope, command) =>
        call("memory.update_by_id", actor(actorId(scope))["memory.update_by_id"](command)),
      delete: (scope, command) => call("memory.delete", actor(actorId(scope))["memory.delete"](command)),
      restore: (scope, command) => call("memory.restore", actor(actorId(scope))["memory.restore"](command)),
      transition: (scope, command) => call("memory.transition", actor(actorId(scope))["memory.transition"](command)),
      answer: (scope, command) => call("memory.answer", actor(actorId(scope))["memory.answer"](command)),
      auditRead: (scope, command) => call("memory.audit_read", actor(actorId(scope))["memory.audit_read"](command)),
      activate: (scope) => call("activate", actor(actorId(scope)).activate({ _tag: "activate" }))
    }
  })
)

const isLoomError = (error: LoomError | { readonly _tag: string }): error is LoomError =>
  error._tag === "Refusal" || error._tag === "Unavailable" || error._tag === "Overloaded" || error._tag === "Corrupt"
