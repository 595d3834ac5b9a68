/**
 * Where the server of a data folder listens: the file `server.json` in that folder, written once it does and removed when
 * it ends. By it a command finds the running server whatever its port, and a second server names the first. A file left
 * behind by a dead process means nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export const ServerFacts = Schema.Struct({
  pid: Schema.Int,
  url: Schema.String,
  /** Epoch milliseconds. */
  startedAt: Schema.Int
})
export type ServerFacts = typeof ServerFacts.Type

const File = Schema.parseJson(ServerFacts)

const pathOf = (data: string): string => join(data, "server.json")

// Signal 0 only asks; EPERM means that it lives and belongs to another user.
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

const readFile = (data: string) =>
  Effect.flatMap(Effect.try(() => readFileSync(pathOf(data), "utf8")), Schema.decode(File))

/** The living server of the folder. */
export const read = (data: string): Effect.Effect<Option.Option<ServerFacts>> =>
  Effect.map(Effect.option(readFile(data)), Option.filter(({ pid }) => isAlive(pid)))

/** Writes this process down, in one rename, until the scope ends. That it cannot be written keeps nobody from serving. */
export const claim = (data: string, url: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const startedAt = yield* Clock.currentTimeMillis
      const text = yield* Effect.orDie(Schema.encode(File)({ pid: process.pid, url, startedAt }))
      yield* Effect.ignoreLogged(Effect.try(() => {
        mkdirSync(data, { recursive: true })
        const draft = `${pathOf(data)}.${process.pid}`
        writeFileSync(draft, `${text}\n`)
        renameSync(draft, pathOf(data))
      }))
    }),
    () =>
      readFile(data).pipe(
        Effect.flatMap(({ pid }) => pid === process.pid ? Effect.try(() => rmSync(pathOf(data))) : Effect.void),
        Effect.ignore
      )
  )
