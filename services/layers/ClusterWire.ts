/**
 * How calls are written between the processes of a cluster: msgpack, with vectors as bytes, each message behind its length.
 * The length is what the library's own msgpack lacks: it reads a message from its beginning again with every piece that
 * comes in, so that one of 21 MB, as a large bulk write makes, would hold up a runner for 48 s instead of 0.2.
 */
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as Layer from "effect/Layer"

// An unsigned number of 32 bits, highest byte first.
const HEADER = 4

const refuseBeyond = (maxBytes: number, bytes: number): void => {
  if (bytes <= maxBytes) return
  throw new RpcSerialization.RpcSerializationError({
    reason: "BufferSizeExceeded",
    maxBufferSize: maxBytes,
    bufferSize: bytes
  })
}

/** Cuts what comes in into whole bodies; what is not whole yet waits. */
const cutter = (maxBytes: number) => {
  let pieces: Array<Uint8Array> = []
  let held = 0
  // Nothing is put together before so much is there.
  let wanted = HEADER
  return (piece: Uint8Array): ReadonlyArray<Buffer> => {
    pieces.push(piece)
    held += piece.byteLength
    if (held < wanted) return []
    const bytes = Buffer.concat(pieces, held)
    const bodies: Array<Buffer> = []
    let at = 0
    wanted = HEADER
    while (held - at >= HEADER) {
      const length = bytes.readUInt32BE(at)
      refuseBeyond(maxBytes, length)
      if (held - at < HEADER + length) {
        wanted = HEADER + length
        break
      }
      bodies.push(bytes.subarray(at + HEADER, at + HEADER + length))
      at += HEADER + length
    }
    pieces = [bytes.subarray(at)]
    held -= at
    return bodies
  }
}

const framed = (body: Uint8Array): Uint8Array => {
  const frame = Buffer.allocUnsafe(HEADER + body.byteLength)
  frame.writeUInt32BE(body.byteLength)
  frame.set(body, HEADER)
  return frame
}

export const make = (maxBytes: number): RpcSerialization.RpcSerialization["Type"] => {
  const msgpack = RpcSerialization.makeMsgPack({ useRecords: true, maxBufferSize: maxBytes })
  return RpcSerialization.RpcSerialization.of({
    contentType: msgpack.contentType,
    includesFraming: true,
    unsafeMake: () => {
      const parser = msgpack.unsafeMake()
      const cut = cutter(maxBytes)
      return {
        encode: (message) => {
          const body = parser.encode(message)
          if (body === undefined) return undefined
          const bytes = typeof body === "string" ? Buffer.from(body) : body
          // Refused here it fails one call; refused by the other end it would cut off all of them.
          refuseBeyond(maxBytes, bytes.byteLength)
          return framed(bytes)
        },
        decode: (bytes) =>
          cut(typeof bytes === "string" ? Buffer.from(bytes) : bytes).flatMap((body) => [...parser.decode(body)])
      }
    }
  })
}

/**
 * The largest message: a request of 4 MiB comes to about 32 with what is derived from it (folded text, word lists, chunks),
 * and the two vectors of each of 500 facts to as much again at 8,192 floats.
 */
const MAX_BYTES = 128 * 1024 * 1024

export const layer: Layer.Layer<RpcSerialization.RpcSerialization> = Layer.sync(
  RpcSerialization.RpcSerialization,
  () => make(MAX_BYTES)
)
