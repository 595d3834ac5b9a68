/**
 * The namespace actor: the one writer of a namespace. A mailbox loop takes every queued request, judges them in order
 * against what is stored and the earlier writes of the batch, hands the judged batch to the committer, and answers when
 * it is in. After a failed or unknown commit it forgets its state and activates again (which repairs) before the next
 * batch. Read on: `MemoryPlan` (what a command does), `Committer` (how it is written), `ActorState` (what is known).
 */
import * as Entity from "@effect/cluster/Entity"
import type { Replier } from "@effect/cluster/Entity"
import type * as Envelope from "@effect/cluster/Envelope"
import type * as Sharding from "@effect/cluster/Sharding"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ActorScope } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import { runBatch } from "./ActorBatch.ts"
import type { Reply } from "./ActorBatch.ts"
import type { ActorRules } from "./ActorRules.ts"
import * as ActorState from "./ActorState.ts"
import type { Committer } from "./Committer.ts"
import { gather } from "./Gather.ts"
import { NamespaceEntity } from "./MemoryCommand.ts"
import type { FailedItem, SetItem } from "./MemoryCommand.ts"
import type { MemoryIntake } from "./MemoryIntake.ts"
import type { MemoryStore } from "./MemoryStore.ts"
import type { WritePolicy } from "./WritePolicy.ts"

export interface Options extends ActorState.StateOptions {
  /** Requests queued and running; beyond it a caller is told OVERLOADED. */
  readonly mailboxCapacity: number
  /** An actor with nothing to do for this long (milliseconds) is put away. */
  readonly maxIdleMillis: number
}

export const defaultOptions: Options = {
  // About three commits' worth of waiting writes at 64 a batch (cluster.md: 64 to 256).
  mailboxCapacity: 256,
  maxIdleMillis: 5 * 60_000,
  bounds: ActorState.defaultBounds,
  bulkDedup: "identity"
}

type Rpcs = typeof NamespaceEntity extends Entity.Entity<infer _Type, infer R> ? R : never
type Request = Envelope.Request<Rpcs>

// One batch is one commit and one block: enough to fill it, small enough that its answers do not wait for a whole mailbox
// of bulks, and in UTF-16 units of values far below the size at which the engine would split an insert.
const MAX_ROWS = 500
const MAX_SIZE = 16 * 1024 * 1024

export const layer = (options: Options = defaultOptions): Layer.Layer<
  never,
  never,
  Sharding.Sharding | MemoryStore | Committer | WritePolicy | ActorRules | MemoryIntake
> =>
  NamespaceEntity.toLayerMailbox(
    Effect.gen(function*() {
      const context = yield* Effect.context<MemoryStore | Committer | WritePolicy | ActorRules | MemoryIntake>()
      const address = yield* Entity.CurrentAddress
      const life = yield* Effect.scope
      const scope = yield* Effect.orDie(Schema.decode(ActorScope)(address.entityId))
      let state: ActorState.ActorState | null = null
      let callers = 0

      const handle = (requests: ReadonlyArray<Request>): Effect.Effect<ReadonlyArray<Reply>> =>
        Effect.gen(function*() {
          if (state === null) {
            const fresh = yield* ActorState.activate(scope, options)
            state = fresh
            // What cannot be read ahead is read when it is met.
            yield* ActorState.warm(scope, fresh, () => state === fresh).pipe(Effect.ignore, Effect.forkIn(life))
          }
          return yield* runBatch(scope, state, requests.map((request) => request.payload), options.bulkDedup)
        }).pipe(
          // Whatever failed, what is in memory may no longer be what is stored.
          Effect.tapErrorCause((cause) =>
            Effect.zipRight(
              Effect.sync(() => {
                state = null
              }),
              Effect.logWarning("A batch failed; the actor activates again before the next", cause)
            )
          ),
          Effect.catchAllCause((cause) => Effect.succeed(requests.map(() => Exit.fail(failure(cause))))),
          Effect.provide(context)
        )

      return (mailbox: Mailbox.ReadonlyMailbox<Request>, replier: Replier<Rpcs>) =>
        Effect.gen(function*() {
          yield* gather(callers, () => Option.getOrNull(mailbox.unsafeSize()))
          const waiting = Chunk.toReadonlyArray(yield* take(mailbox))
          for (const batch of batches(waiting)) {
            const replies = yield* Effect.uninterruptible(handle(batch))
            yield* Effect.forEach(
              batch,
              (request, index) =>
                replier.complete(
                  request,
                  replies[index] ?? Exit.fail(new Unavailable({ operation: "NamespaceActor" }))
                ),
              {
                discard: true
              }
            )
          }
          callers = waiting.length + Option.getOrElse(mailbox.unsafeSize(), () => 0)
        }).pipe(Effect.forever)
    }),
    {
      mailboxCapacity: options.mailboxCapacity,
      maxIdleTime: options.maxIdleMillis,
      // A defect answers its own caller; the default would re-run every request in flight for ever (cluster.md).
      disableFatalDefects: true
    }
  )

/** Cuts the queue, in order, into batches within the bounds; a request too large for any stands alone. */
const batches = (waiting: ReadonlyArray<Request>): ReadonlyArray<ReadonlyArray<Request>> => {
  const all: Array<Array<Request>> = []
  let rows = 0
  let size = 0
  for (const request of waiting) {
    const weight = weightOf(request.payload)
    rows += weight.rows
    size += weight.size
    const last = all[all.length - 1]
    if (last !== undefined && rows <= MAX_ROWS && size <= MAX_SIZE) {
      last.push(request)
    } else {
      all.push([request])
      rows = weight.rows
      size = weight.size
    }
  }
  return all
}

const contentSize = (item: SetItem | FailedItem): number => "content" in item ? item.content.value.length : 0

const weightOf = (command: Request["payload"]): { readonly rows: number; readonly size: number } => {
  switch (command._tag) {
    case "memory.bulk_set":
      return { rows: command.items.length, size: command.items.reduce((sum, item) => sum + contentSize(item), 0) }
    case "memory.set":
      return { rows: 1, size: contentSize(command.item) }
    case "memory.update":
    case "memory.update_by_id":
      return { rows: 1, size: command.content?.value.length ?? 0 }
    case "memory.transition":
      return {
        rows: command.items.length,
        size: command.items.reduce((sum, item) => sum + (item.content?.value.length ?? 0), 0)
      }
    default:
      return { rows: 1, size: 0 }
  }
}

const take = (mailbox: Mailbox.ReadonlyMailbox<Request>) =>
  Effect.flatMap(
    mailbox.takeAll,
    ([requests, done]) => done && Chunk.isEmpty(requests) ? Effect.interrupt : Effect.succeed(requests)
  )

const failure = (cause: Cause.Cause<LoomError>): LoomError =>
  Either.match(Cause.failureOrCause(cause), {
    onLeft: (error) => error,
    onRight: () => new Unavailable({ operation: "NamespaceActor" })
  })
