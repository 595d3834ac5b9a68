/** Parts without a turn go once no write can complete them, and no others do. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as PruneTurnsClickhouse from "../../src/conversation/PruneTurnsClickhouse.ts"
import { TurnStore } from "../../src/conversation/TurnStore.ts"
import * as TurnStoreClickhouse from "../../src/conversation/TurnStoreClickhouse.ts"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { freshScope, noon, versionAt } from "../memory/MemoryFixture.ts"
import { indexedAll, turnOf } from "./TurnFixture.ts"

const HOUR = 3_600_000

layer(Layer.provideMerge(TurnStoreClickhouse.layer, layerEngine))("PruneTurns", (it) => {
  it.effect("removes the parts of turns that never came or went, an hour later", () =>
    Effect.gen(function*() {
      const store = yield* TurnStore
      const clickhouse = yield* Clickhouse
      const prunable = yield* PruneTurnsClickhouse.make
      const scope = freshScope()
      const at = (millis: number, content: string) =>
        turnOf(scope, { content, position: versionAt(noon + millis), recorded_at: noon + millis })
      const [stays, lost, fresh, gone] = [at(0, "stays"), at(1, "lost"), at(2 * HOUR, "fresh"), at(2, "gone")]
      yield* store.append(yield* indexedAll([stays, gone]))
      yield* store.append(yield* indexedAll([lost, fresh])).pipe(
        Effect.provideService(FaultPoint, {
          hit: (point) => point === "turns.after_chunks" ? Effect.die("crash") : Effect.void
        }),
        Effect.exit
      )
      yield* store.remove([gone], { actor: "human:ada", reason: "", at: noon })
      // A write that was under way all the time.
      yield* store.append(yield* indexedAll([gone]))
      const left = Effect.map(
        clickhouse.query(
          ch.sql("test")`SELECT DISTINCT turn_id FROM loom.conversation_chunks WHERE namespace = ${
            ch.string(scope.namespace)
          }`,
          Schema.Struct({ turn_id: Schema.String })
        ),
        (rows) => rows.map(({ turn_id }) => turn_id).sort()
      )
      const ids = (turns: ReadonlyArray<{ readonly turn_id: string }>) => turns.map(({ turn_id }) => turn_id).sort()
      assert.deepStrictEqual(yield* left, ids([stays, lost, fresh, gone]))
      yield* TestClock.setTime(noon + HOUR / 2)
      assert.strictEqual(yield* prunable.prune(10), 0)
      yield* TestClock.setTime(noon + 2 * HOUR)
      assert.strictEqual(yield* prunable.prune(1), 1)
      assert.strictEqual(yield* prunable.prune(10), 1)
      assert.strictEqual(yield* prunable.prune(10), 0)
      assert.deepStrictEqual(yield* left, ids([stays, fresh]))
    }))
})
