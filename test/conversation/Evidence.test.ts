/**
 * From a memory to the turns it rests on and to what links to it, over the whole house in this process: what a caller may
 * not read is a count and nothing else.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Dispatch } from "../../services/gateway/Dispatch.ts"
import { ConversationAppend, ConversationDelete, ConversationGet } from "../../src/conversation/ConversationVerbs.ts"
import { MemoryEvidence } from "../../src/conversation/EvidenceVerbs.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { MemoryBacklinks } from "../../src/memory/BacklinkVerbs.ts"
import { BeliefSources, lineageId } from "../../src/memory/BeliefSources.ts"
import type { BeliefSource } from "../../src/memory/BeliefSources.ts"
import { MemoryDelete, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { bound, layerHouse } from "../isolation/IsolationTenants.ts"
import { noon, versionAt } from "../memory/MemoryFixture.ts"
import { ships } from "../support/Facts.ts"

const org = "acme"
let spaces = 0
const freshNamespace = (): string => `evidence-${++spaces}`

/** A caller who reads every user's rows of every namespace. */
const all: Caller = { ...localCaller, org, defaultNamespace: null }

const call = <A, I>(
  verb: { readonly tag: string; readonly answer: Schema.Schema<A, I> },
  request: object,
  caller: Caller = all
) =>
  Effect.gen(function*() {
    const dispatch = yield* Dispatch
    const answer = yield* Effect.orDie(dispatch.call(verb.tag, request, caller))
    return yield* Effect.orDie(Schema.decodeUnknown(verb.answer)(answer))
  })

const said = (namespace: string, user_id: string, contents: ReadonlyArray<string>, session_id = "s1") =>
  Effect.map(
    call(ConversationAppend, {
      namespace,
      user_id,
      session_id,
      messages: contents.map((content) => ({ role: "user", content }))
    }),
    ({ turn_ids }) => turn_ids
  )

/** The memory as drawn from a turn. */
const drawn = (
  namespace: string,
  memory: { readonly memory_key: string; readonly content_sha256: string },
  turn_id: string,
  changed: Partial<BeliefSource> = {}
): BeliefSource => {
  const bare = {
    org,
    namespace,
    agent: "",
    user_id: "ada",
    session_id: "",
    memory_key: memory.memory_key,
    content_sha256: memory.content_sha256,
    source_org: org,
    source_namespace: namespace,
    source_agent: "",
    source_user_id: "ada",
    source_session_id: "s1",
    source_memory_key: "",
    source_memory_id: turn_id,
    source_content_sha256: "",
    support_type: "extracted_from",
    rationale: "",
    approver: "",
    promoted_from_candidate_id: "",
    reversible_until: null,
    actor: "process:test",
    at: noon,
    write_id: "wr_1",
    version: versionAt(noon),
    epoch: 0n,
    seq: 0n,
    ...changed
  } as const
  return { ...bare, lineage_id: lineageId(bare) }
}

layer(layerHouse, { timeout: "2 minutes" })("Evidence", (it) => {
  it.effect("shows the turns in their order, with their neighbours where that is asked", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const beliefs = yield* BeliefSources
      const talk = ["hello", "I moved to Berlin", "how is it?", "loud", "password: hunter2-Xy7!pq", "bye"]
      const ids = yield* said(namespace, "ada", talk)
      const memory = yield* call(MemorySet, {
        namespace,
        user_id: "ada",
        memory_key: "ada/city",
        value: "Ada lives in Berlin"
      })
      const [, moved = "", , loud = ""] = ids
      yield* beliefs.record([drawn(namespace, memory, loud), drawn(namespace, memory, moved)])
      const bare = yield* call(MemoryEvidence, { namespace, memory_key: "ada/city" })
      assert.deepStrictEqual(bare.turns.map(({ content }) => content), ["I moved to Berlin", "loud"])
      assert.deepInclude(bare, { found: true, evidence_count: 2, hidden: 0, gone: 0, of_earlier: 0 })
      const wide = yield* call(MemoryEvidence, { namespace, memory_id: memory.memory_id, context: 1 })
      assert.deepStrictEqual(wide.turns.map(({ content, is_evidence }) => [content, is_evidence]), [
        ["hello", false],
        ["I moved to Berlin", true],
        ["how is it?", false],
        ["loud", true],
        [null, false]
      ])
      assert.isTrue(wide.turns[4]?.withheld)
      assert.notInclude(JSON.stringify(wide), "hunter2")
      // Deleted since: the memory stays, its evidence is counted as gone.
      const removed = yield* call(ConversationDelete, { namespace, turn_ids: [moved, "turn_of_nobody"] })
      assert.deepInclude(removed, { found: true, deleted: 1, not_found: 1, memories_resting: 1 })
      const after = yield* call(MemoryEvidence, { namespace, memory_key: "ada/city" })
      assert.deepStrictEqual(after.turns.map(({ content }) => content), ["loud"])
      assert.deepInclude(after, { evidence_count: 2, gone: 1, hidden: 0 })
      // Once the memory says something else, the turns are those of what it said.
      yield* call(MemorySet, { namespace, user_id: "ada", memory_key: "ada/city", value: "Ada lives in Oslo" })
      const revised = yield* call(MemoryEvidence, { namespace, memory_key: "ada/city" })
      assert.deepInclude(revised, { evidence_count: 0, of_earlier: 2 })
      assert.deepStrictEqual(revised.turns, [])
    }))

  it.effect("counts turns of others and of closed namespaces, and shows nothing of them", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const elsewhere = freshNamespace()
      const beliefs = yield* BeliefSources
      const [own = ""] = yield* said(namespace, "ada", ["Ada says the code is heron"])
      const [bobs = ""] = yield* said(namespace, "bob", ["Bob says the code is heron"])
      const [far = ""] = yield* said(elsewhere, "ada", ["Ada says so elsewhere"])
      const memory = yield* call(MemorySet, {
        namespace,
        user_id: "ada",
        memory_key: "code",
        value: "The code is heron"
      })
      yield* beliefs.record([
        drawn(namespace, memory, own),
        drawn(namespace, memory, bobs, { source_user_id: "bob" }),
        drawn(namespace, memory, far, { source_namespace: elsewhere })
      ])
      const whole = yield* call(MemoryEvidence, { namespace, memory_key: "code" })
      assert.deepInclude(whole, { evidence_count: 3, hidden: 0, gone: 0 })
      assert.strictEqual(whole.turns.length, 3)
      const ada = bound({ org, namespace, user: "ada" })
      const seen = yield* call(MemoryEvidence, { memory_key: "code", context: 5 }, ada)
      assert.deepInclude(seen, { evidence_count: 3, hidden: 2, gone: 0 })
      assert.deepStrictEqual(seen.turns.map(({ turn_id }) => turn_id), [own])
      for (const word of [bobs, far, "Bob", "elsewhere", "bob"]) assert.notInclude(JSON.stringify(seen), word)
      // T16: an id of another's memory, of nothing, and of a turn are the same to Bob.
      const bob = bound({ org, namespace, user: "bob" })
      const answers = yield* Effect.forEach(
        [memory.memory_id, "mem_0195d3a8-0000-7000-8000-000000000000", own],
        (memory_id) => call(MemoryEvidence, { memory_id }, bob)
      )
      assert.isFalse(answers[0]?.found)
      for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
      const links = yield* Effect.forEach(
        [memory.memory_id, "mem_0195d3a8-0000-7000-8000-000000000000"],
        (memory_id) => call(MemoryBacklinks, { memory_id }, bob)
      )
      assert.isFalse(links[0]?.found)
      assert.deepStrictEqual(links[1], links[0])
      for (const id of [own, "turn_of_nobody"]) {
        assert.isFalse((yield* call(ConversationGet, { turn_id: id }, bob)).found)
        const removed = yield* call(ConversationDelete, { turn_ids: [id] }, bob)
        assert.deepInclude(removed, { found: false, deleted: 0, memories_resting: 0 })
      }
      assert.isTrue((yield* call(ConversationGet, { turn_id: own }, ada)).found)
    }))

  it.effect("a withheld turn is shown once its reading is in the audit chain", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const clickhouse = yield* Clickhouse
      const secret = "password: hunter2-Xy7!pq"
      const [turn_id = ""] = yield* said(namespace, "ada", [secret, "hello"])
      const reads = Effect.map(
        clickhouse.query(
          ch.sql("test")`SELECT memory_id, actor FROM loom.journal
            WHERE org = ${ch.string(org)} AND namespace = ${ch.string(namespace)} AND action = 'read'`,
          Schema.Struct({ memory_id: Schema.String, actor: Schema.String })
        ),
        (rows) => rows.map(({ actor, memory_id }) => [memory_id, actor])
      )
      yield* call(ConversationGet, { namespace, session_id: "s1" })
      assert.deepStrictEqual(yield* reads, [])
      const read = yield* call(ConversationGet, { turn_id }, bound({ org, namespace, user: "ada" }))
      assert.strictEqual(read.turns[0]?.content, secret)
      assert.deepStrictEqual(yield* reads, [[turn_id, "human:ada"]])
      yield* call(ConversationGet, { turn_id }, bound({ org, namespace, user: "bob" }))
      assert.strictEqual((yield* reads).length, 1)
    }))

  it.effect("tells what links to a memory, and what it links to", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const beliefs = yield* BeliefSources
      yield* call(NamespaceRegister, { namespace })
      const first = yield* call(MemorySet, { namespace, user_id: "ada", memory_key: "orion/a", value: ships(15) })
      const second = yield* call(MemorySet, { namespace, user_id: "ada", memory_key: "orion/b", value: ships(16) })
      const copy = yield* call(MemorySet, {
        namespace,
        user_id: "ada",
        memory_key: "orion/summary",
        value: "Orion has a date"
      })
      const foreign = yield* call(MemorySet, {
        namespace,
        user_id: "bob",
        memory_key: "bob/summary",
        value: "Bob knows of Orion"
      })
      assert.strictEqual(second.conflict_verdict, "conflict")
      const derived = { support_type: "derived_from", source_memory_key: "orion/a" } as const
      yield* beliefs.record([
        drawn(namespace, first, "turn_1"),
        drawn(namespace, copy, first.memory_id, derived),
        drawn(namespace, foreign, first.memory_id, { ...derived, user_id: "bob" })
      ])
      const links = yield* call(MemoryBacklinks, { namespace, memory_key: "orion/a" })
      const told = (found: typeof links.links_in) =>
        found.map(({ memory_key, relation }) => `${relation} ${memory_key}`).sort()
      assert.deepStrictEqual(told(links.links_in), [
        "conflict orion/b",
        "derived_from bob/summary",
        "derived_from orion/summary"
      ])
      assert.deepStrictEqual(told(links.links_out), ["conflict orion/b"])
      assert.deepInclude(links, { evidence_count: 1, hidden: 0, digests: [] })
      const back = yield* call(MemoryBacklinks, { namespace, memory_key: "orion/summary" })
      assert.deepStrictEqual([told(back.links_in), told(back.links_out)], [[], ["derived_from orion/a"]])
      const seen = yield* call(MemoryBacklinks, { memory_key: "orion/a" }, bound({ org, namespace, user: "ada" }))
      assert.deepInclude(seen, { hidden: 1 })
      assert.notInclude(JSON.stringify(seen), "bob")
      // What is out of service links to nothing any more.
      yield* call(MemoryDelete, { namespace, memory_key: "orion/b" })
      const after = yield* call(MemoryBacklinks, { namespace, memory_key: "orion/a" })
      assert.notInclude(told(after.links_in), "conflict orion/b")
    }))
})
