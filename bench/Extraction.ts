/**
 * `npm run bench:extraction`: how fast the queue of extractions is drained with a scripted model that answers at once, beside
 * what judge and commit alone make of the same facts, in turns on one store. Both take as many sessions side by side, and
 * each session is written with one command. With `--part use-lite` the offline embedder stands in both; the report then
 * tells how much of the time it was at work.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Dispatch } from "../services/gateway/Dispatch.ts"
import * as Workers from "../services/layers/Workers.ts"
import { ExtractionJobStore } from "../src/extraction/ExtractionJobStore.ts"
import { localCaller } from "../src/kernel/Caller.ts"
import type { Scope } from "../src/kernel/Identity.ts"
import { MemoryClient } from "../src/memory/MemoryClient.ts"
import { MemoryIntake } from "../src/memory/MemoryIntake.ts"
import { Embedder } from "../src/platform/Embedder.ts"
import * as EmbedderTest from "../src/platform/EmbedderTest.ts"
import * as EmbedderUseLite from "../src/platform/EmbedderUseLite.ts"
import * as LanguageModelOpenAi from "../src/platform/LanguageModelOpenAi.ts"
import { NAME } from "../workers/ExtractionQueue.ts"
import { metaOf } from "../workers/WorkerMeta.ts"
import { Chance } from "./support/Chance.ts"
import * as House from "./support/House.ts"
import * as Options from "./support/Options.ts"
import * as Say from "./support/Say.ts"
import * as ScriptedModel from "./support/ScriptedModel.ts"
import { percentile, rounded, timed } from "./support/Timing.ts"

const options = Options.read("bench:extraction", {
  rows: 1,
  callers: 16,
  seconds: 3_600,
  namespaces: 20,
  sessions: 1_000
})
const { callers, namespaces, seed, sessions } = options

// So many turns of each side, so that both meet the same noise and the same growth of the store.
const ROUNDS = 5
// Facts of a session, each said in a turn of its own: what a model finds in a short conversation.
const FACTS = 3
const ATTRIBUTES = ["deadline", "owner", "budget code", "review day", "meeting room", "release train"]

interface Said {
  readonly attribute: string
  readonly subject: string
  readonly text: string
}

interface Session {
  readonly scope: Scope
  readonly id: string
  readonly said: ReadonlyArray<Said>
}

const chance = new Chance(seed, "sessions")

/** Sessions of one side and turn; every one speaks of a thing of its own, so that no session undoes another's facts. */
const sessionsOf = (side: string, round: number, count: number): ReadonlyArray<Session> =>
  Array.from({ length: count }, (_, at) => {
    const subject = `project ${side}${round}x${at}`
    const first = chance.below(ATTRIBUTES.length)
    return {
      scope: { org: localCaller.org, namespace: `${side}-${at % namespaces}` },
      id: `s-${round}-${at}`,
      said: Array.from({ length: FACTS }, (_, fact) => {
        const attribute = ATTRIBUTES[(first + fact) % ATTRIBUTES.length] ?? ""
        const value = `${attribute.split(" ")[0]} ${chance.below(1_000_000)}`
        return { attribute, subject, text: `The ${attribute} of ${subject} is ${value}.` }
      })
    }
  })

/** The share of the time in which at least one batch was with the embedder. */
class Busy {
  private atWork = 0
  private began = 0
  private millis = 0

  readonly during = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        if (this.atWork++ === 0) this.began = performance.now()
      }),
      () => effect,
      () =>
        Effect.sync(() => {
          if (--this.atWork === 0) this.millis += performance.now() - this.began
        })
    )

  /** Milliseconds since the last asking. */
  take(): number {
    const { millis } = this
    this.millis = 0
    return millis
  }
}

const layerWatched = (busy: Busy, embedder: Layer.Layer<Embedder>): Layer.Layer<Embedder> =>
  Layer.effect(
    Embedder,
    Effect.map(Embedder, (inner) => ({ ...inner, embed: (texts) => busy.during(inner.embed(texts)) }))
  ).pipe(Layer.provide(embedder))

const bench = Effect.gen(function*() {
  const offline = options.part === "use-lite"
  const data = yield* House.dataFolder(options.data)
  const url = yield* ScriptedModel.start
  const busy = new Busy()

  const measure = Effect.gen(function*() {
    const dispatch = yield* Dispatch
    const client = yield* MemoryClient
    const intake = yield* MemoryIntake
    const jobs = yield* ExtractionJobStore

    const queue = (session: Session) =>
      dispatch.call("memory.set_from_messages", {
        namespace: session.scope.namespace,
        session_id: session.id,
        defer: true,
        messages: session.said.map(({ text }) => ({ role: "user", content: text }))
      }, localCaller)

    /** What is written once the facts are known: each session one command, as the queue writes it. */
    const alone = ({ id, said, scope }: Session) =>
      Effect.gen(function*() {
        const items = yield* Effect.forEach(said, ({ attribute, subject, text }) => {
          const memory_key = `${subject}/${attribute}`.replaceAll(" ", "-")
          return Effect.map(
            intake.prepare({ memory_key, value: text, memory_type: "semantic", sensitivity: undefined }),
            (content) => ({
              agent: "",
              user_id: "-",
              session_id: id,
              memory_key,
              run_id: "",
              content,
              statement: { entities: [subject], confidence: 0.9 },
              source_class: "extracted" as const,
              if_match_sha256: null,
              proposed: false,
              inferred: true,
              advisories: []
            })
          )
        }, { concurrency: "unbounded" })
        const { results } = yield* client.bulkSet(scope, {
          _tag: "memory.bulk_set",
          meta: yield* metaOf("bench"),
          items
        })
        return results.length
      })

    // Of those that are not done the first is enough to know that there is one.
    const waiting = Effect.map(jobs.touched(0n, 1), (left) => left.length)

    /** Whether every session became facts: a queue that gives up is no faster for it. */
    const done = Effect.map(
      Effect.forEach(
        Array.from({ length: namespaces }, (_, at) => ({ org: localCaller.org, namespace: `queue-${at}` })),
        (scope) => jobs.counts(scope, null)
      ),
      (all) => all.flat().every(({ state }) => state === "done")
    )

    /** From the worker's start to the last job done. */
    const drained = Effect.scoped(
      Effect.zipRight(
        Layer.build(Workers.layer([NAME], "process")),
        waiting.pipe(
          Effect.filterOrFail((left) => left === 0),
          // A short query each: what it costs the other side does not pay.
          Effect.retry(Schedule.spaced("1 second")),
          Effect.timeout(Duration.seconds(options.seconds))
        )
      )
    )

    const rates: { readonly queue: Array<number>; readonly alone: Array<number> } = { queue: [], alone: [] }
    const shares: Array<number> = []
    const count = Math.ceil(sessions / ROUNDS)
    for (let round = 0; round < ROUNDS; round++) {
      const [told, stated] = [sessionsOf("queue", round, count), sessionsOf("alone", round, count)]
      yield* Effect.forEach(told, queue, { concurrency: callers, discard: true })
      const sides = [
        Effect.gen(function*() {
          busy.take()
          const [millis] = yield* timed(drained)
          rates.queue.push((1_000 * count) / millis)
          shares.push(busy.take() / millis)
        }),
        Effect.gen(function*() {
          const [millis] = yield* timed(Effect.forEach(stated, alone, { concurrency: callers, discard: true }))
          rates.alone.push((1_000 * count) / millis)
        })
      ]
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) yield* side
      yield* Say.note(
        `round ${round + 1} of ${ROUNDS}: ${rates.queue.at(-1)?.toFixed(1)} sessions/s from the queue, ${
          rates.alone.at(-1)?.toFixed(1)
        } alone`
      )
    }
    if (!(yield* done)) return yield* Effect.dieMessage("Not every session became facts")
    const [fromQueue, byItself] = [percentile(rates.queue, 0.5), percentile(rates.alone, 0.5)]
    return {
      bench: "extraction",
      embedder: offline ? "use-lite" : "test",
      sessions: count * ROUNDS,
      facts: FACTS,
      queue_per_second: rounded(fromQueue),
      alone_per_second: rounded(byItself),
      ratio: rounded(fromQueue / byItself),
      embedder_busy: rounded(percentile(shares, 0.5)),
      rounds: rates.queue.map((rate, round) => rounded(rate / (rates.alone[round] ?? Number.NaN)))
    }
  })

  const model = LanguageModelOpenAi.layer({
    url,
    model: "scripted",
    key: undefined,
    timeout: Duration.seconds(20)
  }).pipe(Layer.provide(FetchHttpClient.layer))
  const embedder = layerWatched(busy, offline ? EmbedderUseLite.layer : EmbedderTest.layerTest)
  const found = yield* Effect.provide(Effect.scoped(measure), House.layer(data, embedder, model))
  yield* Say.result(found, options.json)
})

NodeRuntime.runMain(Effect.scoped(bench))
