/**
 * Traces and logs to a collector over OTLP, where `LOOM_OTLP_URL` names one; else nothing is traced and nothing costs. What
 * a span may hold is in `OtlpTracer`, what becomes of them when the collector is away in `OtlpExporter`.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hostname } from "node:os"
import * as OtlpLogger from "./OtlpLogger.ts"
import { attribute } from "./OtlpModel.ts"
import type { Resource } from "./OtlpModel.ts"
import * as OtlpTracer from "./OtlpTracer.ts"

type Pairs = ReadonlyArray<readonly [name: string, value: string]>

export interface TelemetrySettings {
  readonly url: Option.Option<URL>
  readonly headers: Redacted.Redacted<Pairs>
  readonly service: string
  readonly resource: Pairs
  readonly sample: number
}

/** `name=value,name=value`; a value may be percent-encoded, as the specification of OpenTelemetry has it. */
const pairsOf = (name: string, text: string): Either.Either<Pairs, ConfigError.ConfigError> => {
  const wrong = Either.left(ConfigError.InvalidData([name], "expected name=value, with commas between several"))
  const found: Array<readonly [string, string]> = []
  for (const part of text.split(",").map((one) => one.trim()).filter((one) => one !== "")) {
    const [, key, value] = /^([^=\s]+)\s*=\s*(.*)$/s.exec(part) ?? []
    if (key === undefined || value === undefined || /%(?![0-9a-f]{2})/i.test(value)) return wrong
    found.push([key, decodeURIComponent(value)])
  }
  return Either.right(found)
}

const pairs = (name: string, setting: Config.Config<string>): Config.Config<Pairs> =>
  setting.pipe(Config.withDefault(""), Config.mapOrFail((text) => pairsOf(name, text)))

export const config: Config.Config<TelemetrySettings> = Config.nested(
  Config.all({
    url: Config.option(Config.url("OTLP_URL")),
    headers: Config.map(pairs("OTLP_HEADERS", Config.string("OTLP_HEADERS")), Redacted.make),
    service: Config.withDefault(Config.nonEmptyString("SERVICE_NAME"), "loom"),
    resource: pairs("RESOURCE_ATTRIBUTES", Config.string("RESOURCE_ATTRIBUTES")),
    sample: Config.number("OTLP_SAMPLE").pipe(
      Config.withDefault(1),
      Config.mapOrFail((part) =>
        part >= 0 && part <= 1
          ? Either.right(part)
          : Either.left(ConfigError.InvalidData(["OTLP_SAMPLE"], "expected a number from 0 to 1"))
      )
    )
  }),
  "LOOM"
)

/** Which process it is that tells. */
export interface Teller {
  /** `serve`, `gateway` or `runner`. */
  readonly role: string
  readonly version: string
  /** Apart from its host, which is added. */
  readonly instance: string
}

const resourceOf = ({ resource, service }: TelemetrySettings, { instance, role, version }: Teller): Resource => ({
  attributes: [
    attribute("service.name", service),
    attribute("service.version", version),
    attribute("service.instance.id", `${hostname()}/${instance}`),
    attribute("loom.role", role),
    ...resource.map(([name, value]) => attribute(name, value))
  ]
})

/** Exports what everything under it does; nothing without a collector. */
export const layer = (settings: TelemetrySettings, teller: Teller): Layer.Layer<never> =>
  Option.match(settings.url, {
    onNone: () => Layer.empty,
    onSome: (base) => {
      const at = (path: string) => `${base.href.replace(/\/+$/, "")}/v1/${path}`
      const headers = Object.fromEntries(Redacted.value(settings.headers))
      const resource = resourceOf(settings, teller)
      return Layer.unwrapScoped(
        Effect.map(
          OtlpTracer.make({ url: at("traces"), headers, resource, sample: settings.sample }),
          Layer.setTracer
        )
      ).pipe(
        Layer.merge(Logger.addScoped(OtlpLogger.make({ url: at("logs"), headers, resource }))),
        Layer.provide(FetchHttpClient.layer)
      )
    }
  })
