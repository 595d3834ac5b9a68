/**
 * T24 on two servers on one store, of which one writes. On two gateways of a cluster: `test/cluster/TwoNodes.test.ts`.
 */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { tokenFile } from "../../services/engine/Engine.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"
import { foundOnTheOther } from "./OtherNode.ts"

describe("T24 two nodes on one store", () => {
  it.live(
    "what one node wrote is found by the other at once, and what it deleted is not",
    () =>
      Effect.gen(function*() {
        const [data, first, second] = [yield* tempFolder, yield* tempFolder, yield* tempFolder]
        const engine = yield* start({ data, command: "engine" })
        const env = {
          LOOM_CLICKHOUSE_URL: engine.url,
          LOOM_CLICKHOUSE_PASSWORD: readFileSync(tokenFile(join(data, "clickhouse")), "utf8").trim(),
          // Only the first node writes.
          LOOM_SOLE_WRITER: "true"
        }
        const writing = yield* start({ data: first, env })
        const reading = yield* start({ data: second, env })
        yield* foundOnTheOther(writing, reading)
      }).pipe(Effect.scoped),
    180_000
  )
})
