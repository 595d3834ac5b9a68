/**
 * The way from an edge to the namespace actor. Cluster words end here: a full mailbox is `Overloaded`, anything else
 * that keeps the actor from answering in time is `Unavailable`, and both may be tried again with the same idempotency
 * key.
 *
 * Between processes a call can be lost with its runner, or meet one that has just lost the namespace. The cluster itself
 * calls again where no runner, a gone one, or the wrong one was met, for as long as the call has time. What it leaves to
 * its caller, `layerCluster` tries again here, in the time of the one call and under its one mark, by which an actor
 * knows a write that is already in.
 */
import type { Sharding } from "@effect/cluster/Sharding"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { Overloaded, Unavailable } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import { ACTOR_STOPPED, NamespaceEntity } from "./MemoryCommand.ts"
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
  UpdateCommand,
  WriteMeta
} from "./MemoryCommand.ts"
import type { MemoryBulkSet, MemoryDelete, MemoryRestore, MemorySet, MemoryUpdate } from "./MemoryVerbs.ts"
import { answeredOnce } from "./WriteKeys.ts"

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

/** What can stand between a call and its answer, the actor's own errors included. */
type CallError = LoomError | { readonly _tag: string }

/** How calls are made. */
interface Manner {
  /** Tries again what may be tried again. */
  readonly tried: <A, E extends CallError>(reply: Effect.Effect<A, E>) => Effect.Effect<A, E | CallError>
  /** Marks a command, so that its actor knows it when it comes again. */
  readonly marked: <C extends { readonly meta: WriteMeta }>(command: C) => C
}

/** In one process nothing is lost on the way, and nothing comes twice. */
const once: Manner = { tried: (reply) => reply, marked: (command) => command }

/**
 * The actor ended before it answered, with its runner or with its hold on the namespace. It never leaves this module:
 * when its time is up the call is `Unavailable`.
 */
class ActorGone extends Data.TaggedError("ActorGone") {}

/** What broke on the way or in the actor was nothing that either foresees. It never leaves this module. */
class CallBroken extends Data.TaggedError("CallBroken")<{ readonly cause: Cause.Cause<never> }> {}

// The first soon, since most runners let a namespace go within a commit; then at ease with a fail-over of seconds. Spread
// out, since a lost runner's callers all come at once.
const AGAIN = Schedule.jittered(
  Schedule.union(Schedule.exponential("25 millis", 2), Schedule.spaced("500 millis"))
)

/**
 * What another try may mend: the runner is at the same call already (its answer was lost on the way), its inbox could not
 * be reached, the actor went away, or it found that the namespace is no longer its own.
 */
const passes = (error: CallError): boolean => {
  switch (error._tag) {
    case "ActorGone":
    case "AlreadyProcessingMessage":
    case "PersistenceError":
      return true
    case "Unavailable":
      return "operation" in error && isLostNamespace(String(error.operation))
    default:
      return false
  }
}

// A runner that goes breaks what it was sending once; another try meets the next one.
const BROKEN_TRIES = 3

/** How often a call that was lost on the way was made again from here, by what became of it. */
const retries = Metric.counter("loom_call_retries_total", {
  description: "Calls to namespace actors that broke off and were tried again, by reason",
  incremental: true
})

const again = ({ _tag }: CallError) => Metric.update(Metric.tagged(retries, "reason", _tag), 1)

const isBroken = (error: CallError | CallBroken): error is CallBroken => error._tag === "CallBroken"

/** Said by the actor when the fence refused its commit, or when it was stopped amid one. */
const isLostNamespace = (operation: string): boolean => operation.startsWith("Fence.") || operation === ACTOR_STOPPED

const untilAnswered = (): Manner => {
  let calls = 0
  return {
    tried: (reply) =>
      reply.pipe(
        // The end of a remote actor comes as an interrupt that nobody asked for here.
        Effect.catchAllCause((cause): Effect.Effect<never, CallError | CallBroken> =>
          Either.match(Cause.failureOrCause(cause), {
            onLeft: (error) => Effect.fail(error),
            onRight: (defect) =>
              Effect.fail(Cause.isInterruptedOnly(defect) ? new ActorGone() : new CallBroken({ cause: defect }))
          })
        ),
        Effect.tapError((error) => passes(error) || isBroken(error) ? again(error) : Effect.void),
        Effect.retry({ schedule: AGAIN, while: passes }),
        // A connection that ends amid a message looks like this too; what is broken for good stays so.
        Effect.retry({ schedule: AGAIN, times: BROKEN_TRIES, while: isBroken }),
        Effect.catchIf(isBroken, ({ cause }) => Effect.failCause(cause))
      ),
    marked: (command) => ({ ...command, meta: answeredOnce(command.meta, calls++) })
  }
}

const make = ({ marked, tried }: Manner) =>
  Effect.map(NamespaceEntity.client, (actor): MemoryClient["Type"] => {
    const call = <A, E extends CallError>(verb: string, reply: Effect.Effect<A, E>): Effect.Effect<A, LoomError> =>
      tried(reply).pipe(
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
      set: (scope, command) => call("memory.set", actor(actorId(scope))["memory.set"](marked(command))),
      bulkSet: (scope, command) => call("memory.bulk_set", actor(actorId(scope))["memory.bulk_set"](marked(command))),
      update: (scope, command) => call("memory.update", actor(actorId(scope))["memory.update"](marked(command))),
      updateById: (scope, command) =>
        call("memory.update_by_id", actor(actorId(scope))["memory.update_by_id"](marked(command))),
      delete: (scope, command) => call("memory.delete", actor(actorId(scope))["memory.delete"](marked(command))),
      restore: (scope, command) => call("memory.restore", actor(actorId(scope))["memory.restore"](marked(command))),
      transition: (scope, command) =>
        call("memory.transition", actor(actorId(scope))["memory.transition"](marked(command))),
      answer: (scope, command) => call("memory.answer", actor(actorId(scope))["memory.answer"](command)),
      auditRead: (scope, command) => call("memory.audit_read", actor(actorId(scope))["memory.audit_read"](command)),
      activate: (scope) => call("activate", actor(actorId(scope)).activate({ _tag: "activate" }))
    }
  })

/** The actors of this process. */
export const layer: Layer.Layer<MemoryClient, never, Sharding> = Layer.effect(MemoryClient, make(once))

/** The actors of a cluster's runners: a call is tried until its time is up, and is one write however often it arrives. */
export const layerCluster: Layer.Layer<MemoryClient, never, Sharding> = Layer.effect(
  MemoryClient,
  Effect.suspend(() => make(untilAnswered()))
)

const isLoomError = (error: CallError): error is LoomError =>
  error._tag === "Refusal" || error._tag === "Unavailable" || error._tag === "Overloaded" || error._tag === "Corrupt"
