/** A reader of what was exported over OTLP, for tests whose collector is a `JsonServer`. */
import type { Asked } from "./JsonServer.ts"

interface Attribute {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: string
    readonly doubleValue?: number
    readonly boolValue?: boolean
  }
}

interface WireSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly status: object
}

interface WireLine {
  readonly body: { readonly stringValue: string }
  readonly severityNumber: number
  readonly severityText: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly traceId?: string
  readonly spanId?: string
}

interface Resource {
  readonly attributes: ReadonlyArray<Attribute>
}

/** A request of an exporter. */
export interface Exported {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: Resource
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<WireSpan> }>
  }>
  readonly resourceLogs?: ReadonlyArray<{
    readonly resource: Resource
    readonly scopeLogs: ReadonlyArray<{ readonly logRecords: ReadonlyArray<WireLine> }>
  }>
}

const valueOf = ({ boolValue, doubleValue, intValue, stringValue }: Attribute["value"]): unknown =>
  stringValue ?? intValue ?? doubleValue ?? boolValue

const recordOf = (attributes: ReadonlyArray<Attribute>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

/** The spans that were exported, each with its process's attributes. */
export const spansIn = (asked: ReadonlyArray<Asked<Exported>>) =>
  asked.flatMap(({ body }) =>
    (body.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          ...span,
          attributes: recordOf(span.attributes),
          resource: recordOf(resource.attributes)
        }))
      )
    )
  )

/** The log lines that were exported. */
export const linesIn = (asked: ReadonlyArray<Asked<Exported>>) =>
  asked.flatMap(({ body }) =>
    (body.resourceLogs ?? []).flatMap(({ scopeLogs }) =>
      scopeLogs.flatMap(({ logRecords }) =>
        logRecords.map((line) => ({ ...line, text: line.body.stringValue, attributes: recordOf(line.attributes) }))
      )
    )
  )
