import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { configFaults } from "../../services/cli/StartFailure.ts"
import * as Settings from "../../services/layers/Settings.ts"
import * as EmbedderConfig from "../../src/platform/EmbedderConfig.ts"

const provider = (env: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)), { pathDelim: "_" }))

describe("StartFailure", () => {
  it.effect("names a setting as its operator knows it", () =>
    Effect.gen(function*() {
      const shared = yield* Effect.flip(
        Settings.serve.pipe(provider({ LOOM_CLICKHOUSE_URL: "http://127.0.0.1:8123" }))
      )
      assert.match(configFaults(shared).join(), /^LOOM_CLICKHOUSE_URL: serve writes/)
      const remote = yield* Effect.flip(
        EmbedderConfig.config.pipe(provider({ LOOM_EMBEDDINGS_URL: "ftp://127.0.0.1" }))
      )
      assert.match(configFaults(remote).join(), /^LOOM_EMBEDDINGS_URL: expected/)
      const replay = yield* Effect.flip(EmbedderConfig.config.pipe(provider({ LOOM_EMBEDDER: "replay" })))
      assert.match(configFaults(replay).join(), /^LOOM_EMBEDDER_REPLAY: needed/)
    }))
})
