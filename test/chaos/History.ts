/**
 * What the clients of a chaos run did and heard: one record for each call, its request facts, when it began and ended by a
 * monotonic clock, and how. `begin` and `end` stand in a JSONL file from the moment they happen, so that a run that breaks
 * off can still be judged.
 */
import * as Schema from "effect/Schema"
import { readFileSync, writeSync } from "node:fs"
import { Facts } from "./Facts.ts"

/** `bulk_set` has several parts, every other action one; a `get` has no value. */
export const Action = Schema.Literal("set", "update", "delete", "restore", "bulk_set", "get")
export type Action = typeof Action.Type

/** What a call asks of one key; each stated value is stated by one operation of the run alone. */
export const Part = Schema.Struct({ key: Schema.String, value: Schema.NullOr(Schema.String) })
export type Part = typeof Part.Type

export const Begun = Schema.Struct({
  /** Of the call, from 1. */
  id: Schema.Number,
  /** Of what the client wants done: a retry and a replay of a call have its operation. */
  op: Schema.String,
  client: Schema.String,
  namespace: Schema.String,
  action: Action,
  parts: Schema.Array(Part),
  if_match: Schema.NullOr(Schema.String),
  idempotency_key: Schema.NullOr(Schema.String),
  dry_run: Schema.Boolean,
  /** `retry` after an unknown outcome, `replay` after an answer; both under the same idempotency key. */
  attempt: Schema.Literal("first", "retry", "replay"),
  /** Milliseconds by the monotonic clock of the run. */
  start: Schema.Number
})
export type Begun = typeof Begun.Type

/** What an acknowledged write says of one key. */
export const Effect = Schema.Struct({
  key: Schema.String,
  version: Schema.String,
  /** Empty for a delete, whose answer has none. */
  sha256: Schema.String,
  reinforcement_count: Schema.Number
})
export type Effect = typeof Effect.Type

export const Ending = Schema.Union(
  /** Acknowledged; `answer` is the whole body, for the comparison with that of a retry. */
  Schema.TaggedStruct("done", { effects: Schema.Array(Effect), answer: Schema.String }),
  /** Acknowledged, and nothing was to be done: not found, not deleted. */
  Schema.TaggedStruct("none", { reason: Schema.String, answer: Schema.String }),
  /** Told that it is refused, or never carried out: nothing of it may ever be seen. */
  Schema.TaggedStruct("refused", { code: Schema.String }),
  /** Nobody can tell whether it was carried out. */
  Schema.TaggedStruct("unknown", { reason: Schema.String }),
  Schema.TaggedStruct("read", {
    found: Schema.Boolean,
    version: Schema.String,
    sha256: Schema.String,
    value: Schema.String
  }),
  /** An answer that no such call may get. */
  Schema.TaggedStruct("odd", { text: Schema.String })
)
export type Ending = typeof Ending.Type

export const Call = Schema.Struct({
  ...Begun.fields,
  /** Infinite for a call of which nobody saw the end. */
  end: Schema.Number,
  ending: Ending
})
export type Call = typeof Call.Type

const Line = Schema.Union(
  Schema.TaggedStruct("begin", { call: Begun }),
  Schema.TaggedStruct("end", { id: Schema.Number, end: Schema.Number, ending: Ending }),
  Schema.TaggedStruct("fault", { at: Schema.Number, what: Schema.String }),
  Schema.TaggedStruct("facts", { facts: Facts })
)
type Line = typeof Line.Type

const encodeLine = Schema.encodeSync(Schema.parseJson(Line))
const decodeLine = Schema.decodeUnknownSync(Schema.parseJson(Line))

const open = (call: Begun): Call => ({
  ...call,
  end: Number.POSITIVE_INFINITY,
  ending: { _tag: "unknown", reason: "the run ended" }
})

/** The history of one run, in memory and, where a file is given, on disk. */
export class History {
  private readonly byId = new Map<number, Call>()
  private last = 0

  /** `file` is the descriptor of a file opened for appending. */
  constructor(private readonly file: number | undefined) {}

  private write(line: Line): void {
    // At once: what the harness knows must not die with it.
    if (this.file !== undefined) writeSync(this.file, `${encodeLine(line)}\n`)
  }

  begin(asked: Omit<Begun, "id">): Begun {
    const call = { ...asked, id: ++this.last }
    this.byId.set(call.id, open(call))
    this.write({ _tag: "begin", call })
    return call
  }

  end(call: Begun, end: number, ending: Ending): void {
    this.byId.set(call.id, { ...call, end, ending })
    this.write({ _tag: "end", id: call.id, end, ending })
  }

  fault(at: number, what: string): void {
    this.write({ _tag: "fault", at, what })
  }

  facts(facts: Facts): void {
    this.write({ _tag: "facts", facts })
  }

  /** In the order in which they began. */
  get calls(): ReadonlyArray<Call> {
    return [...this.byId.values()]
  }
}

/** Reads a file of an earlier run; the facts are absent when the run broke off before it looked. */
export const load = (path: string): { readonly calls: ReadonlyArray<Call>; readonly facts: Facts | undefined } => {
  const byId = new Map<number, Call>()
  let facts: Facts | undefined
  for (const text of readFileSync(path, "utf8").split("\n")) {
    if (text === "") continue
    const line = decodeLine(text)
    if (line._tag === "begin") byId.set(line.call.id, open(line.call))
    if (line._tag === "facts") facts = line.facts
    const begun = line._tag === "end" ? byId.get(line.id) : undefined
    if (line._tag === "end" && begun !== undefined) byId.set(line.id, { ...begun, end: line.end, ending: line.ending })
  }
  return { calls: [...byId.values()], facts }
}
