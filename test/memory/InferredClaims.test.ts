/**
 * Claims that are found in what was said come in any order: under one key the later-dated one stands at the end, none without a
 * date replaces one that has one, and none of them is lost. What somebody states outright is judged as ever.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { MemoryClient } from "../../src/memory/MemoryClient.ts"
import type { SetItem, WriteMeta } from "../../src/memory/MemoryCommand.ts"
import { MemoryIntake } from "../../src/memory/MemoryIntake.ts"
import { MemoryGet, MemoryHistory, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { ask, layer } from "../support/ActorHouse.ts"
import { rounds } from "../support/Rounds.ts"

let writes = 0
const meta = (): WriteMeta => ({
  write_id: `wr_${++writes}`,
  idem_hash: "",
  payload_hash: "",
  actor: "human:ada",
  bound_user: null,
  source_class: "extracted",
  run_id: "",
  dry_run: false,
  advisories: [],
  degraded: []
})

const towns = "Delhi Berlin Oslo Lima Graz Rome".split(" ")

interface Said {
  readonly town: string
  /** The month; null for a claim without a date. */
  readonly month: number | null
}

const monthOf = ({ month }: Said): number | null => month === null ? null : Date.UTC(2023, month, 1)

const infer = (namespace: string, memory_key: string, said: ReadonlyArray<Said>, user_id = "ada") =>
  Effect.gen(function*() {
    const intake = yield* MemoryIntake
    const client = yield* MemoryClient
    const items = yield* Effect.forEach(said, (one) =>
      Effect.gen(function*() {
        const content = yield* intake.prepare({
          memory_key,
          value: `The user lives in ${one.town}.`,
          memory_type: undefined,
          sensitivity: undefined
        })
        const item: SetItem = {
          agent: "",
          user_id,
          session_id: "",
          memory_key,
          run_id: "",
          content,
          statement: { valid_at: monthOf(one) },
          source_class: "extracted",
          if_match_sha256: null,
          proposed: false,
          inferred: true,
          advisories: []
        }
        return item
      }))
    return yield* client.bulkSet({ org: "dev", namespace }, { _tag: "memory.bulk_set", meta: meta(), items })
  })

/** What is to be served: the last of those with the latest date, else the last that was said. */
const expected = (said: ReadonlyArray<Said>): Said | undefined =>
  said.reduce<Said | undefined>((now, one) => {
    if (now === undefined) return one
    if (one.month === null) return now.month === null ? one : now
    return now.month === null || one.month >= now.month ? one : now
  }, undefined)

const history = fc.shuffledSubarray(towns, { minLength: 2 }).chain((some) =>
  fc.tuple(...some.map((town) => fc.option(fc.integer({ min: 0, max: 11 })).map((month): Said => ({ town, month }))))
)

describe("inferred claims", () => {
  for (const policy of ["auto_reinforce", "manual_review", "newest_wins"] as const) {
    it.live(`the later-dated one stands, in whatever order they come (${policy})`, () =>
      Effect.gen(function*() {
        const namespace = `n-${policy}`
        yield* ask(NamespaceRegister, { namespace, default_conflict_policy: policy })
        let user = 0
        const cases = fc.sample(fc.tuple(history, fc.boolean()), { numRuns: rounds({ some: 40, all: 400 }), seed: 7 })
        for (const [said, together] of cases) {
          const memory_key = "user/residence"
          // Another user's residence is another claim, though its key is the same.
          const user_id = `user-${++user}`
          if (together) yield* infer(namespace, memory_key, said, user_id)
          else yield* Effect.forEach(said, (one) => infer(namespace, memory_key, [one], user_id), { discard: true })
          const told = JSON.stringify(said)
          const served = yield* ask(MemoryGet, { namespace, memory_key, user_id })
          assert.strictEqual(served.value, `The user lives in ${expected(said)?.town}.`, told)
          const { versions } = yield* ask(MemoryHistory, { namespace, memory_key, user_id })
          const values = versions.map(({ value }) => value)
          assert.includeMembers(values, said.map(({ town }) => `The user lives in ${town}.`), told)
        }
      }).pipe(Effect.provide(layer())))
  }

  it.live("a backfill answers for its own time, and the answer says which stands", () =>
    Effect.gen(function*() {
      const memory_key = "user/residence"
      yield* infer("local", memory_key, [{ town: "Berlin", month: 5 }])
      const { results: [result] } = yield* infer("local", memory_key, [{ town: "Delhi", month: 2 }])
      assert.deepInclude(result?.answer, { status: "superseded", conflict_verdict: "conflict" })
      const at = (as_of: string) =>
        Effect.map(ask(MemoryGet, { memory_key, user_id: "ada", as_of }), ({ value }) => value)
      assert.strictEqual(yield* at("2023-04-15"), "The user lives in Delhi.")
      assert.strictEqual(yield* at("2023-07-01"), "The user lives in Berlin.")
    }).pipe(Effect.provide(layer())))

  it.live("what somebody states outright replaces it as ever", () =>
    Effect.gen(function*() {
      const memory_key = "user/residence"
      yield* infer("local", memory_key, [{ town: "Berlin", month: 5 }])
      const value = "The user lives in Delhi."
      yield* ask(MemorySet, { memory_key, user_id: "ada", value, valid_at: "2023-03-01" })
      assert.strictEqual((yield* ask(MemoryGet, { memory_key, user_id: "ada" })).value, value)
    }).pipe(Effect.provide(layer())))
})
