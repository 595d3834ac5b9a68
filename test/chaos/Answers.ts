/**
 * What an answer over HTTP means for the history of a run: acknowledged, nothing to do, refused, or unknown. An answer of
 * no known shape, and one that such a call may not get, is odd.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { allCodes } from "../../src/kernel/LoomError.ts"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import type { Begun, Ending } from "./History.ts"

export const verbOf = {
  set: MemorySet.tag,
  update: MemoryUpdate.tag,
  delete: MemoryDelete.tag,
  restore: MemoryRestore.tag,
  bulk_set: MemoryBulkSet.tag,
  get: MemoryGet.tag
} as const

const decoders = {
  set: Schema.decodeUnknownEither(MemorySet.answer),
  update: Schema.decodeUnknownEither(MemoryUpdate.answer),
  delete: Schema.decodeUnknownEither(MemoryDelete.answer),
  restore: Schema.decodeUnknownEither(MemoryRestore.answer),
  bulk_set: Schema.decodeUnknownEither(MemoryBulkSet.answer),
  get: Schema.decodeUnknownEither(MemoryGet.answer)
}

const ErrorBody = Schema.Struct({ detail: Schema.Struct({ code: Schema.String }) })
const decodeError = Schema.decodeUnknownEither(ErrorBody)

const odd = (text: string): Ending => ({ _tag: "odd", text: text.slice(0, 600) })

/** The part of a write's answer that counts here. */
interface Written {
  readonly memory_key?: string | undefined
  readonly version_text?: string | undefined
  readonly content_sha256?: string | undefined
  readonly reinforcement_count?: number | undefined
  readonly merged_into_key?: string | null | undefined
  readonly duplicate_of?: string | null | undefined
}

const effectOf = (key: string, written: Written) =>
  written.memory_key === key && written.merged_into_key === null && written.duplicate_of === null
    ? {
      key,
      version: written.version_text ?? "",
      sha256: written.content_sha256 ?? "",
      reinforcement_count: written.reinforcement_count ?? 0
    }
    : undefined

const endingOf = (call: Begun, json: unknown, answer: string): Ending => {
  const key = call.parts[0]?.key ?? ""
  const one = (written: Written): Ending => {
    const effect = effectOf(key, written)
    return effect === undefined ? odd(answer) : { _tag: "done", effects: [effect], answer }
  }
  const strange = () => odd(answer)
  const none = (reason: string | null | undefined): Ending => ({ _tag: "none", reason: reason ?? "none", answer })
  switch (call.action) {
    case "set":
      return Either.match(decoders.set(json), { onLeft: strange, onRight: one })
    case "update":
      return Either.match(decoders.update(json), {
        onLeft: strange,
        onRight: (told) => told.updated ? one(told) : none(told.reason)
      })
    case "restore":
      return Either.match(decoders.restore(json), {
        onLeft: strange,
        onRight: (told) => told.restored ? one(told) : none(told.reason)
      })
    case "delete":
      return Either.match(decoders.delete(json), {
        onLeft: strange,
        onRight: ({ tombstoned, version_text }): Ending =>
          tombstoned
            ? {
              _tag: "done",
              effects: [{ key, version: version_text ?? "", sha256: "", reinforcement_count: 1 }],
              answer
            }
            : none("not_found")
      })
    case "bulk_set":
      return Either.match(decoders.bulk_set(json), {
        onLeft: strange,
        onRight: ({ results }): Ending => {
          const effects = results.flatMap((result) =>
            result.answer === null ? [] : effectOf(result.memory_key ?? "", result.answer) ?? []
          )
          return effects.length === call.parts.length ? { _tag: "done", effects, answer } : odd(answer)
        }
      })
    case "get":
      return Either.match(decoders.get(json), {
        onLeft: strange,
        onRight: ({ content_sha256 = "", found, value, version_text = "" }): Ending => ({
          _tag: "read",
          found,
          version: found ? version_text : "",
          sha256: found ? content_sha256 : "",
          value: found && typeof value === "string" ? value : ""
        })
      })
  }
}

const statusOf = new Map(allCodes.map(({ name, status }) => [name, status]))

/** How a call ended that was answered. */
export const ending = (call: Begun, status: number, text: string): Ending => {
  const json = jsonOf(text)
  if (status === 200) return endingOf(call, json, text)
  const decoded = decodeError(json)
  if (Either.isLeft(decoded) || statusOf.get(decoded.right.detail.code) !== status) return odd(`${status}: ${text}`)
  const { code } = decoded.right.detail
  // The store is away, or nobody knows: a caller may not conclude anything from it.
  if (code === "UNAVAILABLE") return { _tag: "unknown", reason: code }
  return status >= 500 ? odd(`${status}: ${text}`) : { _tag: "refused", code }
}

export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
