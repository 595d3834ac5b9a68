import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { localCaller } from "../../src/kernel/Caller.ts"
import { uuidv7 } from "../../src/kernel/Ids.ts"
import { seal } from "../../src/kernel/SignedCursor.ts"
import { MOST_LISTED } from "../../src/retrieval/SearchAcross.ts"
import { pageOf, placeOf, SearchPlace } from "../../src/retrieval/SearchCursor.ts"
import { MOST_NAMESPACES } from "../../src/retrieval/SearchScopes.ts"

const minted = fc.tuple(fc.nat(2 ** 31), fc.uint8Array({ minLength: 10, maxLength: 10 })).map(([at, random]) =>
  `mem_${uuidv7(at, random)}`
)
const listed = (id: fc.Arbitrary<string>) =>
  fc.array(fc.record({ at: fc.nat(MOST_NAMESPACES - 1), one: id }), { maxLength: 40 })

describe("SearchCursor", () => {
  it("holds every list, of minted ids in a compact form", () => {
    const page = (id: fc.Arbitrary<string>) =>
      fc.record({
        listed: listed(id),
        offset: fc.nat(),
        confidence: fc.double({ min: 0, max: 1, noNaN: true }),
        depth: fc.nat()
      })
    fc.assert(fc.property(fc.oneof(page(minted), page(fc.string())), (given) => {
      const read = pageOf(Schema.decodeUnknownSync(SearchPlace)(JSON.parse(JSON.stringify(placeOf(given)))))
      assert.deepStrictEqual(read, given)
    }))
  })

  it("the longest list makes a cursor that is taken back", () => {
    const all = Array.from({ length: MOST_LISTED }, (_, at) => ({
      at: at % MOST_NAMESPACES,
      one: `mem_${uuidv7(at, new Uint8Array(10))}`
    }))
    const place = placeOf({ listed: all, offset: 100, confidence: 0.123456, depth: 200 })
    const key = { key_id: "00000000", secret: "ab".repeat(32) }
    const text = seal(key, { verb: "memory.search", caller: localCaller, filter: {} }, 0, place)
    assert.isBelow(text.length, 12_000)
  })
})
