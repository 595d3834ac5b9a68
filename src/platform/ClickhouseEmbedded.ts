/**
 * The embedded engine as a scoped service: opened when its layer is built, closed when the scope ends, and the named
 * owner of its data folder in between. `layerClient` puts the engine under `ClickhouseClient`.
 */
import { ClickHouseLogLevel } from "@clickhouse/client"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as ClickhouseSql from "@effect/sql-clickhouse/ClickhouseClient"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { resolve } from "node:path"
import { makeConnection } from "./ClickhouseConnection.ts"
import { type ClickhouseEngine, openEngine } from "./ClickhouseEngine.ts"
import { EngineError, fromCause } from "./ClickhouseEngineError.ts"
import * as EngineOwner from "./EngineOwner.ts"

export class ClickhouseEmbedded extends Context.Tag("loom/platform/ClickhouseEmbedded")<
  ClickhouseEmbedded,
  ClickhouseEngine
>() {}

/** The engine does not start: it is not installed, or the folder cannot be opened. The message says which. */
export class EngineUnopened extends Schema.TaggedError<EngineUnopened>()("EngineUnopened", {
  path: Schema.String,
  message: Schema.String
}) {}

export type EngineOpenError = EngineUnopened | EngineOwner.EngineInUse

export interface EmbeddedOptions {
  /** The data folder, created when missing. A process holds one at a time. */
  readonly path: string
  /** Queries at once; 12 by default, or what the thread pool of the process allows. */
  readonly concurrency?: number
}

// Each running query blocks one thread of libuv's pool, which has 4 unless UV_THREADPOOL_SIZE says otherwise before node
// starts. Four threads stay free: two for the kills that must overtake a query, two for files and names.
const threadsKept = 4
const mostQueries = 12
const threads = Config.integer("UV_THREADPOOL_SIZE").pipe(Config.withDefault(4))

const concurrencyFor = (asked: number | undefined) =>
  Effect.gen(function*() {
    const size = yield* Effect.orElseSucceed(threads, () => 4)
    const allowed = Math.max(2, Math.min(mostQueries, size - threadsKept))
    if (size < 8) {
      yield* Effect.logWarning(
        "UV_THREADPOOL_SIZE is under 8, so few queries run at once: set it to 16 before node starts"
      ).pipe(
        Effect.annotateLogs({ threads: size, queries: allowed })
      )
    }
    return asked === undefined ? allowed : Math.min(asked, allowed)
  })

export const open = (options: EmbeddedOptions) =>
  Effect.gen(function*() {
    const path = resolve(options.path)
    const concurrency = yield* concurrencyFor(options.concurrency)
    const engine = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => openEngine({ path, concurrency }), catch: toEngineError }).pipe(
        Effect.catchTag("EngineError", (failure) => explain(path, failure)),
        Effect.tap(() => EngineOwner.claim(path, null))
      ),
      // The name goes first: once the lock is free another process may write its own.
      (engine) => Effect.zipRight(EngineOwner.release(path), Effect.promise(() => engine.close()))
    )
    return engine
  })

export const layer = (options: EmbeddedOptions): Layer.Layer<ClickhouseEmbedded, EngineOpenError> =>
  Layer.scoped(ClickhouseEmbedded, open(options))

/** `ClickhouseClient` over the engine, without a socket. */
export const layerClient: Layer.Layer<ClickhouseSql.ClickhouseClient, EngineUnopened, ClickhouseEmbedded> = Layer
  .scoped(
    ClickhouseSql.ClickhouseClient,
    Effect.flatMap(ClickhouseEmbedded, (engine) =>
      Effect.mapError(
        ClickhouseSql.make({ connection: makeConnection(engine), log: { level: ClickHouseLogLevel.OFF } }),
        (error) => new EngineUnopened({ path: engine.path, message: error.message })
      ))
  ).pipe(Layer.provide(Reactivity.layer))

const toEngineError = (cause: unknown): EngineError => cause instanceof EngineError ? cause : fromCause(cause)

// The binding says only that it could not connect; a living owner is the reason in all but rare cases.
const explain = (path: string, failure: EngineError): Effect.Effect<never, EngineOpenError> =>
  Effect.flatMap(EngineOwner.read(path), (owner) =>
    Effect.fail(
      Option.isSome(owner)
        ? new EngineOwner.EngineInUse({ path, owner: owner.value })
        : new EngineUnopened({ path, message: failure.message })
    ))
