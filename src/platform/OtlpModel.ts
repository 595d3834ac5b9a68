/** The forms of OTLP (version 1, JSON) that are used here: attributes, resources, and how the ids and times are written. */
import { randomBytes } from "node:crypto"

export interface KeyValue {
  readonly key: string
  readonly value:
    | { readonly stringValue: string }
    | { readonly boolValue: boolean }
    | { readonly doubleValue: number }
    | {
      readonly intValue: string
    }
}

export interface Resource {
  readonly attributes: ReadonlyArray<KeyValue>
}

// Longer texts belong to nobody's dashboard.
const MOST_CHARACTERS = 1_000

const valueOf = (value: unknown): KeyValue["value"] => {
  switch (typeof value) {
    case "boolean":
      return { boolValue: value }
    case "number":
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
    case "bigint":
      return { intValue: value.toString() }
    case "string":
      return { stringValue: value.slice(0, MOST_CHARACTERS) }
    default:
      return { stringValue: (JSON.stringify(value) ?? String(value)).slice(0, MOST_CHARACTERS) }
  }
}

export const attribute = (key: string, value: unknown): KeyValue => ({ key, value: valueOf(value) })

/** Hex digits of a fresh id of so many bytes: 16 for a trace, 8 for a span. */
export const newId = (bytes: 8 | 16): string => randomBytes(bytes).toString("hex")
