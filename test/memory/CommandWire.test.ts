import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as ClusterWire from "../../services/layers/ClusterWire.ts"
import { NamespaceEntity } from "../../src/memory/MemoryCommand.ts"

// Values as the edge lets them in: UTF-8 has no lone surrogates, and a user without a name is `-`.
const travels = (value: unknown): boolean =>
  typeof value === "string"
    ? value.isWellFormed()
    // The sign of nothing is lost on the way, and means nothing.
    : Object.is(value, -0)
    ? false
    : typeof value !== "object" || value === null || value instanceof Float32Array ||
      Object.entries(value).every(([name, inner]) =>
        travels(name) && travels(inner) && !(name === "user_id" && inner === "")
      )

/** Through the serialization of the cluster as a socket gives it: in pieces of `size` bytes, of the pool's buffers. */
const throughWire = (messages: ReadonlyArray<unknown>, size: number) =>
  Effect.map(RpcSerialization.RpcSerialization, (serialization) => {
    const from = serialization.unsafeMake()
    const to = serialization.unsafeMake()
    const bytes = Buffer.concat(messages.map((message) => Buffer.from(from.encode(message) ?? "")))
    const pieces: Array<unknown> = []
    for (let at = 0; at < bytes.length; at += size) pieces.push(...to.decode(bytes.subarray(at, at + size)))
    return pieces
  })

const commands = [...NamespaceEntity.protocol.requests.values()]

describe("the messages of the namespace actor on the wire", () => {
  for (const rpc of commands) {
    it.effect(`${rpc._tag} comes as it went`, () => {
      const payload = Schema.asSchema(rpc.payloadSchema)
      const many = FastCheck.sample(Arbitrary.make(payload).filter(travels), { numRuns: 25, seed: 20_261_130 })
      return Effect.gen(function*() {
        const sent = yield* Effect.forEach(many, (command) => Schema.encode(payload)(command))
        for (const size of [7, 4_096, 1_000_000]) {
          const received = yield* throughWire(sent, size)
          const decoded = yield* Effect.forEach(received, (one) => Schema.decodeUnknown(payload)(one))
          assert.deepStrictEqual(decoded, many, `in pieces of ${size} bytes`)
        }
      }).pipe(Effect.provide(ClusterWire.layer))
    })
  }

  it("are read once, however many pieces they come in", () => {
    const wire = ClusterWire.make(64 * 1024 * 1024)
    const large = Array.from({ length: 200 }, (_, index) => ({ index, words: Array.from({ length: 2_000 }, String) }))
    const [from, to] = [wire.unsafeMake(), wire.unsafeMake()]
    const bytes = Buffer.from(from.encode(large) ?? "")
    const began = performance.now()
    const received: Array<unknown> = []
    for (let at = 0; at < bytes.length; at += 1_000) received.push(...to.decode(bytes.subarray(at, at + 1_000)))
    const millis = performance.now() - began
    assert.deepStrictEqual(received, [large])
    // Read again with each piece it takes minutes.
    assert.isBelow(millis, 5_000)
  })

  it("are refused by the one who writes them when they are too large, and by the one who reads them", () => {
    const text = "x".repeat(1_000)
    assert.throws(() => ClusterWire.make(900).unsafeMake().encode(text), /exceeded the maximum size/)
    const bytes = Buffer.from(ClusterWire.make(2_000).unsafeMake().encode(text) ?? "")
    assert.throws(() => ClusterWire.make(900).unsafeMake().decode(bytes.subarray(0, 10)), /exceeded the maximum size/)
  })
})
