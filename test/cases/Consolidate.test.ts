/**
 * Merged memories over HTTP, and the resolver with a language model in a server that runs: a server that speaks the model's
 * protocol on a real socket says what a test tells it to.
 */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { MemoryConsolidate } from "../../src/consolidation/ConsolidationVerbs.ts"
import { MemoryDelete, MemoryGet, MemoryHistory, MemoryRestore, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemoryLineage } from "../../src/memory/ProvenanceVerbs.ts"
import { MemoryClear } from "../../src/memory/SweepVerbs.ts"
import { NamespaceGet, NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import * as ChatServer from "../support/ChatServer.ts"
import { freshNamespace, ok } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

class Chat extends Context.Tag("loom/test/cases/ConsolidateChat")<Chat, ChatServer.ChatServer>() {}

const layerChat = Layer.scoped(Chat, ChatServer.start(ChatServer.saying("{}")))

const layerServer = Layer.unwrapEffect(
  Effect.map(
    Chat,
    ({ url }) => LoomServer.layer({ LOOM_LLM_URL: url, LOOM_LLM_MODEL: "small", LOOM_LLM_TIMEOUT_SECONDS: "5" })
  )
).pipe(
  Layer.provideMerge(layerChat)
)

/** The records that a prompt holds. */
const recordsOf = ({ body }: ChatServer.ChatAsked): ReadonlyArray<Record<string, unknown>> =>
  (body.messages[1]?.content ?? "").split("\n").filter((line) => line.startsWith("{")).map((line) => ({
    ...Object(JSON.parse(line))
  }))

const MERGED = "Deploys of the Orion service at the main depot leave on Tuesdays and are owned by Ada."

/** Merges what it is shown; of two claims that it is asked to judge the later-dated is the newer state. */
const answering = ChatServer.saying((asked) => {
  const [row, ...peers] = recordsOf(asked)
  if (!(asked.body.messages[0]?.content ?? "").includes("verdicts")) return JSON.stringify({ text: MERGED })
  return "```json\n" + JSON.stringify({
    verdicts: peers.map((peer, at) => {
      const dates = [row?.["true_from"], peer["true_from"]]
      const isDated = dates.every((date) => date !== undefined)
      return {
        peer: at + 1,
        verdict: isDated ? "update" : "compatible",
        newer: !isDated ? "unknown" : String(dates[0]) > String(dates[1]) ? "row" : "peer",
        sure: 0.97
      }
    })
  }) + "\n```"
})

const facts = {
  "orion/deploy/day": "Deploys of the Orion service at the main depot leave on Tuesdays",
  "orion/deploy/owner": "Deploys of the Orion service at the main depot are owned by Ada"
}

layer(layerServer, { excludeTestServices: true, timeout: 120_000 })("Consolidation in a server", (it) => {
  it.effect("one row for the fragments of a subject, which is found, explained, and goes and comes with them", () =>
    Effect.gen(function*() {
      const chat = yield* Chat
      chat.behave(answering)
      const namespace = freshNamespace()
      // Nobody compares them, so that they stand side by side whatever the resolver does meanwhile.
      yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "append_only", consolidation: true })
      assert.isTrue((yield* ok(NamespaceGet, { namespace })).consolidation)
      for (const [memory_key, value] of Object.entries(facts)) yield* ok(MemorySet, { namespace, memory_key, value })
      assert.deepInclude(yield* ok(MemoryConsolidate, { namespace }), { written: 1, dry_run: true })
      const key = { namespace, memory_key: "orion/deploy/summary" }
      const written = yield* ok(MemoryConsolidate, { namespace, key_prefix: "orion/", dry_run: false })
      // The worker of the server may have been first.
      assert.strictEqual(written.written + written.unchanged, 1)
      assert.deepInclude(yield* ok(MemoryGet, key), { value: MERGED, source_class: "derived", status: "active" })
      const { results } = yield* ok(MemorySearch, { namespace, query: "Orion deploys Tuesdays owned by Ada" })
      assert.include(results.map(({ memory_key }) => memory_key), key.memory_key)
      assert.lengthOf((yield* ok(MemoryLineage, key)).edges, 2)
      const first = yield* ok(MemoryDelete, { namespace, memory_key: "orion/deploy/day" })
      assert.deepInclude(first, { dependents_tombstoned: 0, dependents_downgraded: 1 })
      assert.strictEqual((yield* ok(MemoryGet, key)).status, "conflicted")
      const second = yield* ok(MemoryDelete, { namespace, memory_key: "orion/deploy/owner" })
      assert.deepInclude(second, { dependents_tombstoned: 1, dependents_downgraded: 0 })
      assert.isFalse((yield* ok(MemoryGet, key)).found)
      yield* ok(MemoryRestore, { namespace, memory_key: "orion/deploy/owner" })
      yield* ok(MemoryRestore, { namespace, memory_key: "orion/deploy/day" })
      assert.deepInclude(yield* ok(MemoryGet, key), { status: "active", value: MERGED })
      const again = yield* ok(MemorySearch, { namespace, query: "Orion deploys Tuesdays owned by Ada" })
      assert.include(again.results.map(({ memory_key }) => memory_key), key.memory_key)
      const cleared = yield* ok(MemoryClear, { namespace, user_id: "-" })
      assert.deepInclude(cleared, { ok: true, not_found: 0 })
      assert.isFalse((yield* ok(MemoryGet, key)).found)
    }))

  it.effect("the resolver retires the older side of an update, whichever came first", () =>
    Effect.gen(function*() {
      const chat = yield* Chat
      chat.behave(answering)
      const delhi = { memory_key: "nadia/home", value: "Nadia of the payments team has her home in Delhi" }
      const berlin = { memory_key: "nadia/residence", value: "Nadia of the payments team has her home in Berlin" }
      const dated = [
        { ...delhi, valid_at: "2026-03-01T00:00:00Z" },
        { ...berlin, valid_at: "2026-06-01T00:00:00Z" }
      ]
      for (const order of [dated, [...dated].reverse()]) {
        const namespace = freshNamespace()
        for (const fact of order) yield* ok(MemorySet, { namespace, user_id: "nadia", ...fact })
        const status = (memory_key: string) =>
          Effect.map(ok(MemoryHistory, { namespace, memory_key }), ({ versions }) => versions[0]?.status)
        yield* status("nadia/home").pipe(
          Effect.repeat({ until: (found) => found === "superseded", schedule: Schedule.spaced("200 millis") }),
          Effect.timeout("60 seconds")
        )
        assert.strictEqual(yield* status("nadia/residence"), "active")
        const old = yield* ok(MemoryGet, { namespace, memory_key: "nadia/home", as_of: "2026-04-01T00:00:00Z" })
        assert.strictEqual(old.value, delhi.value)
      }
    }))
})
