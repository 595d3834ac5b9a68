/**
 * RPC frames: one JSON message a line. Frames are parsed by the kernel's strict reader, so that a payload is judged as
 * over HTTP. A frame whose envelope is sound and whose payload is not (a key twice, a number no double holds, endless
 * nesting) goes on with `UnsoundPayload` in its place, and its own caller gets a refusal; what is no message at all is a
 * protocol fault of the connection.
 */
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { parse } from "../../src/kernel/Json.ts"
import type { Refusal } from "../../src/kernel/LoomError.ts"
import { refuse } from "../../src/kernel/LoomError.ts"
import { MAX_BODY_BYTES } from "./HttpBody.ts"

/** Parses a text as strictly as HTTP bodies are, or says in words why not. */
export const readJson = (text: string): Either.Either<unknown, string> => {
  const parsed = parse(text)
  if (Either.isLeft(parsed)) {
    const { kind, message, position } = parsed.left
    return Either.left(
      kind === "value" ? message : `not JSON${position === undefined ? "" : ` at position ${position}`}`
    )
  }
  return Either.right(parsed.right)
}

/** Stands in for a payload that the strict reader refuses. */
export class UnsoundPayload {
  readonly fault: string
  constructor(fault: string) {
    this.fault = fault
  }
}

const digits = Schema.String.pipe(Schema.pattern(/^\d{1,19}$/))
const optionalText = Schema.optional(Schema.String)

const Message = Schema.Union(
  Schema.Struct({
    _tag: Schema.Literal("Request"),
    id: digits,
    tag: Schema.String,
    payload: Schema.optional(Schema.Unknown),
    headers: Schema.optionalWith(Schema.Array(Schema.Tuple(Schema.String, Schema.String)), { default: () => [] }),
    traceId: optionalText,
    spanId: optionalText,
    sampled: Schema.optional(Schema.Boolean)
  }),
  Schema.Struct({ _tag: Schema.Literal("Ack", "Interrupt"), requestId: digits }),
  Schema.Struct({ _tag: Schema.Literal("Ping", "Eof") })
)

const decodeMessage = Schema.decodeUnknownSync(Message)
const decodeRequest = Schema.decodeUnknownEither(Schema.parseJson(Message))

class FrameFault extends Error {
  override readonly name = "FrameFault"
}

const readFrame = (frame: string): typeof Message.Type => {
  const strict = readJson(frame)
  try {
    if (Either.isRight(strict)) return decodeMessage(strict.right)
  } catch {
    // The schema's words would repeat what was sent.
    throw new FrameFault("A frame is no RPC message")
  }
  const loose = decodeRequest(frame)
  if (Either.isLeft(loose) || loose.right._tag !== "Request") throw new FrameFault("A frame is no RPC message")
  return { ...loose.right, payload: new UnsoundPayload(strict.left) }
}

const newline = 0x0a

/** The body of a call over HTTP with each frame ended, or why it is none: it must hold a request, or nobody is answered. */
export const wholeFrames = (body: Buffer): Either.Either<Buffer, Refusal> => {
  const ended = body.at(-1) === newline ? body : Buffer.concat([body, Buffer.of(newline)])
  let line = 0
  let requests = 0
  for (const frame of ended.toString("utf8").split("\n").slice(0, -1)) {
    line++
    if (frame.trim() === "") continue
    try {
      if (readFrame(frame)._tag === "Request") requests++
    } catch {
      return Either.left(
        refuse("BAD_JSON", `Line ${line} of the body is no RPC message; each line is one message in JSON`, { line })
      )
    }
  }
  return requests > 0
    ? Either.right(ended)
    : Either.left(refuse("BAD_JSON", "The body holds no RPC request; each line is one message in JSON"))
}

const makeParser = (): RpcSerialization.Parser => {
  const decoder = new TextDecoder()
  const plain = RpcSerialization.ndjson.unsafeMake()
  let rest = ""
  return {
    encode: plain.encode,
    decode: (bytes) => {
      const frames = (rest + (typeof bytes === "string" ? bytes : decoder.decode(bytes, { stream: true }))).split("\n")
      rest = frames.pop() ?? ""
      const longest = frames.reduce((most, frame) => Math.max(most, frame.length), rest.length)
      if (longest > MAX_BODY_BYTES) {
        rest = ""
        throw new RpcSerialization.RpcSerializationError({
          reason: "BufferSizeExceeded",
          maxBufferSize: MAX_BODY_BYTES,
          bufferSize: longest
        })
      }
      return frames.filter((frame) => frame.trim() !== "").map(readFrame)
    }
  }
}

/** ndjson as `RpcSerialization.layerNdjson` of a client speaks it. */
export const serialization: typeof RpcSerialization.RpcSerialization.Service = {
  contentType: RpcSerialization.ndjson.contentType,
  includesFraming: true,
  unsafeMake: makeParser
}
