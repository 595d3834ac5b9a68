/**
 * Random histories: few subjects, few slots and much of what is rare in life, so that short ones already meet. Weights are
 * by feel: plain writes often enough that the rest has something to act on.
 */
import * as FastCheck from "effect/FastCheck"
import type { Claim } from "./ModelClaims.ts"
import { REFUSED } from "./ModelClaims.ts"
import { APPENDING, SOON, WAITS } from "./ModelSteps.ts"
import type { Act, Aim, Ask, History, Match, MoveKind, MovePart, SetPart, Slot, Stated, Step } from "./ModelSteps.ts"

type Any<A> = FastCheck.Arbitrary<A>

/** One of the values, as often as its weight says. */
const often = <A>(...options: ReadonlyArray<readonly [number, A]>): Any<A> =>
  FastCheck.oneof(...options.map(([weight, value]) => ({ weight, arbitrary: FastCheck.constant(value) })))

const rarely = often([9, false], [1, true])

const slot: Any<Slot> = FastCheck.record({
  writer: often([6, 0], [3, 1], [2, 2], [1, 3]),
  key: often([6, 0], [5, 1], [3, 2], [1, 3])
})

const claim: Any<Claim> = FastCheck.record({
  subject: often([7, 0], [3, 1], [2, 2]),
  object: often([8, 0], [8, 1], [4, 2], [1, REFUSED]),
  form: often<Claim["form"]>([9, "plain"], [3, "dressed"], [6, "turned"], [2, "far"], [2, "odd"])
})

const end = often<number | null>([2, SOON], [1, null])

const stated: Any<Stated> = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.constant({}) },
  {
    weight: 6,
    arbitrary: FastCheck.record({
      pinned: often([4, true], [1, false]),
      valid_at: often<number | null>([4, 1], [4, 2], [1, null]),
      valid_to: end,
      expires_at: end,
      tags: often<ReadonlyArray<string>>([2, ["x"]], [1, [APPENDING]])
    }, { requiredKeys: [] }).chain((full) => {
      // One or two of them at a time.
      const names = Object.keys(full)
      return FastCheck.subarray(names, { minLength: Math.min(1, names.length), maxLength: Math.min(2, names.length) })
        .map((kept): Stated => Object.fromEntries(Object.entries(full).filter(([name]) => kept.includes(name))))
    })
  }
)

const match = often<Match>([10, "none"], [2, "current"], [1, "other"])
const run = often([8, ""], [2, "r1"], [1, "r2"])

const part: Any<SetPart> = FastCheck.record({
  slot,
  claim,
  stated,
  run,
  match,
  source: often<SetPart["source"]>([12, "asserted"], [2, "imported"], [1, "extracted"], [1, "derived"])
})

const aim = often<Aim>([2, "writer"], [1, "id"], [1, "key"])

const moveKind: Any<MoveKind> = FastCheck.oneof(
  {
    weight: 3,
    arbitrary: FastCheck.record({
      kind: FastCheck.constant("tombstone" as const),
      change: often<"delete" | "expire">([1, "delete"], [1, "expire"])
    })
  },
  { weight: 3, arbitrary: FastCheck.constant({ kind: "reject" as const }) },
  {
    weight: 3,
    arbitrary: FastCheck.record({ kind: FastCheck.constant("pin" as const), pinned: often([3, true], [1, false]) })
  },
  {
    weight: 3,
    arbitrary: FastCheck.record({
      kind: FastCheck.constant("lock" as const),
      mode: often<"" | "read_only" | "no_delete">([3, "read_only"], [2, "no_delete"], [2, ""]),
      until: often<number | null>([1, SOON], [2, null]),
      mayLoosen: FastCheck.boolean()
    })
  },
  { weight: 2, arbitrary: FastCheck.record({ kind: FastCheck.constant("touch" as const), expires_at: end }) },
  {
    weight: 1,
    arbitrary: FastCheck.record({
      kind: FastCheck.constant("label" as const),
      add: often<ReadonlyArray<string>>([1, ["x", "y"]], [1, [APPENDING]]),
      remove: often<ReadonlyArray<string>>([1, []], [1, ["x"]])
    })
  },
  {
    weight: 1,
    arbitrary: FastCheck.record({ kind: FastCheck.constant("verify" as const), matches: often([3, true], [1, false]) })
  },
  { weight: 4, arbitrary: FastCheck.constant({ kind: "accept" as const }) },
  { weight: 3, arbitrary: FastCheck.record({ kind: FastCheck.constant("allow" as const), other: slot }) },
  { weight: 3, arbitrary: FastCheck.record({ kind: FastCheck.constant("retire" as const), by: slot }) },
  { weight: 2, arbitrary: FastCheck.record({ kind: FastCheck.constant("correct" as const), claim, stated }) }
)

const movePart: Any<MovePart> = FastCheck.record({ slot, move: moveKind, expected: match })

const act: Any<Act> = FastCheck.oneof(
  {
    weight: 16,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("set" as const),
      part,
      proposed: often([5, false], [1, true]),
      dry: rarely
    })
  },
  {
    weight: 3,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("bulk" as const),
      parts: FastCheck.array(part, { minLength: 1, maxLength: 3 }),
      dry: rarely
    })
  },
  {
    weight: 5,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("update" as const),
      slot,
      aim,
      claim: FastCheck.option(claim, { freq: 4 }),
      stated,
      match,
      run,
      dry: rarely
    })
  },
  {
    weight: 4,
    arbitrary: FastCheck.record({ tag: FastCheck.constant("delete" as const), slot, aim, match, dry: rarely })
  },
  { weight: 3, arbitrary: FastCheck.record({ tag: FastCheck.constant("restore" as const), slot, aim, dry: rarely }) },
  {
    weight: 8,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("move" as const),
      parts: FastCheck.array(movePart, { minLength: 1, maxLength: 3 }),
      dry: rarely
    })
  },
  {
    weight: 1,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("rollback" as const),
      back: FastCheck.integer({ min: 1, max: 4 }),
      dry: rarely
    })
  }
)

const step: Any<Step> = FastCheck.oneof(
  {
    weight: 24,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("act" as const),
      act,
      idem: often([6, ""], [1, "i1"], [1, "i2"])
    })
  },
  {
    weight: 1,
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("again" as const),
      back: FastCheck.integer({ min: 1, max: 3 })
    })
  },
  {
    weight: 3,
    arbitrary: FastCheck.record({ tag: FastCheck.constant("wait" as const), millis: FastCheck.constantFrom(...WAITS) })
  }
)

// More numbers than there are moments.
const number = FastCheck.integer({ min: 0, max: 59 })

const ask: Any<Ask> = FastCheck.record({
  what: often<Ask["what"]>([3, "list"], [1, "all"], [3, "get"], [2, "timeline"]),
  axis: often<Ask["axis"]>([2, "valid"], [1, "knowledge"], [1, "both"]),
  key: often([4, 0], [3, 1], [2, 2], [1, 3]),
  at: number,
  known: number,
  after: FastCheck.integer({ min: 0, max: 11 })
})

/** Histories of at most `length` steps, with `asks` reads of the past in each. */
export const histories = (length: number, asks: number): Any<History> =>
  FastCheck.record({
    policy: FastCheck.constantFrom("auto_reinforce", "newest_wins", "manual_review", "append_only"),
    many: FastCheck.boolean(),
    again: FastCheck.constantFrom("state", "queries"),
    // Long ones first: fast-check makes them shorter when one fails.
    steps: FastCheck.array(step, { minLength: 1, maxLength: length, size: "max" }),
    cuts: FastCheck.array(FastCheck.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
    asks: FastCheck.array(ask, { minLength: Math.min(1, asks), maxLength: asks, size: "max" }),
    restarts: FastCheck.array(rarely, { minLength: 1, maxLength: 4 }),
    faults: FastCheck.array(often<History["faults"][number]>([8, "none"], [1, "before"], [1, "after"], [1, "torn"]), {
      minLength: 1,
      maxLength: 4
    })
  })
