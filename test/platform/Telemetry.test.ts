/** The settings of telemetry: what is wrong is told by name, and a secret is told by nobody. */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Telemetry from "../../src/platform/Telemetry.ts"

const read = (settings: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(Telemetry.config, ConfigProvider.fromMap(new Map(Object.entries(settings))))

describe("the settings of telemetry", () => {
  it.effect("are off by default", () =>
    Effect.gen(function*() {
      const { headers, resource, sample, service, url } = yield* read({})
      assert.isTrue(Option.isNone(url))
      assert.deepEqual([Redacted.value(headers), resource, sample, service], [[], [], 1, "loom"])
    }))

  it.effect("read headers and attributes as OpenTelemetry writes them, and show no header", () =>
    Effect.gen(function*() {
      const settings = yield* read({
        "LOOM.OTLP_URL": "http://collector:4318",
        "LOOM.OTLP_HEADERS": " authorization=Bearer%20s3cret , x-scope = a=b ",
        "LOOM.RESOURCE_ATTRIBUTES": "deployment.environment=test,empty="
      })
      assert.deepEqual(Redacted.value(settings.headers), [["authorization", "Bearer s3cret"], ["x-scope", "a=b"]])
      assert.deepEqual(settings.resource, [["deployment.environment", "test"], ["empty", ""]])
      assert.notInclude(`${JSON.stringify(settings)} ${String(settings.headers)}`, "s3cret")
    }))

  it.effect("are refused by name, without what they say", () =>
    Effect.gen(function*() {
      for (
        const [name, value] of [
          ["OTLP_HEADERS", "s3cret"],
          ["OTLP_HEADERS", "a=s3cret%2"],
          ["RESOURCE_ATTRIBUTES", "a b=s3cret"],
          ["OTLP_SAMPLE", "1.5"]
        ] as const
      ) {
        const error = yield* Effect.flip(read({ [`LOOM.${name}`]: value }))
        assert.include(String(error), name)
        assert.notInclude(String(error), "s3cret")
      }
    }))
})
