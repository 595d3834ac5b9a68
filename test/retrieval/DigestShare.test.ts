import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type { FoundDigest } from "../../src/retrieval/DigestModel.ts"
import { hitsOf, shareOf } from "../../src/retrieval/DigestShare.ts"
import { rowOf } from "../memory/MemoryFixture.ts"

const scope = { org: "acme", namespace: "digests" }
const heads = ["a", "b", "c"].map((memory_key) => ({ head: rowOf(scope, { memory_key }), isFound: true }))
const { content_sha256 } = rowOf(scope)

const digestOf = (changed: Partial<FoundDigest>): FoundDigest => ({
  agent: "",
  user_id: "-",
  session_id: "",
  digest_id: "dig_1",
  members: [{ memory_key: "a", content_sha256 }],
  cosine: 0.5,
  held: 0.5,
  ...changed
})

const membersOf = (...keys: ReadonlyArray<string>) => keys.map((memory_key) => ({ memory_key, content_sha256 }))

const keysOf = (digests: ReadonlyArray<FoundDigest>, limit = 10) =>
  hitsOf(digests, heads, limit).map(({ digest_id, head }) => [head.memory_key, digest_id])

describe("DigestShare", () => {
  it("a share is 0 to 1, grows with cosine and words, and falls with the number of memories", () => {
    const unit = FastCheck.double({ min: 0, max: 1, noNaN: true })
    FastCheck.assert(
      FastCheck.property(unit, unit, unit, FastCheck.integer({ min: 1, max: 40 }), (a, b, held, size) => {
        const members = membersOf(...Array.from({ length: size }, (_, at) => String(at)))
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((cosine) =>
          shareOf(digestOf({ cosine, held, members }))
        )
        if (low === undefined || high === undefined) return false
        const more = shareOf(digestOf({ cosine: a, held, members: [...members, ...members] }))
        return low >= 0 && high <= 1 && low <= high && more <= shareOf(digestOf({ cosine: a, held, members }))
      })
    )
    assert.strictEqual(shareOf(digestOf({ cosine: -1, held: 0 })), 0)
    // Vectors of another embedder say nothing against a digest.
    assert.strictEqual(shareOf(digestOf({ cosine: null, held: 0.5 })), 0.5)
  })

  it("a memory comes by the digest that says most of it", () => {
    const weak = digestOf({ digest_id: "dig_1", cosine: 0.1, members: membersOf("a", "b") })
    const strong = digestOf({ digest_id: "dig_2", cosine: 0.9, members: membersOf("b", "c") })
    for (const digests of [[weak, strong], [strong, weak]]) {
      assert.deepStrictEqual(keysOf(digests), [["b", "dig_2"], ["c", "dig_2"], ["a", "dig_1"]])
    }
    assert.strictEqual(keysOf([weak, strong], 2).length, 2)
  })

  it("a digest one of whose memories is gone or says otherwise says nothing", () => {
    assert.deepStrictEqual(keysOf([digestOf({ members: membersOf("a", "gone") })]), [])
    assert.deepStrictEqual(
      keysOf([digestOf({ members: [...membersOf("a"), { memory_key: "b", content_sha256: "other" }] })]),
      []
    )
    assert.deepStrictEqual(keysOf([digestOf({ user_id: "bob" })]), [])
    assert.deepStrictEqual(keysOf([digestOf({ agent: "coder" })]), [])
    assert.deepStrictEqual(keysOf([digestOf({ session_id: "s1" })]), [["a", "dig_1"]])
  })
})
