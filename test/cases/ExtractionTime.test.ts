/**
 * One fact over time, over HTTP: "I live in Delhi" in March, "I moved to Berlin" in June. Both land on one key; either order
 * of import leaves Berlin; as_of answers by when it was true and by when it was known; a misfiled fact is met as a
 * contradiction; the turns are the evidence; a bad import is rolled back.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryEvidence } from "../../src/conversation/EvidenceVerbs.ts"
import { ConflictsList } from "../../src/memory/ConflictVerbs.ts"
import { MemoryGet, MemoryHistory } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRollback } from "../../src/memory/NamespaceReviewVerbs.ts"
import { MemoryProvenance } from "../../src/memory/ProvenanceVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { ok } from "../support/LoomHttp.ts"
import * as ModelServer from "../support/ModelServer.ts"
import { house, layerWithModel, message, Model, reply, says } from "./Transcripts.ts"

const march = {
  session: "march",
  at: "2026-03-05T10:00:00Z",
  text: "I live in Delhi",
  fact: "The user lives in Delhi.",
  attribute: "residence"
}
const june = {
  session: "june",
  at: "2026-06-07T10:00:00Z",
  text: "I moved to Berlin",
  fact: "The user lives in Berlin.",
  attribute: "moved to"
}

type Said = typeof march

const memory_key = "user/residence"

/** A model that finds in a turn what was said there, under whatever attribute. */
const scripted =
  (attributeOf: (said: Said) => string = ({ attribute }) => attribute) => ({ user }: ModelServer.Question) =>
    ModelServer.gives(
      reply(
        [march, june].filter(({ text }) => user.includes(text)).map((said) =>
          says("user", attributeOf(said), said.fact, [1])
        )
      )
    )

layer(layerWithModel(), { excludeTestServices: true, timeout: 120_000 })("One fact over time", (it) => {
  for (const [order, sessions] of [["in order", [march, june]], ["June first", [june, march]]] as const) {
    it.effect(`both statements land on one key, and Berlin stands: ${order}`, () =>
      Effect.gen(function*() {
        const model = yield* Model
        model.script(scripted())
        const { namespace, served, tell } = house()
        const told = yield* Effect.forEach(
          sessions,
          ({ at, text }) => tell([message(text, { at })], { user_id: "ada" })
        )
        assert.deepStrictEqual(told.flatMap(({ written }) => written.map((one) => one.memory_key)), [
          memory_key,
          memory_key
        ])
        assert.deepStrictEqual(yield* served({ user_id: "ada" }), [[memory_key, june.fact]])
        const get = (fields: object) =>
          Effect.map(ok(MemoryGet, { namespace, memory_key, user_id: "ada", ...fields }), ({ value }) => value)
        assert.strictEqual(yield* get({ as_of: "2026-04-15" }), march.fact)
        assert.strictEqual(yield* get({ as_of: "2026-07-01" }), june.fact)
        const { versions } = yield* ok(MemoryHistory, { namespace, memory_key, user_id: "ada" })
        assert.includeMembers(versions.map(({ value }) => value), [march.fact, june.fact])
        // What was known when only the first was in.
        const [first] = versions.slice(-1)
        const known = yield* get({ as_of: first?.updated_at, as_of_basis: "knowledge_time" })
        assert.strictEqual(known, sessions[0].fact)
      }))
  }

  for (const [order, sessions] of [["in order", [march, june]], ["June first", [june, march]]] as const) {
    it.effect(`under newest_wins one row stands, whichever session came first: ${order}`, () =>
      Effect.gen(function*() {
        const model = yield* Model
        model.script(scripted())
        const { namespace, served, tell } = house()
        yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" })
        yield* Effect.forEach(sessions, ({ at, session, text }) =>
          tell([message(text, { at })], { user_id: "ada", session_id: session }))
        assert.deepStrictEqual(yield* served({ user_id: "ada" }), [[memory_key, june.fact]])
      }))
  }

  it.effect("a misfiled fact is met as a contradiction, and both stay served", () =>
    Effect.gen(function*() {
      const model = yield* Model
      const { namespace, served, tell } = house()
      const say = (town: string, attribute: string, at: string) => {
        const text = `I live in the old town of ${town} with my family`
        model.script(() =>
          ModelServer.gives(
            reply([says("user", attribute, `The user lives in the old town of ${town} with the family.`, [1])])
          )
        )
        return tell([message(text, { at })], { user_id: "ada" })
      }
      yield* say("Delhi", "residence", march.at)
      const told = yield* say("Berlin", "summer plan", june.at)
      assert.strictEqual(told.written[0]?.outcome, "conflict")
      assert.lengthOf(yield* served({ user_id: "ada" }), 2)
      const { conflicts } = yield* ok(ConflictsList, { namespace })
      assert.deepStrictEqual(
        conflicts.map(({ sides }) => sides.map(({ memory_key }) => memory_key).sort()),
        [[told.written[0]?.memory_key ?? "", memory_key].sort()]
      )
    }))

  it.effect("provenance and evidence tell who said so, and a rollback takes a bad import back", () =>
    Effect.gen(function*() {
      const model = yield* Model
      model.script(scripted())
      const { namespace, served, tell } = house()
      const first = yield* tell([message(march.text, { at: march.at })], { user_id: "ada" })
      const { provenance } = yield* ok(MemoryProvenance, { namespace, memory_key, user_id: "ada" })
      assert.deepInclude(provenance, { source_class: "extracted", actor: "human:local" })
      const evidence = yield* ok(MemoryEvidence, { namespace, memory_key, user_id: "ada" })
      assert.deepStrictEqual(evidence.turns.map(({ content, turn_id }) => [turn_id, content]), [
        [first.evidence_ids[0] ?? "", march.text]
      ])
      const before = (yield* ok(MemoryGet, { namespace, memory_key, user_id: "ada" })).version_text
      yield* tell([message(june.text, { at: june.at })], { user_id: "ada" })
      assert.deepStrictEqual(yield* served({ user_id: "ada" }), [[memory_key, june.fact]])
      yield* ok(NamespaceRollback, { namespace, to: before, dry_run: false, reason: "a bad import" })
      assert.deepStrictEqual(yield* served({ user_id: "ada" }), [[memory_key, march.fact]])
    }))
})
