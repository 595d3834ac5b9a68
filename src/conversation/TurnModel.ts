/**
 * A turn of a conversation: what one speaker said at one time in one session. Turns are evidence, not beliefs: they are
 * never judged, never change, and leave only when they are deleted. Next: `TurnIds` (what they are called), `TurnStore`
 * (how they are kept).
 */
import * as Schema from "effect/Schema"
import { Name, OptionalName, UserId } from "../kernel/Identity.ts"
import { Sensitivity } from "../memory/MemoryModel.ts"

/** Who spoke, in the words of chat protocols. `tool` is what a program brought in; `system` are instructions. */
export const TurnRole = Schema.Literal("user", "assistant", "system", "tool")
export type TurnRole = typeof TurnRole.Type

export const Turn = Schema.Struct({
  org: Name,
  namespace: Name,
  agent: OptionalName,
  user_id: UserId,
  session_id: OptionalName,
  /** `turn_<32 hex digits>` or `turn_<uuidv7>`, see `TurnIds`. */
  turn_id: Schema.String,
  /** Where it stands in its session: nanoseconds that grow in the order in which the turns came. */
  position: Schema.BigIntFromSelf,
  role: TurnRole,
  /** The name of who spoke; empty when the role says it all. */
  speaker: Schema.String,
  content: Schema.String,
  content_sha256: Schema.String,
  /** When it was said, milliseconds; null when nobody knows. */
  at: Schema.NullOr(Schema.Number),
  /** When it was stored, milliseconds. */
  recorded_at: Schema.Number,
  /** Of a turn whose sensitivity is high the content is neither indexed nor sent to a model, and shown by its id alone. */
  sensitivity: Sensitivity,
  /** `human:<subject>` or `process:<subject>`: who gave it to us. */
  actor: Schema.String,
  run_id: Schema.String,
  source_resource_id: Schema.String
})
export type Turn = typeof Turn.Type

/** When a turn was said, else when it was stored: milliseconds. */
export const saidAt = ({ at, recorded_at }: Pick<Turn, "at" | "recorded_at">): number => at ?? recorded_at

/** A part of a turn that is searched: the whole of a short one. Offsets are UTF-16 units of the content, [start, end). */
export interface TurnChunk {
  readonly index: number
  readonly start: number
  readonly end: number
  readonly stems: ReadonlyArray<string>
  readonly lemmas: ReadonlyArray<string>
  readonly vector: Float32Array
}

/** A turn with its searchable copies; none for one that is not to be indexed. */
export interface IndexedTurn {
  readonly turn: Turn
  readonly embedder_id: string
  readonly chunks: ReadonlyArray<TurnChunk>
}

/** Who writes turns, and where: all turns of one request have one. */
export interface TurnWriter {
  readonly org: string
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
}
