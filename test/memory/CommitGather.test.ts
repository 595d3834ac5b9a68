import { assert, describe, it } from "@effect/vitest"
import { CommitGather } from "../../src/memory/CommitGather.ts"

describe("CommitGather", () => {
  it("never keeps a lone actor waiting", () => {
    const gathering = new CommitGather()
    assert.isNull(gathering.next())
    gathering.committed(1, 0, 30)
    assert.isNull(gathering.next())
    gathering.committed(1, 1, 30)
    assert.isNull(gathering.next())
  })

  it("waits for most of those it has seen, for half of what a commit takes", () => {
    const gathering = new CommitGather()
    gathering.committed(4, 6, 30)
    assert.deepStrictEqual(gathering.next(), { batches: 7, millis: 15 })
    gathering.committed(10, 0, 5_000)
    assert.deepStrictEqual(gathering.next(), { batches: 7, millis: 100 })
  })

  it("waits again at once when it paid, and after some commits when it was in vain", () => {
    const gathering = new CommitGather()
    gathering.committed(10, 0, 30)
    const wait = { batches: 7, millis: 15 }
    gathering.waited(wait, 7)
    assert.deepStrictEqual(gathering.next(), wait)
    gathering.waited(wait, 6)
    const later = Array.from({ length: 9 }, () => gathering.next())
    assert.deepStrictEqual(later, [...Array.from({ length: 8 }, () => null), wait])
  })
})
