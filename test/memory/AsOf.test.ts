/**
 * What answers at an instant: histories at random against a tiny model that keeps beliefs instead of versions, the
 * changes that must never move an answer, and a table of the rules one by one.
 */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { byId, claimsOf, servedAt, successorsIn, trueAt } from "../../src/memory/AsOf.ts"
import type { Successors } from "../../src/memory/AsOf.ts"
import { lastVersionAt } from "../../src/memory/InstantModel.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { intervalsOf } from "../../src/memory/Timeline.ts"
import { history, rowsOf, times } from "./AsOfFixture.ts"
import { noon, revised, rowOf, versionAt } from "./MemoryFixture.ts"

const scope = { org: "acme", namespace: "space" }

// ---- the model ---------------------------------------------------------------------------------------------------

const from = <A>(items: ReadonlyArray<A>) => FastCheck.constantFrom(...items)
const values = ["Delhi", "Berlin", "Rome"]
const date = FastCheck.option(from(times), { nil: null })

/** What a caller does; a step that the row's state does not allow is left out. */
const step = FastCheck.oneof(
  FastCheck.record({ tag: from(["set"]), value: from(values), valid_at: date, valid_to: date }),
  FastCheck.record({
    tag: from(["update"]),
    value: from(values),
    valid_at: FastCheck.option(from(times), { nil: undefined }),
    valid_to: FastCheck.constant(null)
  }),
  FastCheck.record({
    tag: from(["delete", "restore", "reject", "retire", "expire", "pin", "label", "verify", "touch", "merge", "lock"]),
    value: from(values),
    valid_at: from(times),
    valid_to: date
  })
)
type Step = typeof step extends FastCheck.Arbitrary<infer A> ? A : never

interface Belief {
  readonly value: string
  readonly date: number
  readonly to: number | null
  readonly retired: number | null
}

/** The successor of a retirement: a row of its own that became true at a date. */
const successor = (at: number): MemoryRow =>
  rowOf(scope, { memory_key: `next/${at}`, valid_at: at, version: versionAt(noon - 100), write_id: "wr_next" })

const successors: Successors = successorsIn(byId(times.map(successor), null))

/** Both sides of a story: the rows that the write path would store, and what is believed after each of them. */
const tell = (steps: ReadonlyArray<Step>) => {
  const rows: Array<MemoryRow> = []
  const told: Array<ReadonlyArray<Belief>> = []
  let beliefs: ReadonlyArray<Belief> = []
  let isOut = false
  const write = (row: MemoryRow, now: ReadonlyArray<Belief>) => {
    const at = noon + rows.length
    beliefs = now
    rows.push({ ...row, version: versionAt(at), updated_at: at, write_id: `wr_${rows.length}` })
    told.push(isOut ? [] : beliefs)
  }
  for (const { tag, valid_at, valid_to, value } of steps) {
    const head = rows.at(-1)
    const isLive = head?.status === "active"
    const last = beliefs.at(-1)
    const kept = beliefs.slice(0, -1)
    const now = noon + rows.length
    if (tag === "set") {
      const next = rowOf(scope, { value, valid_at: valid_at ?? null, valid_to: valid_to ?? null })
      if (isLive && head.content_sha256 === next.content_sha256) {
        write({ ...next, change: "restate" }, beliefs)
      } else {
        const before = isOut ? [] : beliefs
        isOut = false
        write({ ...next, change: head === undefined ? "create" : "revise" }, [
          ...before,
          { value, date: valid_at ?? now, to: valid_to ?? null, retired: null }
        ])
      }
    } else if (head === undefined || last === undefined) continue
    else if (tag === "update" && isLive) {
      const next = revised(head, 1, { value, valid_at: valid_at === undefined ? head.valid_at : valid_at })
      const moved = next.valid_at !== head.valid_at && next.valid_at !== null ? next.valid_at : last.date
      if (head.content_sha256 !== next.content_sha256) {
        write({ ...next, change: "correct" }, [...kept, { ...last, value, date: moved }])
      }
    } else if (tag === "delete" || tag === "reject") {
      if (!isLive) continue
      isOut = true
      write({ ...head, change: tag, status: tag === "delete" ? "tombstoned" : "rejected" }, beliefs)
    } else if (tag === "expire" && isLive) {
      write({ ...head, change: "expire", status: "tombstoned", expires_at: now }, beliefs)
    } else if (tag === "retire" && isLive) {
      const { memory_id } = successor(valid_at ?? noon)
      write({ ...head, change: "retire", status: "superseded", superseded_by: memory_id, invalid_at: now }, [
        ...kept,
        { ...last, retired: valid_at ?? noon }
      ])
    } else if (tag === "restore" && !isLive) {
      isOut = false
      write({ ...head, change: "restore", status: "active", superseded_by: "", invalid_at: null }, [
        ...kept,
        { ...last, retired: null }
      ])
    } else if (tag === "pin" || tag === "verify" || tag === "lock" || tag === "merge" || tag === "label") {
      write({ ...head, change: tag, tags: [tag], pinned: true }, beliefs)
    } else if (tag === "touch") {
      write({ ...head, change: tag, expires_at: now }, beliefs)
    }
  }
  return { rows, told }
}

const believed = (beliefs: ReadonlyArray<Belief>, at: number): string | undefined => {
  let found: Belief | undefined
  for (const belief of beliefs) {
    if (belief.date <= at && (found === undefined || belief.date >= found.date)) found = belief
  }
  return found === undefined || [found.to, found.retired].some((end) => end !== null && end <= at)
    ? undefined
    : found.value
}

const answered = (rows: ReadonlyArray<MemoryRow>, at: number, of: Successors = successors): string | undefined => {
  const version = trueAt(claimsOf(rows), at, of)?.last.version
  return rows.find((row) => row.version === version)?.value
}

const instants = [...times, ...times.map((at) => at + 30), noon - 1_000]

// ---- the rules one by one ----------------------------------------------------------------------------------------

const first = rowOf(scope, {
  value: "Delhi",
  valid_at: noon - 900,
  version: versionAt(noon - 100),
  updated_at: noon - 100
})
const at = (shift: number) => (rows: ReadonlyArray<MemoryRow>) => answered(rows, noon + shift)

describe("AsOf", () => {
  it("answers what a model of beliefs answers, by today's knowledge and by that of any earlier version", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { maxLength: 24 }), (steps) => {
        const { rows, told } = tell(steps)
        for (const [index, beliefs] of told.entries()) {
          for (const time of instants) {
            assert.strictEqual(
              answered(rows.slice(0, index + 1), time),
              believed(beliefs, time),
              `${index} ${time - noon}`
            )
          }
        }
      }),
      { numRuns: 400 }
    )
  })

  it("pins, tags, attestations, merges, locks, expiries and restatements move no answer, in any history", () => {
    const change = from(["pin", "label", "verify", "merge", "lock", "touch", "restate"] as const)
    FastCheck.assert(
      FastCheck.property(history, change, FastCheck.nat(30), date, (steps, change, place, valid_at) => {
        const rows = rowsOf(scope, steps).filter(({ agent, memory_key }) => agent === "" && memory_key === "k/a/0")
        const index = place % (rows.length + 1)
        const before = rows[index - 1]
        if (before === undefined) return
        const neutral: MemoryRow = {
          ...before,
          change,
          version: before.version + 1n,
          updated_at: noon + 40,
          tags: ["new"],
          pinned: true,
          expires_at: noon,
          reinforcement_count: 9,
          // Later versions carry the columns of the one before them, which this history has already told.
          ...(change === "restate" && index === rows.length ? { valid_at } : {})
        }
        const all = [...rows.slice(0, index), neutral, ...rows.slice(index)]
        const own = (versions: ReadonlyArray<MemoryRow>) => successorsIn(byId(versions, null))
        for (const time of instants) {
          const changed = trueAt(claimsOf(all), time, own(all))
          const plain = trueAt(claimsOf(rows), time, own(rows))
          assert.strictEqual(changed?.first.version, plain?.first.version)
          assert.strictEqual(changed?.last.content_sha256, plain?.last.content_sha256)
        }
      }),
      { numRuns: 600 }
    )
  })

  it("what was served at a time is frozen: nothing written after it changes the answer", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { maxLength: 24 }), (steps) => {
        const { rows } = tell(steps)
        for (const [index, row] of rows.entries()) {
          const now = servedAt(rows.slice(0, index + 1), row.updated_at)
          const later = byId(rows, lastVersionAt(row.updated_at)).get(row.memory_id) ?? []
          assert.strictEqual(servedAt(later, row.updated_at)?.version, now?.version)
        }
      })
    )
  })

  it("a millisecond knows all that was written within it", () => {
    assert.strictEqual(lastVersionAt(noon), versionAt(noon) + 999_999n)
    assert.strictEqual(lastVersionAt(-1), 0n)
  })

  describe("rules", () => {
    const second = revised(first, 10, { value: "Berlin", valid_at: noon - 500 })

    it("a later statement ends the one before it at its date; both keep their own time", () => {
      assert.strictEqual(at(-600)([first, second]), "Delhi")
      assert.strictEqual(at(-500)([first, second]), "Berlin")
      assert.isUndefined(at(-901)([first, second]))
    })

    it("a statement without dates counts from when it was learned, an anchor before that", () => {
      const plain = revised(first, 10, { value: "Berlin", valid_at: null })
      assert.strictEqual(at(-91)([first, plain]), "Delhi")
      assert.strictEqual(at(-90)([first, plain]), "Berlin")
      assert.strictEqual(at(-300)([first, { ...plain, temporal_anchor: noon - 300 }]), "Berlin")
    })

    it("moving back is a belief of its own", () => {
      const back = revised(second, 10, { value: "Delhi", valid_at: noon - 300 })
      assert.deepStrictEqual([-600, -400, -200].map((shift) => at(shift)([first, second, back])), [
        "Delhi",
        "Berlin",
        "Delhi"
      ])
    })

    it("a duplicate takes its place and leaves the answer to its canonical row; a proposal takes none", () => {
      const twin: MemoryRow = { ...second, status: "duplicate", duplicate_of: "mem_x" }
      assert.isUndefined(at(-400)([first, twin]))
      assert.strictEqual(at(-600)([first, twin]), "Delhi")
      assert.strictEqual(at(-400)([first, { ...second, status: "proposed" }]), "Delhi")
    })

    it("a retired row without a known successor answers until it was retired", () => {
      const retired = revised(first, 10, { change: "retire", status: "superseded", invalid_at: noon - 50 })
      assert.strictEqual(at(-51)([first, retired]), "Delhi")
      assert.isUndefined(at(-50)([first, retired]))
    })

    it("a tag on a retired row does not make a later statement of its successor the end", () => {
      const next = { ...successor(-500), write_id: "wr_2" }
      const retired = revised(first, 10, { change: "retire", status: "superseded", superseded_by: next.memory_id })
      const tagged = revised(retired, 50, { change: "label", tags: ["x"] })
      const taken = { ...next, valid_at: noon - 400, version: retired.version - 1n }
      const anew = revised(taken, 20, { value: "Bern", valid_at: noon - 100 })
      const of = successorsIn(byId([first, retired, tagged, taken, anew], null))
      assert.strictEqual(answered([first, retired, tagged], noon - 401, of), "Delhi")
      assert.isUndefined(answered([first, retired, tagged], noon - 400, of))
    })

    it("a rollback takes back what was stated after the point it returns to, and its undoing gives it back", () => {
      const wrong = revised(second, 10, { value: "Tokyo", valid_at: noon - 400 })
      const rolled = revised({ ...second, version: wrong.version, updated_at: wrong.updated_at }, 10, {
        change: "rollback"
      })
      const undone = revised({ ...wrong, version: rolled.version, updated_at: rolled.updated_at }, 10, {
        change: "rollback"
      })
      const answers = (rows: ReadonlyArray<MemoryRow>) => [-600, -450, -300].map((shift) => at(shift)(rows))
      assert.deepStrictEqual(answers([first, second, wrong]), ["Delhi", "Berlin", "Tokyo"])
      assert.deepStrictEqual(answers([first, second, wrong, rolled]), ["Delhi", "Berlin", "Berlin"])
      assert.deepStrictEqual(answers([first, second, wrong, rolled, undone]), ["Delhi", "Berlin", "Tokyo"])
    })

    it("a version whose content was redacted answers for no time", () => {
      assert.isUndefined(at(-600)([{ ...first, value: "", value_kind: "redacted" }]))
    })

    it("voided versions are not there", () => {
      assert.strictEqual(at(-400)([first, { ...second, status: "void" }]), "Delhi")
      assert.strictEqual(servedAt([first, { ...second, status: "void" }], noon)?.version, first.version)
    })
  })

  it("intervals: ends follow from the next belief, stated ends and overlaps stay, the answer lies in its interval", () => {
    FastCheck.assert(
      FastCheck.property(history, (steps) => {
        const groups = byId(rowsOf(scope, steps), null)
        const of = successorsIn(groups)
        const intervals = intervalsOf({ marks: [...groups.values()], successors: of })
        assert.deepStrictEqual(
          intervals.map(({ from }) => from),
          intervals.map(({ from }) => from).sort((a, b) => a - b)
        )
        for (const rows of groups.values()) {
          for (const time of instants) {
            const claim = trueAt(claimsOf(rows), time, of)
            if (claim === undefined) continue
            const interval = intervals.find((one) => one.claim.first.version === claim.first.version)
            assert.isDefined(interval)
            assert.isTrue(interval.from <= time && (interval.until === null || interval.until > time))
            assert.isFalse(interval.claim.withdrawn)
          }
        }
      }),
      { numRuns: 300 }
    )
  })
})
