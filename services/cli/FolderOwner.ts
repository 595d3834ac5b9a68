/**
 * Whether another process serves the data folder right now: it is named by a file of the folder, lives, and answers at
 * its address. Asked before the engine is opened, so that the answer is ours alone; the engine's lock has the last word.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { join } from "node:path"
import * as EngineOwner from "../../src/platform/EngineOwner.ts"
import * as ServerFile from "./ServerFile.ts"

/** The folder of the embedded engine in a data folder. */
export const engineFolder = (data: string): string => join(data, "clickhouse")

// Loopback answers in milliseconds; a process that stands still is left to the lock.
const PATIENCE = "1 second"

const answers = (url: string): Effect.Effect<boolean, never, HttpClient.HttpClient> =>
  HttpClient.get(url).pipe(
    Effect.map(({ status }) => status === 200),
    Effect.timeout(PATIENCE),
    Effect.orElseSucceed(() => false),
    Effect.scoped
  )

/** Fails when the folder is served. */
export const refuseIfServed = (data: string): Effect.Effect<void, EngineOwner.EngineInUse, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const path = engineFolder(data)
    const server = yield* ServerFile.read(data)
    if (Option.isSome(server) && server.value.pid !== process.pid && (yield* answers(`${server.value.url}/livez`))) {
      return yield* new EngineOwner.EngineInUse({ path, owner: server.value })
    }
    const owner = yield* EngineOwner.read(path)
    const url = Option.getOrUndefined(owner)?.url ?? null
    if (url !== null && (yield* answers(`${url}/ping`))) {
      return yield* new EngineOwner.EngineInUse({ path, owner: Option.getOrNull(owner) })
    }
  })
