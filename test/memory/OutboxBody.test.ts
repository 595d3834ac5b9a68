/**
 * A commit comes back from the outbox as it went in, whatever its texts hold, and bytes that are not whole are refused.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { encode, FromBytes } from "../../src/memory/OutboxBody.ts"
import { auditOf, commitOf, derivedOf, freshScope, noon, revised, rowOf, versionAt } from "./MemoryFixture.ts"

const decode = Schema.decodeEither(FromBytes)

const whole = () => {
  const scope = freshScope()
  const odd = rowOf(scope, {
    value: "a\u0000b \u{1f9f5} \\u0000 \ud800",
    version: 18_446_744_073_709_551_615n,
    confidence: 0.1 + 0.2,
    temporal_confidence: null,
    tags: ["", "\u2028"],
    answer: "{\"ok\":true}"
  })
  const hidden = rowOf(scope, { memory_key: "hidden" })
  const { org, namespace, agent, user_id, session_id, memory_key } = hidden
  const identity = { org, namespace, agent, user_id, session_id, memory_key }
  const chunk = { index: 0, start: 0, end: 7, text: "Deploys", stems: ["deploy"], lemmas: ["deploy"] }
  return commitOf([odd, revised(odd, 1), hidden], {
    derived: [
      derivedOf(odd, { value_vector: Float32Array.from([0.1, -1e-30, 3]), chunks: [chunk] }),
      derivedOf(hidden, { key_vector: new Float32Array(0) })
    ],
    entities: [{ identity, entity: "ada", version: 1n }],
    ceilings: [{ scope, ceiling: versionAt(noon) }],
    answers: [{ scope, idem_hash: "i", payload_hash: "p", write_id: "w", answer: "\u0000", at: noon, version: 2n }],
    hidden: [identity],
    audits: [auditOf(odd, 3n, "before")]
  })
}

describe("OutboxBody", () => {
  it("gives a commit back as it was", () => {
    const commit = whole()
    assert.deepStrictEqual(decode(encode(commit)), Either.right(commit))
    assert.deepStrictEqual(decode(encode(commitOf([]))), Either.right(commitOf([])))
    // Bytes that begin anywhere in a larger piece, as a driver gives them.
    const bytes = encode(commit)
    const padded = Buffer.concat([Buffer.from([7]), bytes])
    assert.deepStrictEqual(decode(padded.subarray(1)), Either.right(commit))
  })

  it("refuses what is cut short, too long, or no commit", () => {
    const bytes = encode(whole())
    for (const wrong of [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.alloc(4)]), bytes.subarray(0, 3)]) {
      assert.isTrue(Either.isLeft(decode(wrong)))
    }
    assert.isTrue(Either.isLeft(decode(Buffer.concat([Buffer.from([2, 0, 0, 0]), Buffer.from("{}")]))))
  })
})
