/**
 * Who owns a data folder. The engine's own lock decides, and the system frees that with its process; the file
 * `owner.json` in the folder only gives the holder a name, so that a second process can say whom to ask. A file left
 * behind by a dead process means nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export const EngineOwner = Schema.Struct({
  pid: Schema.Int,
  /** Where the owner serves the folder, if it does. */
  url: Schema.NullOr(Schema.String),
  /** Epoch milliseconds. */
  startedAt: Schema.Int
})
export type EngineOwner = typeof EngineOwner.Type

/** The folder is open in another process: use its address, stop it, or choose another folder with `LOOM_DATA`. */
export class EngineInUse extends Schema.TaggedError<EngineInUse>()("EngineInUse", {
  path: Schema.String,
  owner: Schema.NullOr(EngineOwner)
}) {
  override get message() {
    const url = this.owner?.url ?? null
    const holder = this.owner === null ? "another process" : `process ${this.owner.pid}`
    const where = url === null ? "" : `, which serves it at ${url}`
    const advice = url === null ? "Stop it" : "Set LOOM_CLICKHOUSE_URL to that address, stop it"
    return `The data folder ${this.path} is in use by ${holder}${where}. ${advice}, or choose another with LOOM_DATA.`
  }
}

const fileOf = (path: string) => join(path, "owner.json")

const OwnerFile = Schema.parseJson(EngineOwner)

/** The living owner of the folder, other than this process. */
export const read = (path: string): Effect.Effect<Option.Option<EngineOwner>> =>
  Effect.try(() => readFileSync(fileOf(path), "utf8")).pipe(
    Effect.flatMap(Schema.decode(OwnerFile)),
    Effect.option,
    Effect.map(Option.filter((owner) => owner.pid !== process.pid && isAlive(owner.pid)))
  )

/** Writes this process down as the owner, in one rename, and again when its address is known. */
export const claim = (path: string, url: string | null): Effect.Effect<void> =>
  Effect.gen(function*() {
    const startedAt = yield* Clock.currentTimeMillis
    const text = yield* Effect.orDie(Schema.encode(OwnerFile)({ pid: process.pid, url, startedAt }))
    yield* Effect.ignoreLogged(Effect.try(() => {
      const draft = `${fileOf(path)}.${process.pid}`
      writeFileSync(draft, text)
      renameSync(draft, fileOf(path))
    }))
  })

/** Removes the file, if it is this process's own. */
export const release = (path: string): Effect.Effect<void> =>
  Effect.try(() => readFileSync(fileOf(path), "utf8")).pipe(
    Effect.flatMap(Schema.decode(OwnerFile)),
    Effect.flatMap((owner) => owner.pid === process.pid ? Effect.try(() => rmSync(fileOf(path))) : Effect.void),
    Effect.ignore
  )

// Signal 0 only asks; EPERM means that it lives and belongs to another user.
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}
