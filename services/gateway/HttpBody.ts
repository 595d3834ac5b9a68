/**
 * The body of a request: read once, at most 4 MiB, strict UTF-8 and strict JSON. What is too large is refused at once and
 * the rest of it thrown away, so that a client that is still sending hears the answer and its connection stays usable.
 * The content type is not looked at (curl's own default for `-d` is a form); what counts is whether the body parses.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { parse } from "../../src/kernel/Json.ts"
import type { Json } from "../../src/kernel/Json.ts"
import type { Refusal } from "../../src/kernel/LoomError.ts"
import { refuse } from "../../src/kernel/LoomError.ts"

/** Room for a value of 1 MiB in its worst escaping, and for a bulk write of ordinary facts. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024

// A client that sends this much after it was refused is not listening; its connection is cut.
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

const tooLarge = refuse("PAYLOAD_TOO_LARGE", `The body is larger than ${MAX_BODY_BYTES} bytes`, {
  limit_bytes: MAX_BODY_BYTES
})

const brokenOff = refuse("BAD_JSON", "The body broke off", {})

/** Reads and drops what still comes; gives up on a sender that never ends. */
const discard = (source: IncomingMessage): void => {
  let bytes = 0
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_DISCARDED_BYTES) source.destroy()
  })
  source.on("error", () => {})
  source.resume()
}

/** The refusal of a request that announces too large a body; what comes of it is thrown away. */
export const oversize = (request: HttpServerRequest.HttpServerRequest): Refusal | undefined => {
  if (!(Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES)) return undefined
  discard(NodeHttpServerRequest.toIncomingMessage(request))
  return tooLarge
}

/** The bytes of the body, whatever length it announced; plain driver code on the request's stream. */
export const readBytes = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Buffer, Refusal> =>
  Effect.async((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    const chunks: Array<Buffer> = []
    let size = 0
    const settle = (result: Effect.Effect<Buffer, Refusal>) => {
      source.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken)
      resume(result)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk)
      settle(Effect.fail(tooLarge))
      discard(source)
    }
    const onEnd = () => {
      const [first] = chunks
      settle(Effect.succeed(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size)))
    }
    const onBroken = () => settle(Effect.fail(brokenOff))
    source.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken)
    return Effect.sync(() => {
      source.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken)
    })
  })

/** A JSON object as it came. */
export type JsonObject = { readonly [key: string]: Json }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The one JSON object that the bytes are, or why not: 400 with the position, 422 for what no verb could take. */
export const parseObject = (bytes: Buffer): Either.Either<JsonObject, Refusal> => {
  if (!isUtf8(bytes)) return Either.left(refuse("BAD_JSON", "The body is not UTF-8"))
  const decoded = bytes.toString("utf8")
  // RFC 8259 lets a reader pass over a byte order mark.
  const text = decoded.charCodeAt(0) === 0xfeff ? decoded.slice(1) : decoded
  const parsed = parse(text)
  if (Either.isLeft(parsed)) {
    const { kind, message, position } = parsed.left
    if (kind === "value") return Either.left(refuse("INVALID_ARGUMENT", `The body: ${message}`, { field: "(body)" }))
    return Either.left(
      position === undefined
        ? refuse("BAD_JSON", "The body is not JSON that this server reads")
        : refuse("BAD_JSON", `The body is not JSON at position ${position}`, { position })
    )
  }
  const value = parsed.right
  if (!isObject(value)) {
    return Either.left(refuse("INVALID_ARGUMENT", "The body is not a JSON object", { field: "(body)" }))
  }
  return Either.right(value)
}

/** Reads the body as one JSON object. */
export const readObject = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<JsonObject, Refusal> => {
  const encoding = request.headers["content-encoding"]
  return encoding !== undefined && encoding !== "identity"
    ? Effect.fail(refuse("BAD_JSON", "The body is compressed; send plain JSON"))
    : Effect.flatMap(readBytes(request), parseObject)
}
