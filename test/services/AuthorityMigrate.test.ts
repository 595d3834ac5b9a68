/**
 * `loom authority migrate` there and back: a dry run changes nothing; afterwards every memory, its past and the answers kept
 * for retries are the same, and what was written under one authority is there under the other.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { MemoryDelete, MemoryGet, MemoryHistory, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { answerOf, trySend } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import { run, start, tempFolder } from "../support/LoomProcess.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"

const ask = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(
    Effect.orDie(trySend(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body))),
    (reply) => answerOf(verb, reply)
  )

const place = (namespace: string, name: string) => ({ namespace, memory_key: `project/loom/${name}` })

const values = [
  { ...place("team", "deploys"), value: "Deploys happen on Tuesdays", idempotency_key: "k1" },
  { ...place("team", "owner"), value: { who: "Ada", since: [2019, 0.1] }, idempotency_key: "k2" },
  { ...place("other", "odd"), value: "a\u0000b \u{1f9f5}", idempotency_key: "k3" }
]

describe("loom authority migrate", () => {
  it.live("there and back", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const env = { LOOM_POSTGRES_URL: Redacted.value(yield* PostgresHouse.database) }
      const clickhouse = { ...env, LOOM_AUTHORITY: "clickhouse" }
      const postgres = { ...env, LOOM_AUTHORITY: "postgres" }
      const migrate = (...args: ReadonlyArray<string>) =>
        Effect.map(
          run(["authority", "migrate", "--json", ...args], { data, env }),
          (out): Record<string, unknown> => ({ ...Object(JSON.parse(out)) })
        )
      yield* run(["migrate"], { data, env })

      const first = yield* start({ data, env: clickhouse })
      const answers = yield* Effect.forEach(values, (value) => ask(first.url, MemorySet, value))
      yield* ask(first.url, MemoryUpdate, { ...place("team", "deploys"), value: "Deploys happen on Fridays" })
      yield* ask(first.url, MemorySet, { ...place("team", "gone"), value: "Soon forgotten" })
      yield* ask(first.url, MemoryDelete, place("team", "gone"))
      const look = (url: string) =>
        Effect.all([
          ...values.map(({ memory_key, namespace }) => ask(url, MemoryGet, { namespace, memory_key })),
          ask(url, MemoryHistory, place("team", "deploys")),
          ask(url, MemoryHistory, place("team", "gone"))
        ])
      const before = yield* look(first.url)
      assert.strictEqual(yield* first.stop, 0)

      assert.deepInclude(yield* migrate("--to", "postgres"), { moved: false, namespaces: 2, memories: 4 })
      const still = yield* start({ data, env: clickhouse })
      assert.strictEqual(yield* still.stop, 0)
      assert.deepInclude(yield* migrate("--to", "postgres", "--apply"), { moved: true, memories: 4 })
      assert.deepInclude(yield* migrate("--to", "postgres", "--apply"), { moved: false })

      const second = yield* start({ data, env: postgres })
      assert.deepStrictEqual(yield* look(second.url), before)
      assert.deepStrictEqual(yield* Effect.forEach(values, (value) => ask(second.url, MemorySet, value)), answers)
      const more = { ...place("third", "new"), value: "Written under Postgres", idempotency_key: "k4" }
      const set = yield* ask(second.url, MemorySet, more)
      yield* ask(second.url, MemoryUpdate, { ...place("team", "deploys"), value: "Deploys never happen" })
      const after = yield* look(second.url)
      assert.strictEqual(yield* second.kill, "SIGKILL")

      assert.deepInclude(yield* migrate("--to", "clickhouse", "--apply"), { moved: true, namespaces: 3 })
      const third = yield* start({ data, env: clickhouse })
      assert.deepStrictEqual(yield* look(third.url), after)
      assert.deepStrictEqual(yield* ask(third.url, MemorySet, more), set)
      yield* ask(third.url, MemoryUpdate, { ...place("third", "new"), value: "Written under ClickHouse" })
      assert.strictEqual(yield* third.stop, 0)

      assert.deepInclude(yield* migrate("--to", "postgres", "--apply"), { moved: true, memories: 5 })
      const fourth = yield* start({ data, env: postgres })
      assert.deepInclude(yield* ask(fourth.url, MemoryGet, place("third", "new")), {
        value: "Written under ClickHouse"
      })
    }).pipe(Effect.scoped), 240_000)
})
