import { assert, describe, it } from "@effect/vitest"
import { mergeCommits } from "../../src/memory/CommitMerge.ts"
import { commitOf, derivedOf, freshScope, revised, rowOf } from "./MemoryFixture.ts"

const scope = freshScope()
const row = rowOf(scope)
const other = rowOf(scope, { memory_key: "project/loom/other" })
const entities = [{ identity: row, entity: "loom", version: row.version }]

describe("mergeCommits", () => {
  it("keeps everything in order", () => {
    const merged = mergeCommits([
      commitOf([row], { derived: [derivedOf(row)], entities }),
      commitOf([other], { derived: [derivedOf(other)] })
    ])
    assert.deepStrictEqual(merged, commitOf([row, other], { derived: [derivedOf(row), derivedOf(other)], entities }))
  })

  it("leaves out what was derived from a memory that a later commit hides, and keeps what comes after", () => {
    const later = revised(row, 1)
    const shown = commitOf([row, other], { derived: [derivedOf(row), derivedOf(other)], entities })
    const hides = commitOf([later], { derived: [], hidden: [row] })
    const again = commitOf([revised(row, 2)], { derived: [derivedOf(revised(row, 2))] })
    assert.deepStrictEqual(mergeCommits([shown, hides]).derived, [derivedOf(other)])
    assert.deepStrictEqual(mergeCommits([shown, hides]).entities, [])
    assert.deepStrictEqual(mergeCommits([hides, again]).derived, again.derived)
    assert.deepStrictEqual(mergeCommits([shown, hides, again]).derived, [derivedOf(other), ...again.derived])
    assert.deepStrictEqual(mergeCommits([shown, hides, again]).hidden, [row])
  })
})
