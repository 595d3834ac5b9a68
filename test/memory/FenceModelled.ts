/**
 * The fence beside a model of it so small that it can be read at a glance: a list of intents with their states for each
 * namespace. Whatever is asked of both in whatever order, both must answer alike.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import { Fence } from "../../src/memory/Fence.ts"
import type { Intent, Taken } from "../../src/memory/Fence.ts"
import { freshScope } from "./MemoryFixture.ts"

const SPACES = [0, 1]
const small = (max: number) => FastCheck.integer({ min: 1, max })

/** What is asked: of which namespace, under which epoch, about which intent. */
interface Asked {
  readonly what: "take" | "reserve" | "confirm" | "adopt" | "doom" | "bury"
  readonly space: number
  /** How many epochs before the one of now: most often none. */
  readonly behind: number
  /** The epoch of the intent that is decided. */
  readonly of: number
  readonly seq: number
  readonly size: number
}

const asked: FastCheck.Arbitrary<Asked> = FastCheck.record({
  what: FastCheck.constantFrom<Asked["what"]>("take", "reserve", "reserve", "confirm", "adopt", "doom", "bury"),
  space: FastCheck.constantFrom(...SPACES),
  behind: FastCheck.constantFrom(0, 0, 0, 1, 2),
  of: small(3),
  seq: small(4),
  size: FastCheck.integer({ min: 0, max: 3 })
})

interface Line {
  readonly epoch: number
  readonly seq: number
  readonly size: number
  state: string
}

class Space {
  epoch = 0
  seq = 0
  version = 0
  lines: Array<Line> = []

  answer({ of, seq, size, what }: Asked, epoch: number): unknown {
    const line = this.lines.find((one) =>
      one.epoch === (what === "reserve" || what === "confirm" ? epoch : of) && one.seq === seq
    )
    const move = (from: string, to: string): boolean => {
      if (epoch !== this.epoch || line === undefined || (line.state !== from && line.state !== to)) return false
      line.state = to
      return true
    }
    switch (what) {
      case "take":
        this.epoch++
        this.seq = 0
        return [
          this.epoch,
          this.version,
          this.lines.filter(({ state }) => state === "open" || state === "doomed")
            .map(({ epoch, seq, state }) => [epoch, seq, state])
        ]
      case "reserve":
        if (epoch !== this.epoch || seq < this.seq) return false
        if (line !== undefined && line.size !== size) return false
        if (line === undefined) {
          this.lines.push({ epoch, seq, size, state: "open" })
          this.seq = seq
          this.version = Math.max(this.version, topOf(seq, size))
        }
        // What is decided before it is forgotten.
        this.lines = this.lines.filter((one) =>
          one.state === "open" || one.state === "doomed" || one.epoch > epoch || (one.epoch === epoch && one.seq >= seq)
        )
        return true
      case "confirm":
      case "adopt":
        return move("open", "done")
      case "doom": {
        if (!move("open", "doomed")) return null
        this.version += size
        return this.version - size + 1
      }
      default:
        return move("doomed", "void")
    }
  }
}

const topOf = (seq: number, size: number): number => seq * 3 + size

const intentOf = (scope: Intent["scope"], epoch: number, seq: number, size: number): Intent => ({
  scope,
  epoch: BigInt(epoch),
  seq: BigInt(seq),
  rows: [],
  links: Array.from({ length: size }, (_, index) => BigInt(index)),
  answers: [],
  top: BigInt(topOf(seq, size))
})

const plainTaken = ({ epoch, open, version }: Taken) => [
  Number(epoch),
  Number(version),
  open.map((intent) => [Number(intent.epoch), Number(intent.seq), intent.state])
]

/** What the fence itself answers, in the model's words. */
const answerOf = (fence: Fence["Type"], scope: Intent["scope"], { of, seq, size, what }: Asked, epoch: number) => {
  const owner = { scope, epoch: BigInt(epoch) }
  const open = { ...intentOf(scope, of, seq, size), state: "open" as const }
  switch (what) {
    case "take":
      return Effect.map(fence.take(scope), plainTaken)
    case "reserve":
      return Effect.map(fence.reserve([intentOf(scope, epoch, seq, size)]), ([accepted]) => accepted)
    case "confirm":
      return Effect.map(fence.confirm([{ ...owner, seq: BigInt(seq) }]), ([accepted]) => accepted)
    case "adopt":
      return fence.adopt(owner, open)
    case "doom":
      return Effect.map(fence.doom(owner, open, size), Option.match({ onNone: () => null, onSome: Number }))
    default:
      return fence.bury(owner, open)
  }
}

export const identicalToModel = Effect.gen(function*() {
  const fence = yield* Fence
  const run = Runtime.runPromise(yield* Effect.runtime())
  const play = (all: ReadonlyArray<Asked>) =>
    Effect.gen(function*() {
      const places = SPACES.map(() => ({ scope: freshScope(), model: new Space() }))
      for (const one of all) {
        const place = places[one.space]
        if (place === undefined) continue
        const epoch = Math.max(1, place.model.epoch - one.behind)
        const answer = yield* answerOf(fence, place.scope, one, epoch)
        assert.deepStrictEqual(answer, place.model.answer(one, epoch))
      }
    })
  yield* Effect.promise(() =>
    FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(asked, { maxLength: 40, size: "max" }), (all) => run(play(all))),
      { numRuns: 200 }
    )
  )
})
