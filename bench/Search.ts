/**
 * `npm run bench:search`: `memory.search` with all legs over HTTP against one exact statement of the engine on the same
 * namespace (`RawSearchClickhouse`), with one caller and with eight, in turns and in one run. The namespace holds facts
 * with revisions and deletes among them; vectors, those of the questions too, are replayed. With `--tenants` the rows are
 * spread over namespaces: one of them is measured alone in the store, and again once the others are there too.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Dispatch } from "../services/gateway/Dispatch.ts"
import { localCaller } from "../src/kernel/Caller.ts"
import type { Scope } from "../src/kernel/Identity.ts"
import { MemoryStore } from "../src/memory/MemoryStore.ts"
import { Clickhouse } from "../src/platform/Clickhouse.ts"
import { Embedder } from "../src/platform/Embedder.ts"
import { MemorySearchTrace } from "../src/retrieval/SearchVerbs.ts"
import * as Callers from "./support/Callers.ts"
import { Chance } from "./support/Chance.ts"
import * as Fill from "./support/Fill.ts"
import * as House from "./support/House.ts"
import * as Options from "./support/Options.ts"
import * as Raw from "./support/RawSearchClickhouse.ts"
import * as Say from "./support/Say.ts"
import { compared, isOver, rounded, timed } from "./support/Timing.ts"
import * as Vectors from "./support/Vectors.ts"

const options = Options.read("bench:search", { rows: 20_000, callers: 8, seconds: 30 })
const { seconds, seed, tenants } = options
const rows = Math.ceil(options.rows / tenants)
const scope: Scope = { org: "dev", namespace: "bench-search" }

// One fact in ten was stated anew, one in twenty deleted.
const REVISED = 0.1
const DELETED = 0.05
// Times per number of callers, and how they are cut into turns of ours and the engine's, so that both meet the same noise.
const SEARCHES = 200
const TURNS = 5
const WARM_UP = 8
// An exact scan of a million rows takes seconds.
const RECALLED = 24

const decodeTrace = Schema.decodeUnknown(MemorySearchTrace.answer)

const bench = Effect.gen(function*() {
  const data = yield* House.dataFolder(options.data)
  const vectors = yield* Vectors.make(seed)

  const measure = Effect.gen(function*() {
    const store = yield* MemoryStore
    const clickhouse = yield* Clickhouse
    const there = (yield* store.position(scope)).rows
    const filling = { seed, rows, vectors, revised: REVISED, deleted: DELETED }
    if (there < rows) yield* Fill.fill({ ...filling, scope })
    const url = yield* HttpServer.addressFormattedWith((address) => Effect.succeed(address))
    const over = yield* Callers.start(url)
    const chance = new Chance(seed, "questions")

    const searched = (count: number, callers: number) => {
      const payloads = Array.from({ length: count }, () => ({
        namespace: scope.namespace,
        query: chance.pick(vectors.questions),
        top_k: Raw.LIMIT
      }))
      return over.run({ via: "http", verb: "memory.search", payloads, callers, seconds: seconds / TURNS })
    }
    const scanned = (count: number, callers: number) => {
      const began = performance.now()
      const one = Effect.gen(function*() {
        if (isOver(began, seconds / TURNS)) return []
        const vector = yield* vectors.embedder.embedQuery(chance.pick(vectors.questions))
        const [millis, found] = yield* timed(Raw.search(clickhouse, scope, vectors.embedder.id, vector))
        return found.length === Raw.LIMIT
          ? [millis]
          : yield* Effect.dieMessage(`The raw search found ${found.length} rows`)
      })
      return Effect.map(
        Effect.all(Array.from({ length: count }, () => one), { concurrency: callers }),
        (all) => all.flat()
      )
    }

    const compare = (callers: number) =>
      Effect.gen(function*() {
        yield* Say.note(`${callers} ${callers === 1 ? "caller" : "callers"}`)
        const ours: Array<number> = []
        const raw: Array<number> = []
        const outcomes: Record<string, number> = {}
        yield* searched(WARM_UP, callers)
        yield* scanned(WARM_UP, callers)
        const turn = Effect.gen(function*() {
          const report = yield* searched(SEARCHES / TURNS, callers)
          ours.push(...report.times)
          for (const [name, count] of Object.entries(report.outcomes)) outcomes[name] = (outcomes[name] ?? 0) + count
          raw.push(...(yield* scanned(SEARCHES / TURNS, callers)))
        })
        yield* Effect.repeatN(turn, TURNS - 1)
        return { ...compared(ours, raw), callers, outcomes }
      })

    /** Of the ten that an exact scan with whole vectors finds, the share that stands among the vector leg's first ten. */
    const recall = Effect.gen(function*() {
      yield* Say.note(`recall of the vector leg over ${RECALLED} questions`)
      const dispatch = yield* Dispatch
      let [found, wanted] = [0, 0]
      for (let turn = 0; turn < RECALLED; turn++) {
        const query = chance.pick(vectors.questions)
        const vector = yield* vectors.embedder.embedQuery(query)
        const exact = yield* Raw.exact(clickhouse, scope, vectors.embedder.id, vector)
        const asked = { namespace: scope.namespace, query, legs: ["vector"], top_k: Raw.LIMIT }
        const { legs } = yield* Effect.flatMap(dispatch.call("memory.search_trace", asked, localCaller), decodeTrace)
          .pipe(
            // A leg that was late says nothing of what it finds.
            Effect.repeat({ until: ({ legs }) => legs.every(({ failed }) => failed === null), times: 10 })
          )
        const ours = new Set(legs.flatMap(({ hits }) => hits.slice(0, Raw.LIMIT)).map(({ memory_id }) => memory_id))
        found += exact.filter((id) => ours.has(id)).length
        wanted += exact.length
      }
      return rounded(found / wanted)
    })

    const alone = yield* compare(1)
    const together = yield* compare(options.callers)
    const one = {
      bench: "search",
      ...alone,
      rows,
      [`callers_${options.callers}`]: together,
      recall_at_10: yield* recall
    }
    if (tenants === 1) return one

    yield* Say.note(`${tenants - 1} namespaces beside it`)
    for (let tenant = 1; tenant < tenants; tenant++) {
      const beside = { ...scope, namespace: `${scope.namespace}-${tenant}` }
      // Each is filled whole or, after a bench that was cut short, anew: a fact stated twice is one row.
      if ((yield* store.position(beside)).rows >= rows) continue
      yield* Fill.fill({ ...filling, scope: beside, settled: tenant === tenants - 1 })
    }
    const among = yield* compare(1)
    return { ...one, tenants, among, among_to_alone: among.p50_ms / alone.p50_ms }
  })

  const house = House.layer(data, Layer.succeed(Embedder, vectors.embedder))
  const found = yield* Effect.provide(Effect.scoped(measure), house)
  yield* Say.result(found, options.json)
})

NodeRuntime.runMain(Effect.scoped(bench))
