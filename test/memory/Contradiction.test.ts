/** The transitions by which a second look marks a contradiction or takes it away. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { localCaller } from "../../src/kernel/Caller.ts"
import { MemoryClient } from "../../src/memory/MemoryClient.ts"
import type { Transition } from "../../src/memory/MemoryCommand.ts"
import { MemoryDelete, MemoryHistory, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { ask, layer } from "../support/ActorHouse.ts"

const scope = { org: localCaller.org, namespace: "local" }

let writes = 0
const send = (memory_id: string, transition: Transition, expected_version: string | null = null) =>
  Effect.flatMap(MemoryClient, ({ transition: change }) =>
    change(scope, {
      _tag: "memory.transition",
      meta: {
        write_id: `wr_${++writes}`,
        idem_hash: "",
        payload_hash: "",
        actor: "process:test",
        bound_user: null,
        source_class: "derived",
        run_id: "",
        dry_run: false,
        advisories: [],
        degraded: []
      },
      items: [{
        target: { memory_key: null, memory_id, agent: null, user_id: null, session_id: null },
        expected_version,
        content: null,
        transition
      }]
    })).pipe(Effect.map(({ results }) => results[0]))

const set = (memory_key: string, value: string) =>
  Effect.map(ask(MemorySet, { memory_key, value }), ({ memory_id }) => memory_id ?? "")

const head = (memory_key: string) => Effect.map(ask(MemoryHistory, { memory_key }), ({ versions }) => versions[0])

const flag = (other: string): Transition => ({ _tag: "flag", other, rule: "number", reason: "15 against 16" })
const unflag = (other: string): Transition => ({ _tag: "unflag", other, rule: "resolver.clear", reason: "none" })

describe("flag and unflag", () => {
  it.live("mark both sides and take the mark from both, once", () =>
    Effect.gen(function*() {
      const a = yield* set("a", "Nadia plays the cello in an orchestra")
      const b = yield* set("b", "Backups of the warehouse are kept thirty days")
      assert.strictEqual((yield* send(a, flag(b)))?.outcome, "changed")
      assert.deepEqual([(yield* head("a"))?.status, (yield* head("b"))?.status], ["conflicted", "conflicted"])
      assert.strictEqual((yield* send(a, flag(b)))?.outcome, "unchanged")
      assert.strictEqual((yield* send(b, flag(a)))?.outcome, "unchanged")
      assert.strictEqual((yield* send(b, unflag(a)))?.outcome, "changed")
      assert.deepEqual([(yield* head("a"))?.status, (yield* head("b"))?.status], ["active", "active"])
      assert.strictEqual((yield* send(a, unflag(b)))?.outcome, "unchanged")
    }).pipe(Effect.provide(layer())))

  it.live("change nothing that moved on or is not served", () =>
    Effect.gen(function*() {
      const a = yield* set("a", "Nadia plays the cello in an orchestra")
      const b = yield* set("b", "Backups of the warehouse are kept thirty days")
      const seen = (yield* head("a"))?.version_text ?? ""
      yield* set("a", "Nadia plays the violin in an orchestra")
      assert.deepInclude(yield* send(a, flag(b), seen), { outcome: "refused", code: "STALE_VERSION" })
      yield* ask(MemoryDelete, { memory_key: "b" })
      assert.deepInclude(yield* send(a, flag(b)), { outcome: "refused", code: "STALE_VERSION" })
      assert.deepInclude(yield* send(a, flag("mem_nobody")), { outcome: "refused", code: "STALE_VERSION" })
      assert.strictEqual((yield* head("a"))?.status, "active")
    }).pipe(Effect.provide(layer())))
})
