/** What the entity leg asks of a namespace without entities: once a second at most, and nothing of what failed is kept. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { Corrupt, Unavailable } from "../../src/kernel/LoomError.ts"
import type { Statement } from "../../src/platform/Clickhouse.ts"
import * as EntityGraph from "../../src/retrieval/EntityGraphClickhouse.ts"
import { anyRow } from "./SearchFixture.ts"

const scope = { org: "acme", namespace: "known" }

/** The methods over an engine whose namespaces have so many entities, null for one that is down; and what it was asked. */
const over = (entities: Ref.Ref<number | null>) =>
  Effect.gen(function*() {
    const asked = yield* Ref.make<ReadonlyArray<string>>([])
    const query = <A, I>({ operation }: Statement, row: Schema.Schema<A, I>) =>
      Effect.gen(function*() {
        yield* Ref.update(asked, (all) => [...all, operation.replace("SearchIndex.", "")])
        const rows = yield* Ref.get(entities)
        if (rows === null) return yield* new Unavailable({ operation })
        const answer = operation === "SearchIndex.anyEntity" ? [{ rows }] : [{ entity: "mira", rows }]
        return yield* Effect.mapError(
          Schema.decodeUnknown(Schema.Array(row))(answer),
          () => new Corrupt({ operation })
        )
      })
    const graph = yield* EntityGraph.make({ query })
    return { known: graph.knownEntities(scope, anyRow, ["mira"]), asked: Ref.getAndSet(asked, []) }
  })

it.effect("a namespace without entities costs no statement for a second, one with entities one a question", () =>
  Effect.gen(function*() {
    const entities = yield* Ref.make<number | null>(0)
    const { asked, known } = yield* over(entities)
    assert.deepStrictEqual([yield* known, yield* known, yield* known], [[], [], []])
    assert.deepStrictEqual(yield* asked, ["anyEntity"])
    yield* Ref.set(entities, 1)
    yield* TestClock.adjust("1001 millis")
    assert.deepStrictEqual([yield* known, yield* known], [["mira"], ["mira"]])
    assert.deepStrictEqual(yield* asked, ["anyEntity", "knownEntities", "knownEntities"])
  }))

it.effect("a failure to know is not kept", () =>
  Effect.gen(function*() {
    const entities = yield* Ref.make<number | null>(null)
    const { known } = yield* over(entities)
    assert.strictEqual((yield* Effect.flip(known))._tag, "Unavailable")
    yield* Ref.set(entities, 1)
    assert.deepStrictEqual(yield* known, ["mira"])
  }))
