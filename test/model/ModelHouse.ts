/**
 * One namespace with its actor's pipeline and a store, without sharding: commands go in as batches, replies come out.
 * The judge is the real one with the model's comparison; ids, clock and failures are the test's. A house may judge from
 * the actor's state or by store queries.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Lifetime from "effect/Scope"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { judgeBatch } from "../../src/memory/ActorBatch.ts"
import type { Reply } from "../../src/memory/ActorBatch.ts"
import * as ActorPipeline from "../../src/memory/ActorPipeline.ts"
import { ActorRules } from "../../src/memory/ActorRules.ts"
import { activate } from "../../src/memory/ActorState.ts"
import type { ActorState, StateBounds } from "../../src/memory/ActorState.ts"
import { BeliefSources } from "../../src/memory/BeliefSources.ts"
import { Committer } from "../../src/memory/Committer.ts"
import * as Fence from "../../src/memory/Fence.ts"
import type { WriteCommand } from "../../src/memory/MemoryCommand.ts"
import { MemoryIntake } from "../../src/memory/MemoryIntake.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { MemoryReader } from "../../src/memory/MemoryReader.ts"
import * as MemoryReads from "../../src/memory/MemoryReads.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryTimeReads from "../../src/memory/MemoryTimeReads.ts"
import * as MemoryUsageStore from "../../src/memory/MemoryUsageStore.ts"
import { judge, WritePolicy } from "../../src/memory/WritePolicy.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import * as NoActor from "../support/NoActor.ts"
import {
  claimIn,
  compare,
  contentOf,
  DIMENSIONS,
  EMBEDDER,
  MANY_VALUED,
  OBJECTS,
  REFUSED,
  THRESHOLDS
} from "./ModelClaims.ts"
import type { Known } from "./ModelCommands.ts"
import { APPENDING, KEYS, labelOf, WRITERS } from "./ModelSteps.ts"
import type { History } from "./ModelSteps.ts"
import type { Laws } from "./ReferenceJudge.ts"

export type Fault = History["faults"][number]

/** The time of every house of a run: it moves when a history says so. */
export interface ModelTime {
  now: number
}

const clockOf = (time: ModelTime): Clock.Clock => ({
  ...Clock.make(),
  unsafeCurrentTimeMillis: () => time.now,
  unsafeCurrentTimeNanos: () => BigInt(time.now) * 1_000_000n,
  currentTimeMillis: Effect.sync(() => time.now),
  currentTimeNanos: Effect.sync(() => BigInt(time.now) * 1_000_000n)
})

/** From the actor's state, with cosines as the store's. */
export const fromState: StateBounds = {
  maxHeads: 1_000,
  cacheBytes: 1_000_000,
  vectorBytes: 1_000_000,
  exactVectors: true
}
/** The same with room for one row in the cache. */
export const fromSmallState: StateBounds = { ...fromState, cacheBytes: 3_000 }
/** By store queries alone. */
export const fromStore: StateBounds = { maxHeads: -1, cacheBytes: 0, vectorBytes: 0, exactVectors: true }

const PLACES = WRITERS.flatMap((writer) => KEYS.map((memory_key) => ({ ...writer, memory_key })))

const refusedText = OBJECTS[REFUSED] ?? ""
const valueIn = (content: string | { readonly value: string }) => typeof content === "string" ? content : content.value

const rulesOf = ({ many, policy }: Laws): ActorRules["Type"] => ({
  read: (_scope, bulkDedup) => {
    const rules = {
      conflictPolicy: policy,
      bulkDedup,
      retentionSeconds: null,
      thresholds: THRESHOLDS,
      multiValued: many ? [MANY_VALUED] : []
    }
    const appending = { ...rules, conflictPolicy: "append_only" as const }
    return Effect.succeed({
      rulesFor: ({ tags }: { readonly tags: ReadonlyArray<string> }) => tags.includes(APPENDING) ? appending : rules,
      blacklisted: (content: string | { readonly value: string }) =>
        valueIn(content).includes(refusedText)
          ? { pattern_id: "p", reason: "", scope: "namespace" as const }
          : undefined
    })
  }
})

const intake: MemoryIntake["Type"] = {
  embedderId: EMBEDDER,
  dimensions: DIMENSIONS,
  labels: () => Effect.succeed([]),
  texts: () => Effect.void,
  prepare: () => Effect.fail(new Unavailable({ operation: "ModelHouse.prepare" })),
  derive: (rows) =>
    Effect.succeed(rows.flatMap((row) => {
      const { searchable } = contentOf(claimIn(row.value), row.memory_type)
      return searchable === null ? [] : [{
        identity: row,
        content_sha256: row.content_sha256,
        memory_type: row.memory_type,
        source_class: row.source_class,
        verified: false,
        version: row.version,
        searchable
      }]
    }))
}

const policy: WritePolicy["Type"] = { judge: (met, write, rules) => judge(met, write, rules, compare), compare }

export interface HouseOptions {
  readonly scope: Scope
  readonly bounds: StateBounds
  readonly laws: Laws
  readonly time: ModelTime
  readonly store: Context.Context<MemoryStore | MemoryReader>
  /** Where the actor finds what a namespace holds that nobody has written to; the store itself when it is not said. */
  readonly blank?: Context.Context<MemoryStore>
  /** The committer to use instead of the plain one, which does at once what it is told. */
  readonly committer?: Committer["Type"]
}

export interface House {
  /** Fails as the actor's batch does; the state is then thrown away. */
  readonly play: (commands: ReadonlyArray<WriteCommand>, fault: Fault) => Effect.Effect<ReadonlyArray<Reply>, LoomError>
  readonly restart: () => void
  /** Every version of the namespace, oldest first. */
  readonly history: Effect.Effect<ReadonlyArray<MemoryRow>, LoomError>
  /** The heads as the store answers for them. */
  readonly heads: Effect.Effect<ReadonlyArray<MemoryRow>, LoomError>
  /** A plain read as a caller makes it. */
  readonly ask: (verb: string, payload: object) => Effect.Effect<unknown, LoomError>
}

/** The model derives nothing from its claims. */
const nothingDerived: BeliefSources["Type"] = {
  record: () => Effect.void,
  of: () => Effect.succeed([]),
  restingOn: () => Effect.succeed([]),
  derivations: () => Effect.succeed([]),
  drawnFrom: () => Effect.succeed([])
}

interface Asked {
  readonly command: WriteCommand
  readonly answered: Deferred.Deferred<Reply>
}

/** An even number of commands as two batches, the second judged while the first is written; an odd one as one batch. */
const inParts = (asked: ReadonlyArray<Asked>): ReadonlyArray<ReadonlyArray<Asked>> =>
  asked.length % 2 === 0 ? [asked.slice(0, asked.length / 2), asked.slice(asked.length / 2)] : [asked]

export const makeHouse = ({ blank, bounds, committer, laws, scope, store, time }: HouseOptions): House => {
  const clock = clockOf(time)
  const fault: { next: Fault } = { next: "none" }
  const lost = new Unavailable({ operation: "ModelHouse.commit" })
  const memory = Context.get(store, MemoryStore)
  const plain: Committer["Type"] = {
    commit: (_, batch) => {
      const now = fault.next
      fault.next = "none"
      const done = memory.commit(batch)
      return now === "before"
        ? Effect.fail(lost)
        : now === "after"
        ? Effect.zipRight(done, Effect.fail(lost))
        : Effect.as(done, now === "torn" ? "torn" : "clean")
    }
  }
  const context = store.pipe(
    Context.add(Committer, committer ?? plain),
    Context.add(ActorRules, rulesOf(laws)),
    Context.add(MemoryIntake, intake),
    Context.add(WritePolicy, policy),
    Context.add(BeliefSources, nothingDerived)
  )
  const options = { bounds, bulkDedup: "identity" } as const
  const verbs = Effect.runSync(
    Effect.all([MemoryReads.make, MemoryTimeReads.make]).pipe(
      Effect.provide(store),
      Effect.provide([NoActor.layer, MemoryUsageStore.layerMemory, Cursors.layerMemory])
    )
  ).flat()
  const caller = { ...localCaller, org: scope.org }
  const plainly = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.withTracerEnabled(false),
      Effect.withClock(clock),
      Logger.withMinimumLogLevel(LogLevel.None)
    )
  // What the next activation reads from.
  let source = blank === undefined ? context : Context.merge(context, blank)
  const open = Effect.gen(function*() {
    const life = yield* Lifetime.make()
    const broken: { by: LoomError | null } = { by: null }
    const pipeline = yield* ActorPipeline.make<Asked, ActorState>({
      activate: (unsettled) =>
        Effect.suspend(() => {
          const from = source
          source = context
          return activate(scope, options, unsettled).pipe(Effect.provide(Fence.layerNone), Effect.provide(from))
        }),
      warm: () => Effect.void,
      judge: (state, asked) =>
        Effect.provide(judgeBatch(scope, state, asked.map(({ command }) => command), "identity"), context),
      commit: ({ epoch }, seq, commit) => Context.get(context, Committer).commit({ scope, epoch, seq }, commit),
      repair: () => Effect.asVoid(memory.repair(scope, intake.embedderId)),
      gather: () => Effect.void,
      answer: ({ answered }, reply) => Deferred.succeed(answered, reply),
      failure: (cause) => {
        broken.by = Option.getOrElse(Cause.failureOption(cause), () => lost)
        return broken.by
      }
    }, life)
    return { pipeline, broken }
  })
  let opened: Effect.Effect.Success<typeof open> | null = null
  return {
    play: (commands, next) =>
      Effect.gen(function*() {
        fault.next = next
        const { broken, pipeline } = opened ?? (yield* open)
        opened = { broken, pipeline }
        broken.by = null
        const asked = yield* Effect.forEach(commands, (command) =>
          Effect.map(Deferred.make<Reply>(), (answered): Asked => ({ command, answered })))
        for (const part of next === "none" ? inParts(asked) : [asked]) {
          yield* pipeline.offer(part)
        }
        const replies = yield* Effect.forEach(asked, ({ answered }) =>
          Deferred.await(answered))
        return broken.by === null ? replies : yield* Effect.fail(broken.by)
      }).pipe(plainly),
    restart: () => {
      opened = null
    },
    history: Effect.map(
      Context.get(store, MemoryReader).history(scope, PLACES, { before: null, limit: 10_000 }),
      (rows) => [...rows].reverse()
    ),
    heads: memory.rows(scope, PLACES),
    ask: (name, payload) => {
      const one = verbs.find(({ verb }) => verb.tag === name)
      return one === undefined
        ? Effect.dieMessage(`no plain read: ${name}`)
        : plainly(one.call({ namespace: scope.namespace, ...payload }, caller))
    }
  }
}

/** What a house knows of its memories, from its history. */
export class Register implements Known {
  private readonly all = new Map<string, Array<MemoryRow>>()
  private readonly labels = new Map<string, string>()
  private newest = 0n

  /** Takes in the versions it has not seen. */
  learn(history: ReadonlyArray<MemoryRow>): ReadonlyArray<MemoryRow> {
    const added = history.filter((row) => row.version > this.newest)
    for (const row of added) {
      const label = labelOf(row)
      const versions = this.all.get(label)
      if (versions === undefined) this.all.set(label, [row])
      else versions.push(row)
      this.labels.set(row.memory_id, label)
      this.newest = row.version
    }
    return added
  }

  id(label: string): string | undefined {
    return this.versions(label)[0]?.memory_id
  }

  versions(label: string): ReadonlyArray<MemoryRow> {
    return this.all.get(label) ?? []
  }

  labelOf(id: string): string | undefined {
    return this.labels.get(id)
  }

  heads(): ReadonlyMap<string, MemoryRow> {
    return new Map([...this.all].flatMap(([label, versions]) => {
      const head = versions.at(-1)
      return head === undefined ? [] : [[label, head] as const]
    }))
  }

  counts(): ReadonlyMap<string, number> {
    return new Map([...this.all].map(([label, versions]) => [label, versions.length]))
  }
}
