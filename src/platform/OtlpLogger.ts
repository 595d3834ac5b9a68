/** Log lines for a collector: what stands in the log of the process, with the span in which it was written. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Exporter from "./OtlpExporter.ts"
import { attribute } from "./OtlpModel.ts"
import type { KeyValue, Resource } from "./OtlpModel.ts"

interface LogRecord {
  readonly timeUnixNano: string
  readonly severityNumber: number
  readonly severityText: string
  readonly body: { readonly stringValue: string }
  readonly attributes: ReadonlyArray<KeyValue>
  readonly traceId?: string
  readonly spanId?: string
}

/** The numbers of OTLP, of which each level has four. */
const severityOf = (level: LogLevel.LogLevel): number =>
  LogLevel.greaterThanEqual(level, LogLevel.Fatal)
    ? 21
    : LogLevel.greaterThanEqual(level, LogLevel.Error)
    ? 17
    : LogLevel.greaterThanEqual(level, LogLevel.Warning)
    ? 13
    : LogLevel.greaterThanEqual(level, LogLevel.Info)
    ? 9
    : LogLevel.greaterThanEqual(level, LogLevel.Debug)
    ? 5
    : 1

const textOf = (message: unknown): string =>
  Array.isArray(message)
    ? message.map(textOf).join(" ")
    : typeof message === "string"
    ? message
    : JSON.stringify(message) ?? String(message)

const recordOf = (
  { annotations, cause, context, date, logLevel, message }: Logger.Logger.Options<unknown>
): LogRecord => {
  const span = Context.getOption(FiberRefs.getOrDefault(context, FiberRef.currentContext), Tracer.ParentSpan)
  return {
    timeUnixNano: `${date.getTime()}000000`,
    severityNumber: severityOf(logLevel),
    severityText: logLevel.label,
    body: { stringValue: textOf(message) },
    attributes: [
      ...[...annotations].map(([key, value]) => attribute(key, value)),
      ...(Cause.isEmpty(cause) ? [] : [attribute("cause", Cause.pretty(cause))])
    ],
    ...(Option.isSome(span) ? { traceId: span.value.traceId, spanId: span.value.spanId } : {})
  }
}

export interface LoggerOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Resource
}

export const make = (
  { headers, resource, url }: LoggerOptions
): Effect.Effect<Logger.Logger<unknown, void>, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.map(
    Exporter.make<LogRecord>({
      what: "logs",
      url,
      headers,
      body: (logRecords) => ({ resourceLogs: [{ resource, scopeLogs: [{ scope: { name: "loom" }, logRecords }] }] })
    }),
    ({ push }) => Logger.make((line) => push(recordOf(line)))
  )
