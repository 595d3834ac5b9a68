/** The worker that names things, on ClickHouse: what it fills in, what it leaves, and what a crash leaves behind. */
import { assert, layer as withLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Dispatch } from "../../services/gateway/Dispatch.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import { MemoryLock } from "../../src/memory/LifecycleVerbs.ts"
import { MemoryClient } from "../../src/memory/MemoryClient.ts"
import { MemoryReview } from "../../src/memory/MemoryReview.ts"
import {
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { EntityList } from "../../src/memory/NamedThingVerbs.ts"
import { NamespaceRollback } from "../../src/memory/NamespaceReviewVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { ChangeFeed } from "../../src/work/ChangeFeed.ts"
import * as EntityExtractor from "../../workers/EntityExtractor.ts"
import { metaOf } from "../../workers/WorkerMeta.ts"
import { ask } from "../support/ActorHouse.ts"
import { crash, layer } from "./DeriveHouse.ts"

let spaces = 0
const fresh = () => ({ org: localCaller.org, namespace: `named-${++spaces}` })
type Space = ReturnType<typeof fresh>

const memory_key = "team/plan"
const set = (space: Space, value: string, fields: object = {}) =>
  ask(MemorySet, { ...space, memory_key, value, ...fields })

const all = (space: Space) => Effect.flatMap(ChangeFeed, (feed) => feed.after(space, 0n, 1000))
/** As the worker does after `behind` changes. */
const extract = (space: Space, behind = 0) =>
  Effect.flatMap(all(space), (changes) => EntityExtractor.extract(space, changes.slice(behind)))

const entities = (space: Space, key = memory_key) =>
  Effect.map(ask(MemoryGet, { ...space, memory_key: key }), (found) => found.entities ?? [])

const listed = (space: Space, fields: object = {}) =>
  Effect.map(
    ask(EntityList, { ...space, ...fields }),
    (found) => found.entities.map(({ entity, memories }) => `${entity} ${memories}`)
  )

withLayer(layer, { timeout: 120_000, excludeTestServices: true })("EntityExtractor", (it) => {
  it.effect("fills in what a value names where the writer left it, says by which rule, and changes nothing twice", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* set(space, "We deploy Orion to Oslo.")
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space), ["orion", "oslo"])
      const { versions } = yield* ask(MemoryHistory, { ...space, memory_key })
      assert.deepInclude(versions[0], { change: "label", actor: "process:entity_extractor", source_class: "asserted" })
      assert.strictEqual(versions[0]?.cause?.rule, "entities.derived")
      const before = (yield* all(space)).length
      yield* extract(space)
      assert.strictEqual((yield* all(space)).length, before)
      // The graph leg finds it by the name, which stands in no other place.
      assert.deepStrictEqual(yield* listed(space), ["orion 1", "oslo 1"])
      const { results } = yield* ask(MemorySearch, { ...space, query: "oslo", legs: ["entities"] })
      assert.deepStrictEqual(results.map((one) => one.memory_key), [memory_key])
    }))

  it.effect("never touches what a writer stated, before or after", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* set(space, "We deploy Orion to Oslo.", { entities: ["Night Shift"] })
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space), ["night shift"])
      yield* ask(MemoryUpdate, { ...space, memory_key, value: "We deploy Vega to Bergen." })
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space), ["night shift"])
      yield* set(space, "We deploy Rigel to Turku.")
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space), ["rigel", "turku"])
      yield* ask(MemoryUpdate, { ...space, memory_key, entities: ["day shift"] })
      yield* ask(MemoryUpdate, { ...space, memory_key, value: "We deploy Vega to Bergen." })
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space), ["day shift"])
      // Cleared, they are left to the worker again.
      yield* ask(MemoryUpdate, { ...space, memory_key, entities: [] })
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space), ["vega", "bergen"])
    }))

  it.effect("makes anew what it filled in when the value changes, also behind a rollback", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* set(space, "We deploy Orion to Oslo.")
      yield* extract(space)
      const { version_text } = yield* ask(MemoryGet, { ...space, memory_key })
      yield* ask(MemoryUpdate, { ...space, memory_key, value: "We deploy Vega to Bergen." })
      assert.deepStrictEqual(yield* entities(space), ["orion", "oslo"])
      yield* extract(space, 2)
      assert.deepStrictEqual(yield* entities(space), ["vega", "bergen"])
      yield* ask(MemoryUpdate, { ...space, memory_key, value: "it is off" })
      yield* extract(space, 4)
      assert.deepStrictEqual(yield* entities(space), [])
      yield* ask(NamespaceRollback, { ...space, to: version_text ?? "", dry_run: false })
      assert.deepStrictEqual(yield* entities(space), ["orion", "oslo"])
      yield* ask(MemoryUpdate, { ...space, memory_key, value: "We deploy Rigel to Turku." })
      yield* extract(space, 6)
      assert.deepStrictEqual(yield* entities(space), ["rigel", "turku"])
      assert.deepStrictEqual(yield* listed(space), ["rigel 1", "turku 1"])
    }))

  it.effect("leaves rows that are withheld, locked, not searched or gone", () =>
    Effect.gen(function*() {
      const space = fresh()
      const value = "We deploy Orion to Oslo."
      yield* set(space, value, { memory_key: "high", sensitivity: "high" })
      yield* set(space, value, { memory_key: "episode", memory_type: "episodic" })
      yield* set(space, "We moved Vega to Bergen.", { memory_key: "locked" })
      yield* ask(MemoryLock, { ...space, memory_key: "locked", reason: "frozen" })
      yield* set(space, "We moved Rigel to Turku.", { memory_key: "gone" })
      yield* ask(MemoryDelete, { ...space, memory_key: "gone" })
      const before = (yield* all(space)).length
      yield* extract(space)
      assert.strictEqual((yield* all(space)).length, before)
      yield* ask(MemoryLock, { ...space, memory_key: "locked", mode: "none" })
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space, "locked"), ["vega", "bergen"])
    }))

  it.effect("takes back what it derived of a value that is withheld by now", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* set(space, "We deploy Orion to Oslo.")
      yield* extract(space)
      yield* ask(MemoryUpdate, { ...space, memory_key, sensitivity: "high" })
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space), [])
      yield* set(space, "We deploy Vega.", { memory_key: "stated", entities: ["vega"], sensitivity: "high" })
      yield* extract(space)
      assert.deepStrictEqual(yield* entities(space, "stated"), ["vega"])
    }))

  it.effect("finds a thing by each form of its name, and every row that names it", () =>
    Effect.gen(function*() {
      const space = fresh()
      const forms = ["`Billing Services`", "billing-service", "BILLING_SERVICE", "the Billing Service's"]
      yield* Effect.forEach(forms, (form, at) =>
        set(space, `Report ${at + 1}: ${["we", "they", "you", "some"][at]} restarted ${form} host`, {
          memory_key: `r/${at}`
        }))
      yield* set(space, "The billing was late", { memory_key: "control" })
      yield* extract(space)
      assert.deepStrictEqual(yield* listed(space, { prefix: "billing" }), ["billing service 4"])
      for (const entity of ["Billing Service", "the billing-services", "BILLING_SERVICES"]) {
        const { memories } = yield* ask(MemoryList, { ...space, entity_filter: [entity] })
        assert.sameMembers(
          memories.map((one) =>
            one.memory_key ?? ""
          ),
          ["r/0", "r/1", "r/2", "r/3"],
          entity
        )
      }
    }))

  it.effect("takes no decision away from whoever read the row before it was named", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* set(space, "We deploy Orion to Oslo.")
      const { memory_id, version_text } = yield* ask(MemoryGet, { ...space, memory_key })
      yield* extract(space)
      const pin = (pinned: boolean) =>
        Effect.gen(function*() {
          const client = yield* MemoryClient
          const { results } = yield* client.transition(space, {
            _tag: "memory.transition",
            meta: yield* metaOf("test"),
            items: [{
              target: { memory_key: null, memory_id: memory_id ?? "", agent: null, user_id: null, session_id: null },
              expected_version: version_text ?? "",
              content: null,
              transition: { _tag: "pin", pinned }
            }]
          })
          return results[0]?.code ?? results[0]?.outcome
        })
      assert.strictEqual(yield* pin(true), "changed")
      // What others did since is a change that nobody may overlook.
      assert.strictEqual(yield* pin(false), "STALE_VERSION")
    }))

  it.effect("reads a row again that changes under it", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* set(space, "We deploy Orion to Oslo.")
      const review = yield* MemoryReview
      const dispatch = yield* Dispatch
      const edit = Effect.provideService(
        ask(MemoryUpdate, { ...space, memory_key, tags: ["late"] }),
        Dispatch,
        dispatch
      )
      let edits = 0
      const racing = MemoryReview.of({
        ...review,
        named: (...asked) => Effect.tap(review.named(...asked), () => edits++ > 0 ? Effect.void : Effect.orDie(edit))
      })
      yield* Effect.provideService(extract(space), MemoryReview, racing)
      assert.isAbove(edits, 1)
      assert.deepStrictEqual(yield* entities(space), ["orion", "oslo"])
    }))

  it.effect("ends with the right entities once, wherever it is cut short", () =>
    Effect.gen(function*() {
      for (const point of ["entities.before_label", "entities.after_label"]) {
        const space = fresh()
        yield* set(space, "We deploy Orion to Oslo.")
        crash.at = point
        const exit = yield* Effect.exit(extract(space))
        assert.strictEqual(exit._tag, "Failure", point)
        assert.strictEqual(crash.at, "", point)
        yield* extract(space)
        assert.deepStrictEqual(yield* entities(space), ["orion", "oslo"], point)
        const { versions } = yield* ask(MemoryHistory, { ...space, memory_key })
        assert.strictEqual(versions.length, 2, point)
      }
    }))
})
