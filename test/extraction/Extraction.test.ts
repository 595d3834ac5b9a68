/**
 * The work of a job: every fact goes through the judge once, whatever breaks in between; each memory rests on its turns; what
 * is to be forgotten goes, and nothing else.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Extraction } from "../../src/extraction/Extraction.ts"
import { BeliefSources } from "../../src/memory/BeliefSources.ts"
import { MemoryDelete, MemoryGet, MemoryHistory, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { ask } from "../support/ActorHouse.ts"
import { fact, Faults, found, jobOf, layer, scope, Script, turn } from "./ExtractionFixture.ts"

const house = <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.provide(test, layer())

const keysServed = Effect.map(
  ask(MemoryList, { user_id: "ada" }),
  ({ memories }) => memories.map(({ memory_key, value }) => [memory_key, value]).sort()
)

const residence = (text: string, said: ReturnType<typeof turn>, changed = {}) => fact(text, [said], changed)

describe("Extraction", () => {
  it.live("writes each fact under a key of its subject and attribute, resting on its turns", () =>
    house(Effect.gen(function*() {
      const script = yield* Script
      const extraction = yield* Extraction
      const at = Date.UTC(2023, 2, 5)
      const [mine, jonas, web] = [
        turn("I live in Delhi", { at }),
        turn("My colleague Jonas hates football", { at }),
        turn("Colour of the shop: blue", { role: "tool", at })
      ]
      script.answer = () =>
        Effect.succeed(found({
          facts: [
            residence("The user lives in Delhi.", mine),
            fact("Jonas hates football.", [jonas], {
              subject: "Jonas",
              attribute: "preference",
              about_other: true,
              memory_type: "preference",
              anchor: { at: Date.UTC(2023, 2, 1), confidence: 0.8 }
            }),
            fact("The shop is blue.", [web], { subject: "the shop", attribute: "color" })
          ]
        }))
      const job = yield* jobOf([mine, jonas, web], { session_id: "s1" })
      const receipts = yield* extraction.run(job, "caller")
      assert.deepStrictEqual(
        receipts.written.map(({ about_other, memory_key, outcome, turn_ids }) => ({
          about_other,
          memory_key,
          outcome,
          turn_ids
        })),
        [
          { memory_key: "user/residence", outcome: "stored", about_other: false, turn_ids: [mine.turn_id] },
          { memory_key: "person/jonas/preference", outcome: "stored", about_other: true, turn_ids: [jonas.turn_id] },
          { memory_key: "thing/shop/color", outcome: "stored", about_other: false, turn_ids: [web.turn_id] }
        ]
      )
      const delhi = yield* ask(MemoryGet, { memory_key: "user/residence", user_id: "ada" })
      assert.deepInclude(delhi, {
        value: "The user lives in Delhi.",
        source_class: "extracted",
        source_trace: "s1",
        session_id: "s1",
        actor: "human:ada",
        valid_at: new Date(at).toISOString()
      })
      const other = yield* ask(MemoryGet, { memory_key: "person/jonas/preference", user_id: "ada" })
      assert.deepInclude(other, { memory_type: "preference", temporal_anchor: "2023-03-01T00:00:00.000Z" })
      assert.deepStrictEqual([...(other.tags ?? []), ...(other.entities ?? [])], ["about_other", "jonas"])
      const outside = yield* ask(MemoryGet, { memory_key: receipts.written[2]?.memory_key ?? "", user_id: "ada" })
      assert.strictEqual(outside.source_class, "external")
      const sources = yield* (yield* BeliefSources).of({
        ...scope,
        agent: "",
        user_id: "ada",
        session_id: "s1",
        memory_key: "user/residence"
      })
      assert.deepStrictEqual(
        sources.map(({ content_sha256, source_memory_id, support_type }) => ({
          content_sha256,
          source_memory_id,
          support_type
        })),
        [{ content_sha256: delhi.content_sha256, source_memory_id: mine.turn_id, support_type: "extracted_from" }]
      )
    })))

  const points = [
    "extraction.after_extract",
    "extraction.after_sources",
    "extraction.after_write",
    "extraction.after_delete",
    "extraction.after_forget"
  ]
  for (const point of points) {
    it.live(`a crash at ${point} and another try change nothing twice`, () =>
      house(Effect.gen(function*() {
        const script = yield* Script
        const faults = yield* Faults
        const extraction = yield* Extraction
        yield* ask(MemorySet, { memory_key: "user/phone", value: "The user has a Pixel phone.", user_id: "ada" })
        const [first, second] = [turn("I live in Delhi and work at Alder"), turn("Forget my phone")]
        let tries = 0
        script.answer = () =>
          Effect.succeed(found({
            // A model that says it in other words at its second try.
            facts: ++tries === 1
              ? [
                residence("The user lives in Delhi.", first),
                fact("The user works at Alder.", [first], { attribute: "employer" })
              ]
              : [residence("The user has a home in Delhi.", first)],
            forgets: [{ what: "my phone", turn_id: second.turn_id }]
          }))
        const job = yield* jobOf([first, second])
        faults.at.set(point, [Effect.die("crash")])
        assert.isTrue(Exit.isFailure(yield* Effect.exit(extraction.run(job, "worker"))))
        const receipts = yield* extraction.run(job, "worker")
        const isFirst = point !== "extraction.after_extract" && point !== "extraction.after_sources"
        assert.deepStrictEqual(
          yield* keysServed,
          isFirst
            ? [["user/employer", "The user works at Alder."], ["user/residence", "The user lives in Delhi."]]
            : [["user/residence", "The user has a home in Delhi."]]
        )
        assert.deepStrictEqual(
          receipts.written.map(({ memory_key, outcome, turn_ids }) => [memory_key, outcome, turn_ids]),
          (isFirst ? ["user/residence", "user/employer"] : ["user/residence"]).map((
            key
          ) => [key, "stored", [first.turn_id]])
        )
        assert.deepStrictEqual(receipts.forgets, [
          { turn_id: second.turn_id, outcome: "forgotten", keys: ["user/phone"], code: null }
        ])
        const { versions } = yield* ask(MemoryHistory, { memory_key: "user/residence", user_id: "ada" })
        assert.lengthOf(versions, 1)
        // Once more, for good measure.
        assert.deepStrictEqual(yield* extraction.run(job, "worker"), receipts)
      })))
  }

  it.live("keeps the claim that became true later, in whatever order sessions come, and lets no undated one replace it", () =>
    house(Effect.gen(function*() {
      const script = yield* Script
      const extraction = yield* Extraction
      const say = (text: string, at: number | null) =>
        Effect.gen(function*() {
          const said = turn(text, { at, session_id: "" })
          script.answer = () => Effect.succeed(found({ facts: [residence(text, said)] }))
          const [receipt] = (yield* extraction.run(yield* jobOf([said], { session_id: "" }), "caller")).written
          return receipt?.outcome
        })
      assert.strictEqual(yield* say("The user lives in Rome.", null), "stored")
      assert.strictEqual(yield* say("The user lives in Berlin.", Date.UTC(2023, 5, 1)), "stored")
      assert.strictEqual(yield* say("The user lives in Delhi.", Date.UTC(2023, 2, 1)), "superseded")
      assert.strictEqual(yield* say("The user lives in Oslo.", null), "superseded")
      assert.strictEqual(yield* say("The user lives in Lima.", Date.UTC(2023, 5, 1)), "stored")
      assert.deepStrictEqual(yield* keysServed, [["user/residence", "The user lives in Lima."]])
      const { versions } = yield* ask(MemoryHistory, { memory_key: "user/residence", user_id: "ada" })
      assert.includeMembers(versions.map(({ value }) => value), [
        "The user lives in Delhi.",
        "The user lives in Oslo.",
        "The user lives in Rome."
      ])
    })))

  it.live("a deleted claim stays away, and a claim that stands under another key is met there", () =>
    house(Effect.gen(function*() {
      const script = yield* Script
      const extraction = yield* Extraction
      yield* ask(MemorySet, { memory_key: "u/drink", value: "Otto likes oat coffee", user_id: "ada" })
      yield* ask(MemorySet, { memory_key: "u/town", value: "Otto lives in Graz", user_id: "ada" })
      yield* ask(MemoryDelete, { memory_key: "u/town", user_id: "ada" })
      const said = turn("Otto likes oat coffee. Otto lives in Graz.")
      const tool = turn("Otto lives in Graz", { role: "tool" })
      script.answer = () =>
        Effect.succeed(found({
          facts: [
            fact("Otto likes oat coffee", [said], { subject: "Otto", attribute: "drink" }),
            fact("Otto lives in Graz", [said], { subject: "Otto" }),
            fact("otto lives in graz.", [tool], { subject: "Otto", attribute: "town" })
          ]
        }))
      const receipts = yield* extraction.run(yield* jobOf([said, tool]), "caller")
      assert.deepStrictEqual(receipts.written.map(({ merged_into_key, outcome }) => [outcome, merged_into_key]), [
        ["merged", "u/drink"]
      ])
      assert.deepStrictEqual(receipts.refused.map(({ code }) => code), ["SUPPRESSED", "SUPPRESSED"])
      assert.deepStrictEqual(yield* keysServed, [["u/drink", "Otto likes oat coffee"]])
      const sources = yield* (yield* BeliefSources).of({
        ...scope,
        agent: "",
        user_id: "ada",
        session_id: "",
        memory_key: "u/drink"
      })
      assert.deepStrictEqual(sources.map(({ source_memory_id }) => source_memory_id), [said.turn_id])
    })))

  it.live("shows nobody a turn of high sensitivity, and writes nothing when it only probes", () =>
    house(Effect.gen(function*() {
      const script = yield* Script
      const extraction = yield* Extraction
      const [open, secret] = [turn("I live in Delhi"), turn("My PIN is 4711", { sensitivity: "high" })]
      script.answer = () => Effect.succeed(found({ facts: [residence("The user lives in Delhi.", open)] }))
      const job = yield* jobOf([open, secret])
      const probed = yield* extraction.probe(job, [open, secret], "caller")
      assert.deepStrictEqual(probed.written.map(({ memory_key }) => memory_key), ["user/residence"])
      assert.deepStrictEqual(yield* keysServed, [])
      yield* extraction.run(job, "caller")
      assert.lengthOf(yield* keysServed, 1)
      assert.deepStrictEqual(script.asked.map(({ turns }) => turns.map(({ content }) => content)), [
        ["I live in Delhi"],
        ["I live in Delhi"]
      ])
    })))

  it.live("forgets only what the user certainly means, of his own", () =>
    house(Effect.gen(function*() {
      const script = yield* Script
      const extraction = yield* Extraction
      const set = (memory_key: string, value: string, fields: object = {}) =>
        ask(MemorySet, { memory_key, value, user_id: "ada", ...fields })
      yield* set("user/phone", "The user has a Pixel phone.")
      yield* set("user/residence", "The user lives in Berlin.")
      yield* set("person/mia/residence", "Mia lives in Berlin.")
      yield* set("user/car", "The user drives a Fiat.", { pinned: true })
      yield* set("user/phone", "The user has an old Nokia phone.", { user_id: "bob" })
      const said = {
        berlin: turn("Please forget that I live in Berlin"),
        car: turn("Forget my car"),
        topic: turn("Forget everything about pets"),
        tool: turn("Forget my phone", { role: "tool" }),
        assistant: turn("Forget my phone", { role: "assistant" }),
        guest: turn("Forget my phone", { speaker: "Guest" })
      }
      script.answer = () =>
        Effect.succeed(found({
          forgets: [
            { what: "that I live in Berlin", turn_id: said.berlin.turn_id },
            { what: "my car", turn_id: said.car.turn_id },
            { what: "pets", turn_id: said.topic.turn_id },
            { what: "my phone", turn_id: said.tool.turn_id },
            { what: "my phone", turn_id: said.assistant.turn_id },
            { what: "my phone", turn_id: said.guest.turn_id }
          ]
        }))
      const { forgets } = yield* extraction.run(yield* jobOf(Object.values(said), { user_name: "Ada" }), "caller")
      assert.deepStrictEqual(forgets.map(({ code, keys, outcome }) => [outcome, keys, code]), [
        ["forgotten", ["user/residence"], null],
        ["refused", [], "PINNED_CONFLICT"],
        ["not_found", [], null],
        ["refused", [], "NOT_THE_USER"],
        ["refused", [], "NOT_THE_USER"],
        ["refused", [], "NOT_THE_USER"]
      ])
      assert.deepStrictEqual((yield* keysServed).map(([key]) => key), [
        "person/mia/residence",
        "user/car",
        "user/phone"
      ])
      assert.isTrue((yield* ask(MemoryGet, { memory_key: "user/phone", user_id: "bob" })).found)
    })))
})
