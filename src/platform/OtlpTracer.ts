/**
 * Spans for a collector. A span says what was done, how long it took, and how it ended by an error's code; no value, key,
 * name or token of a tenant leaves by one. So attributes pass by a list of those that are known to hold none, names lose
 * what stands in brackets (an actor's id), and messages, causes and events stay in the log.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Exporter from "./OtlpExporter.ts"
import { attribute, newId } from "./OtlpModel.ts"
import type { KeyValue, Resource } from "./OtlpModel.ts"

/** Attributes that are set by us or by the platform, and hold no word of a tenant. */
const SAFE: ReadonlySet<string> = new Set([
  "db.query.context",
  "http.request.method",
  "http.response.status_code",
  "url.scheme"
])

const KINDS: Record<Tracer.SpanKind, number> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<KeyValue>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly status: { readonly code?: 2; readonly message?: string }
}

/** A name without what stands in brackets, which may name a namespace. */
export const plainName = (name: string): string => name.replace(/\(.*\)/s, "").slice(0, 120)

/** The code of what a failure says to a caller, or its kind; never its message. */
const codeOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  if (typeof error !== "object" || error === null) return "DEFECT"
  const isWord = (text: unknown): text is string => typeof text === "string" && /^\w{1,64}$/.test(text)
  if ("code" in error && isWord(error.code)) return error.code
  return "_tag" in error && isWord(error._tag) ? error._tag : "UNKNOWN"
}

/** What was refused is an answer like another; what broke is an error. */
const endOf = (
  exit: Exit.Exit<unknown, unknown>
): { readonly status: OtlpSpan["status"]; readonly attributes: ReadonlyArray<KeyValue> } => {
  if (exit._tag === "Success") return { status: {}, attributes: [] }
  if (Cause.isInterruptedOnly(exit.cause)) return { status: {}, attributes: [attribute("loom.interrupted", true)] }
  const code = codeOf(exit.cause)
  const isRefusal = Option.exists(
    Cause.failureOption(exit.cause),
    (error) => typeof error === "object" && error !== null && "_tag" in error && error._tag === "Refusal"
  )
  return { status: isRefusal ? {} : { code: 2, message: code }, attributes: [attribute("loom.code", code)] }
}

class ExportedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly spanId = newId(8)
  readonly traceId: string
  readonly attributes = new Map<string, unknown>()
  readonly links: Array<Tracer.SpanLink>
  status: Tracer.SpanStatus

  constructor(
    readonly name: string,
    readonly parent: Option.Option<Tracer.AnySpan>,
    readonly context: Context.Context<never>,
    links: ReadonlyArray<Tracer.SpanLink>,
    startTime: bigint,
    readonly kind: Tracer.SpanKind,
    private readonly sample: (traceId: string) => boolean,
    private readonly give: (span: OtlpSpan) => void
  ) {
    this.links = [...links]
    this.status = { _tag: "Started", startTime }
    this.traceId = Option.match(parent, { onNone: () => newId(16), onSome: ({ traceId }) => traceId })
    // The whole trace or nothing of it, also where it goes on in another process.
    this.sampled = Option.match(parent, {
      onNone: () => this.sample(this.traceId),
      onSome: ({ sampled }) => sampled
    })
  }

  readonly sampled: boolean

  attribute(key: string, value: unknown): void {
    if (this.sampled && SAFE.has(key)) this.attributes.set(key, value)
  }

  // Effect makes an event of every log line; those go to the collector as logs.
  event(): void {}

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links.push(...links)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    const { startTime } = this.status
    this.status = { _tag: "Ended", startTime, endTime, exit }
    if (!this.sampled) return
    const { attributes, status } = endOf(exit)
    this.give({
      traceId: this.traceId,
      spanId: this.spanId,
      ...(Option.isSome(this.parent) ? { parentSpanId: this.parent.value.spanId } : {}),
      name: plainName(this.name),
      kind: KINDS[this.kind],
      startTimeUnixNano: startTime.toString(),
      endTimeUnixNano: endTime.toString(),
      attributes: [...[...this.attributes].map(([key, value]) => attribute(key, value)), ...attributes],
      links: this.links.map(({ span: { spanId, traceId } }) => ({ traceId, spanId })),
      status
    })
  }
}

// As many digits of a trace's id as a number holds exactly.
const DIGITS = 13

export interface TracerOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Resource
  /** The part of all traces that is exported, 0 to 1; those that came from elsewhere are as they were decided there. */
  readonly sample: number
}

export const make = (
  { headers, resource, sample, url }: TracerOptions
): Effect.Effect<Tracer.Tracer, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.map(
    Exporter.make<OtlpSpan>({
      what: "spans",
      url,
      headers,
      body: (spans) => ({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "loom" }, spans }] }] })
    }),
    ({ push }) => {
      const isSampled = (traceId: string) => parseInt(traceId.slice(0, DIGITS), 16) < sample * 16 ** DIGITS
      return Tracer.make({
        span: (name, parent, context, links, startTime, kind) =>
          new ExportedSpan(name, parent, context, links, startTime, kind, isSampled, push),
        context: (f) => f()
      })
    }
  )
