/** A house for tests of extraction: the write path on the in-process store, turns, the queue, and a scripted finder of facts. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Turn } from "../../src/conversation/TurnModel.ts"
import { TurnStore } from "../../src/conversation/TurnStore.ts"
import * as TurnStoreMemory from "../../src/conversation/TurnStoreMemory.ts"
import * as Extraction from "../../src/extraction/Extraction.ts"
import { jobIdOf } from "../../src/extraction/ExtractionJobModel.ts"
import type { ExtractionJob } from "../../src/extraction/ExtractionJobModel.ts"
import * as ExtractionJobStore from "../../src/extraction/ExtractionJobStore.ts"
import type { Extractor } from "../../src/extraction/Extractor.ts"
import { asksModel, Extractors } from "../../src/extraction/Extractors.ts"
import type { Extracted, Fact, Transcript } from "../../src/extraction/FactModel.ts"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import { sha256 } from "../../src/kernel/Json.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { layer as layerActors } from "../support/ActorHouse.ts"

export const scope = { org: "dev", namespace: "local" }

let turns = 0

/** A turn of the user, of which a test names only what it is about. */
export const turn = (content: string, changed: Partial<Turn> = {}): Turn => {
  const place = ++turns
  return {
    ...scope,
    agent: "",
    user_id: "ada",
    session_id: "s1",
    turn_id: `turn_${sha256(`turn ${place}`).slice(0, 32)}`,
    position: BigInt(place),
    role: "user",
    speaker: "",
    content,
    content_sha256: sha256(content),
    at: null,
    recorded_at: 0,
    sensitivity: "none",
    actor: "human:ada",
    run_id: "",
    source_resource_id: "",
    ...changed
  }
}

/** A fact that its turns say. */
export const fact = (text: string, said: ReadonlyArray<Turn>, changed: Partial<Fact> = {}): Fact => ({
  subject: "user",
  attribute: "residence",
  text,
  about_other: false,
  memory_type: "semantic",
  turn_ids: said.map(({ turn_id }) => turn_id),
  anchor: null,
  confidence: 0.9,
  entities: [],
  ...changed
})

export const found = (changed: Partial<Extracted>): Extracted => ({
  facts: [],
  forgets: [],
  refused: [],
  extractor: "scripted",
  tokens_in: 3,
  tokens_out: 2,
  segments: 1,
  ...changed
})

/** What is found in a transcript, as a test says it: the rules, and the model where there is one. */
export class Script extends Context.Tag("loom/test/extraction/Script")<Script, {
  answer: (transcript: Transcript, isModel: boolean) => Effect.Effect<Extracted, LoomError>
  readonly asked: Array<Transcript>
  hasModel: boolean
}>() {}

const layerScript = Layer.sync(Script, () => ({ answer: () => Effect.succeed(found({})), asked: [], hasModel: false }))

const layerExtractors = Layer.effect(
  Extractors,
  Effect.map(Script, (script) => {
    const one = (isModel: boolean): Extractor["Type"] => ({
      name: isModel ? "model" : "rules",
      isModel,
      extract: (transcript) =>
        Effect.suspend(() => {
          script.asked.push(transcript)
          return script.answer(transcript, isModel)
        }).pipe(Effect.catchTag("Corrupt", (corrupt) => Effect.die(corrupt)))
    })
    const hasModel = () => script.hasModel
    return {
      get hasModel() {
        return hasModel()
      },
      choose: ({ choice }) =>
        !asksModel({ hasModel: hasModel() }, choice) ? one(false) : hasModel() ? one(true) : undefined
    }
  })
)

/** What happens at the fault points, first in first out; nothing once it is empty. */
export class Faults extends Context.Tag("loom/test/extraction/Faults")<Faults, {
  readonly at: Map<string, Array<Effect.Effect<void>>>
  readonly passed: Array<string>
}>() {}

const layerFaults = Layer.effectContext(Effect.sync(() => {
  const at = new Map<string, Array<Effect.Effect<void>>>()
  const passed: Array<string> = []
  return Context.make(Faults, { at, passed }).pipe(
    Context.add(FaultPoint, {
      hit: (point) =>
        Effect.suspend(() => {
          passed.push(point)
          return at.get(point)?.shift() ?? Effect.void
        })
    })
  )
}))

export const layer = () =>
  Extraction.layer.pipe(
    Layer.provide(layerExtractors),
    Layer.provideMerge(
      Layer.mergeAll(layerActors(), TurnStoreMemory.layer, ExtractionJobStore.layerMemory, layerScript)
    ),
    Layer.provideMerge(layerFaults)
  )

/** Stores turns and makes the job of them, as the verb does. */
export const jobOf = (
  said: ReadonlyArray<Turn>,
  changed: Partial<ExtractionJob> = {}
): Effect.Effect<ExtractionJob, never, TurnStore> =>
  Effect.gen(function*() {
    const store = yield* TurnStore
    yield* Effect.orDie(store.append(said.map((one) => ({ turn: one, embedder_id: "", chunks: [] }))))
    const turn_ids = said.map(({ turn_id }) => turn_id)
    const writer = { agent: "", user_id: "ada", session_id: said[0]?.session_id ?? "s1" }
    return {
      ...scope,
      ...writer,
      job_id: jobIdOf(scope, writer, turn_ids),
      run_id: "",
      actor: "human:ada",
      bound_user: null,
      user_name: "",
      extractor: "auto",
      max_tokens: 0,
      turn_ids,
      told: 0,
      observed_at: null,
      state: "queued",
      code: "",
      tries: 0,
      faults: 0,
      retry_at: null,
      receipts: null,
      created_at: 0,
      at: 0,
      epoch: 0n,
      version: 1n,
      ...changed
    }
  })
