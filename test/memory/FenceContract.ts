/**
 * What every fence promises, whatever keeps it: the same tests run over each. Each test has namespaces of its own, so that
 * they share one fence.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Scope } from "../../src/kernel/Identity.ts"
import { Fence } from "../../src/memory/Fence.ts"
import type { Intent, IntentRow, OpenIntent, Tenancy } from "../../src/memory/Fence.ts"
import { identicalToModel } from "./FenceModelled.ts"
import { freshScope } from "./MemoryFixture.ts"

// Far above what a double holds exactly, as every version is.
const HIGH = 9_223_372_036_854_770_000n

const rowAt = (version: bigint, key = "project/one/owner"): IntentRow => ({
  agent: "agent 'a' \\ \"b\"",
  user_id: "user\u00e9 \u{1f9f5}",
  session_id: "",
  memory_key: key,
  memory_id: `mem_${version}`,
  version,
  hides: version % 2n === 0n
})

/** A commit of two rows, a link and an answer. */
export const intentOf = ({ epoch, scope }: Tenancy, seq: bigint, top: bigint): Intent => ({
  scope,
  epoch,
  seq,
  rows: [rowAt(top - 1n), rowAt(top, "100%_done/it's")],
  links: [top - 2n],
  answers: ["a".repeat(64)],
  top
})

const opened = (intent: Intent, state: OpenIntent["state"] = "open"): OpenIntent => ({ ...intent, state })

const first = (scope: Scope) => Effect.flatMap(Fence, (fence) => fence.take(scope))

/** A namespace that one owner took and another took from it, with one intent reserved between. */
const takenFrom = Effect.gen(function*() {
  const fence = yield* Fence
  const before = yield* fence.take(freshScope())
  const intent = intentOf(before, 1n, 10n)
  yield* fence.reserve([intent])
  const now = yield* fence.take(before.scope)
  return { fence, before, intent, now, open: opened(intent) }
})

export const suite = <E>(name: string, fences: Layer.Layer<Fence, E>): void => {
  testLayer(fences, { timeout: 60_000 })(`Fence (${name})`, (it) => {
    it.effect("each taking has a higher epoch and begins with nothing open", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const epochs = [yield* first(scope), yield* first(scope), yield* first(scope)]
        for (const [at, taken] of epochs.entries()) {
          assert.deepInclude(taken, { scope, epoch: BigInt(at + 1), version: 0n, open: [] })
        }
        assert.strictEqual((yield* first({ ...scope, namespace: `${scope.namespace}-other` })).epoch, 1n)
      }))

    it.effect("what was reserved and not decided is told to whoever takes, in order, with the floor of versions", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        const mine = yield* first(freshScope())
        const intents = [intentOf(mine, 2n, HIGH), intentOf(mine, 9n, HIGH + 10n), intentOf(mine, 10n, HIGH + 5n)]
        for (const intent of intents) assert.deepStrictEqual(yield* fence.reserve([intent]), [true])
        const taken = yield* first(mine.scope)
        assert.deepInclude(taken, {
          scope: mine.scope,
          epoch: 2n,
          version: HIGH + 10n,
          open: intents.map((intent) => opened(intent))
        })
        const later = intentOf(taken, 1n, HIGH + 30n)
        assert.deepStrictEqual(yield* fence.reserve([later]), [true])
        assert.deepStrictEqual((yield* first(mine.scope)).open, [...intents, later].map((intent) => opened(intent)))
      }))

    it.effect("reserves of one commit each for itself", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        const [one, lost, three] = [yield* first(freshScope()), yield* first(freshScope()), yield* first(freshScope())]
        yield* first(lost.scope)
        const stranger: Tenancy = { scope: freshScope(), epoch: 1n }
        const bare: Intent = { ...three, seq: 1n, rows: [], links: [], answers: [], top: 0n }
        assert.deepStrictEqual(
          yield* fence.reserve([intentOf(one, 1n, 10n), intentOf(lost, 1n, 10n), bare, intentOf(stranger, 1n, 10n)]),
          [true, false, true, false]
        )
        assert.deepStrictEqual(
          yield* fence.confirm([{ ...one, seq: 1n }, { ...lost, seq: 1n }, { ...three, seq: 1n }]),
          [
            true,
            false,
            true
          ]
        )
        const after = yield* first(lost.scope)
        assert.deepStrictEqual([after.version, after.open], [0n, []])
        assert.deepStrictEqual(yield* fence.reserve([]), [])
        assert.deepStrictEqual(yield* fence.confirm([]), [])
      }))

    it.effect("reserving again is the same as once; nothing else goes under the same number, or a lower one", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        const mine = yield* first(freshScope())
        const intent = intentOf(mine, 5n, 10n)
        const lower = intentOf(mine, 4n, 20n)
        yield* fence.reserve([intent])
        assert.deepStrictEqual(yield* fence.reserve([intent]), [true])
        assert.deepStrictEqual(yield* fence.reserve([{ ...intent, top: 11n }]), [false])
        assert.deepStrictEqual(yield* fence.reserve([{ ...intent, rows: [] }]), [false])
        assert.deepStrictEqual(yield* fence.reserve([lower]), [false])
        assert.deepStrictEqual(yield* fence.confirm([intent]), [true])
        assert.deepStrictEqual(yield* fence.reserve([intent]), [true])
        const taken = yield* first(mine.scope)
        assert.deepStrictEqual([taken.version, taken.open], [10n, []])
      }))

    it.effect("confirms once and again, only what is reserved and only for the owner of now", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        const mine = yield* first(freshScope())
        const [one, two] = [intentOf(mine, 1n, 10n), intentOf(mine, 2n, 20n)]
        assert.deepStrictEqual(yield* fence.confirm([one]), [false])
        yield* fence.reserve([one])
        assert.deepStrictEqual(yield* fence.confirm([one, two]), [true, false])
        assert.deepStrictEqual(yield* fence.confirm([one]), [true])
        yield* fence.reserve([two])
        const now = yield* first(mine.scope)
        assert.deepStrictEqual(now.open, [opened(two)])
        assert.deepStrictEqual(yield* fence.confirm([one, two]), [false, false])
        assert.deepStrictEqual((yield* first(mine.scope)).open, [opened(two)])
      }))

    it.effect("the owner of now adopts, and the one before has no say any more", () =>
      Effect.gen(function*() {
        const { before, fence, intent, now, open } = yield* takenFrom
        assert.isFalse(yield* fence.adopt(before, open))
        assert.isTrue(yield* fence.adopt(now, open))
        assert.isTrue(yield* fence.adopt(now, open))
        assert.deepStrictEqual(yield* fence.confirm([intent]), [false])
        assert.deepStrictEqual(yield* fence.reserve([intent]), [false])
        assert.deepStrictEqual(yield* fence.doom(now, open, 1), Option.none())
        assert.isFalse(yield* fence.bury(now, open))
        assert.deepStrictEqual((yield* first(now.scope)).open, [])
      }))

    it.effect("what is doomed is void for good, under versions above every one handed out", () =>
      Effect.gen(function*() {
        const { before, fence, intent, now, open } = yield* takenFrom
        assert.deepStrictEqual(yield* fence.doom(before, open, 3), Option.none())
        assert.isFalse(yield* fence.bury(now, open))
        assert.deepStrictEqual(yield* fence.doom(now, open, 3), Option.some(11n))
        assert.deepStrictEqual(yield* fence.doom(now, open, 0), Option.some(14n))
        assert.isFalse(yield* fence.adopt(now, open))
        // Its taker died; the next goes through it once more.
        const next = yield* first(now.scope)
        assert.deepStrictEqual(next, { ...next, version: 13n, open: [opened(intent, "doomed")] })
        assert.isFalse(yield* fence.adopt(next, opened(intent, "doomed")))
        assert.deepStrictEqual(yield* fence.doom(now, open, 1), Option.none())
        assert.isFalse(yield* fence.bury(now, open))
        assert.deepStrictEqual(yield* fence.doom(next, open, 2), Option.some(14n))
        assert.isTrue(yield* fence.bury(next, open))
        assert.isTrue(yield* fence.bury(next, open))
        assert.deepStrictEqual(yield* fence.doom(next, open, 1), Option.none())
        const last = yield* first(now.scope)
        assert.deepStrictEqual([last.version, last.open], [15n, []])
      }))

    it.effect("decides only what is there", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        const mine = yield* first(freshScope())
        const unknown = opened(intentOf(mine, 7n, 10n))
        const now = yield* first(mine.scope)
        assert.isFalse(yield* fence.adopt(now, unknown))
        assert.isFalse(yield* fence.bury(now, unknown))
        assert.deepStrictEqual(yield* fence.doom(now, unknown, 5), Option.none())
        assert.strictEqual((yield* first(mine.scope)).version, 0n)
      }))

    it.effect("of many that take at once each has an epoch of its own", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const taken = yield* Effect.all(Array.from({ length: 16 }, () => first(scope)), { concurrency: "unbounded" })
        const epochs = taken.map(({ epoch }) => Number(epoch)).sort((left, right) => left - right)
        assert.deepStrictEqual(epochs, Array.from({ length: 16 }, (_, index) => index + 1))
      }))

    it.effect("a reservation that meets a taking is either refused or found by it", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        const met = yield* Effect.forEach(Array.from({ length: 40 }, freshScope), (scope) =>
          Effect.gen(function*() {
            const mine = yield* first(scope)
            const intent = intentOf(mine, 1n, 10n)
            const [[reserved], taken] = yield* Effect.all([fence.reserve([intent]), first(scope)], {
              concurrency: "unbounded"
            })
            assert.deepStrictEqual(taken.open, reserved === true ? [opened(intent)] : [])
            assert.strictEqual(taken.version, reserved === true ? 10n : 0n)
          }), { concurrency: 4 })
        assert.strictEqual(met.length, 40)
      }))

    it.effect("a confirmation that meets a taking is either refused or final", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        yield* Effect.forEach(Array.from({ length: 40 }, freshScope), (scope) =>
          Effect.gen(function*() {
            const mine = yield* first(scope)
            const intent = intentOf(mine, 1n, 10n)
            yield* fence.reserve([intent])
            const [taken, [confirmed]] = yield* Effect.all([first(scope), fence.confirm([intent])], {
              concurrency: "unbounded"
            })
            assert.deepStrictEqual(taken.open, confirmed === true ? [] : [opened(intent)])
          }), { concurrency: 4, discard: true })
      }))

    it.effect("merged commits of the same namespaces in another order do not hold each other up", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        const owners = yield* Effect.forEach(Array.from({ length: 12 }, freshScope), first)
        const rounds = Array.from({ length: 20 }, (_, index) => {
          const intents = owners.map((owner) => intentOf(owner, 1n, 10n))
          return index % 2 === 0 ? intents : intents.reverse()
        })
        const all = yield* Effect.forEach(
          rounds,
          (intents) => Effect.zip(fence.reserve(intents), fence.confirm(intents)),
          { concurrency: "unbounded" }
        )
        assert.isTrue(all.flat(2).every((accepted) => accepted))
      }))

    it.effect("a commit of five hundred rows comes back as it went", () =>
      Effect.gen(function*() {
        const fence = yield* Fence
        const mine = yield* first(freshScope())
        const rows = Array.from({ length: 500 }, (_, index) => rowAt(HIGH + BigInt(index), `key/${index}`))
        const intent: Intent = { ...intentOf(mine, 1n, HIGH + 499n), rows }
        yield* fence.reserve([intent])
        assert.deepStrictEqual((yield* first(mine.scope)).open, [opened(intent)])
      }))

    it.effect("answers as its model does, whatever is asked in whatever order", () => identicalToModel, 60_000)
  })
}
