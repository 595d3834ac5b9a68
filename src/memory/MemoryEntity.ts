/**
 * The namespace actor: the one writer of a namespace. A mailbox loop takes every queued request and hands them on, in
 * order, to be judged against what is stored and what was judged before, and to be answered when they are in. Read on:
 * `ActorPipeline` (judging beside writing), `MemoryPlan` (what a command does), `Committer` (how it is written),
 * `ActorState` (what is known).
 */
import * as Entity from "@effect/cluster/Entity"
import type { Replier } from "@effect/cluster/Entity"
import type * as Envelope from "@effect/cluster/Envelope"
import type * as Sharding from "@effect/cluster/Sharding"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as LifeScope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { ActorLoad } from "../kernel/ActorLoad.ts"
import { ActorScope } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { IndexLag, lagging } from "../kernel/IndexLag.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import { judgeBatch } from "./ActorBatch.ts"
import * as ActorMemory from "./ActorMemory.ts"
import * as ActorPipeline from "./ActorPipeline.ts"
import type { ActorRules } from "./ActorRules.ts"
import * as ActorState from "./ActorState.ts"
import { warm } from "./ActorWarm.ts"
import type { BeliefSources } from "./BeliefSources.ts"
import { MAX_ROWS, MAX_SIZE } from "./CommitMerge.ts"
import { Committer } from "./Committer.ts"
import * as Fence from "./Fence.ts"
import { gather } from "./Gather.ts"
import { ACTOR_STOPPED, NamespaceEntity } from "./MemoryCommand.ts"
import type { FailedItem, SetItem } from "./MemoryCommand.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Commit } from "./MemoryStore.ts"
import type { WritePolicy } from "./WritePolicy.ts"

export interface Options extends ActorState.StateOptions {
  /** Requests queued and running; beyond it a caller is told OVERLOADED. */
  readonly mailboxCapacity: number
  /** An actor with nothing to do for this long (milliseconds) is put away. */
  readonly maxIdleMillis: number
  /** For what all actors of the process know, together (`ActorMemory`). */
  readonly stateBytes: number
}

export const defaultOptions: Options = {
  // About three commits' worth of waiting writes at 64 a batch (cluster.md: 64 to 256).
  mailboxCapacity: 256,
  maxIdleMillis: 5 * 60_000,
  stateBytes: ActorMemory.DEFAULT_BYTES,
  bounds: ActorState.defaultBounds,
  bulkDedup: "identity"
}

type Rpcs = typeof NamespaceEntity extends Entity.Entity<infer _Type, infer R> ? R : never
type Request = Envelope.Request<Rpcs>

interface Asked {
  readonly request: Request
  readonly replier: Replier<Rpcs>
}

// Longer than the cluster takes to notice that a lock is another's (it looks every two seconds): by then an actor whose
// namespace moved is put away, and does not take it back from its rightful owner.
const LOST_MILLIS = 4_000

/** Mends the mirrors behind a commit of an actor's own; what an owner after it may be writing lies above that. */
const repair = (scope: Scope, { rows }: Commit) =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const intake = yield* MemoryIntake
    yield* store.repair(scope, intake.embedderId, rows[rows.length - 1]?.version)
  })

export const layer = (options: Options = defaultOptions): Layer.Layer<
  never,
  never,
  Sharding.Sharding | MemoryStore | BeliefSources | Fence.Fence | Committer | WritePolicy | ActorRules | MemoryIntake
> => Layer.suspend(() => actors(options, new ActorMemory.ActorMemory(options.stateBytes)))

const actors = (options: Options, memory: ActorMemory.ActorMemory) =>
  NamespaceEntity.toLayerMailbox(
    Effect.gen(function*() {
      const context = yield* Effect.context<
        MemoryStore | BeliefSources | Fence.Fence | Committer | WritePolicy | ActorRules | MemoryIntake
      >()
      const address = yield* Entity.CurrentAddress
      const life = yield* Effect.scope
      const scope = yield* Effect.orDie(Schema.decode(ActorScope)(address.entityId))
      const lag = yield* IndexLag
      let lostAt = Number.NEGATIVE_INFINITY
      const noteLoss = (error: LoomError) =>
        Fence.isLost(error)
          ? Effect.map(Clock.currentTimeMillis, (now) => {
            lostAt = now
          })
          : Effect.void
      const load = yield* ActorLoad
      // Taken out of the mailbox and not answered yet.
      let taken = 0
      let inbox: Mailbox.ReadonlyMailbox<Request> | null = null
      const depth = () => taken + (inbox === null ? 0 : Option.getOrElse(inbox.unsafeSize(), () => 0))
      const leave = load.enter(scope, depth)
      yield* LifeScope.addFinalizer(life, Effect.sync(leave))
      const held: ActorMemory.Held = { letGo: () => pipeline.letGo() }
      const used = (state: ActorState.ActorState) => Effect.sync(() => memory.used(held, ActorState.bytesOf(state)))
      yield* Effect.addFinalizer(() => Effect.sync(() => memory.forget(held)))
      const pipeline = yield* ActorPipeline.make<Asked, ActorState.ActorState>({
        activate: (unsettled) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            // This refusal is no news of a loss: callers who come again and again would keep the namespace lost for ever.
            now - lostAt < LOST_MILLIS
              ? Effect.fail(Fence.lost())
              : Effect.tapError(ActorState.activate(scope, options, unsettled), noteLoss)).pipe(
              Effect.provide(context)
            ),
        warm: (state, isCurrent) =>
          Effect.provide(Effect.ignore(warm(scope, state, isCurrent)), context).pipe(
            Effect.zipRight(Effect.suspend(() => isCurrent() ? used(state) : Effect.void))
          ),
        judge: (state, asked) =>
          judgeBatch(scope, state, asked.map(({ request }) => request.payload), options.bulkDedup).pipe(
            Effect.withSpan("NamespaceActor.judge", callersOf(asked)),
            Effect.provide(context),
            Effect.tap(() => used(state))
          ),
        commit: ({ epoch }, seq, commit) =>
          Effect.tapError(Context.get(context, Committer).commit({ scope, epoch, seq }, commit), noteLoss),
        repair: (commit) => Effect.provide(repair(scope, commit), context),
        gather,
        answer: ({ replier, request }, reply) =>
          Effect.flatMap(
            lag.isBehind(scope),
            (behind) => replier.complete(request, behind ? Exit.map(reply, lagging) : reply)
          ),
        failure
      }, life)

      return (mailbox: Mailbox.ReadonlyMailbox<Request>, replier: Replier<Rpcs>) => {
        inbox = mailbox
        const counting: Replier<Rpcs> = {
          ...replier,
          complete: (request, reply) =>
            Effect.ensuring(
              replier.complete(request, reply),
              Effect.sync(() => {
                taken--
              })
            )
        }
        return Effect.gen(function*() {
          const waiting = Chunk.toReadonlyArray(yield* take(mailbox))
          taken += waiting.length
          load.note(depth())
          for (const batch of batches(waiting)) {
            yield* pipeline.offer(batch.map((request) => ({ request, replier: counting })))
          }
        }).pipe(Effect.forever)
      }
    }),
    {
      mailboxCapacity: options.mailboxCapacity,
      maxIdleTime: options.maxIdleMillis,
      // A defect answers its own caller; the default would re-run every request in flight for ever (cluster.md).
      disableFatalDefects: true
    }
  )

/** In the trace of its caller; a batch of several has a trace of its own, which leads to each of theirs. */
const callersOf = (asked: ReadonlyArray<Asked>): Tracer.SpanOptions => {
  const callers = asked.flatMap(({ request: { sampled, spanId, traceId } }) =>
    traceId === undefined || spanId === undefined
      ? []
      : [Tracer.externalSpan({ traceId, spanId, sampled: sampled === true })]
  )
  const [only] = callers
  return only !== undefined && callers.length === 1
    ? { parent: only, captureStackTrace: false }
    : {
      root: true,
      links: callers.map((span) => ({ _tag: "SpanLink", span, attributes: {} })),
      captureStackTrace: false
    }
}

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
    onRight: () => new Unavailable({ operation: ACTOR_STOPPED })
  })
