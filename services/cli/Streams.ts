/**
 * The streams of the process: what commands read and write. A test puts others in their place.
 */
import * as Context from "effect/Context"

/** A stream as `process.stdout` is one. */
export interface Writer {
  readonly isTTY?: boolean
  readonly write: (text: string | Uint8Array, done?: () => void) => unknown
}

export class Streams extends Context.Reference<Streams>()("loom/services/cli/Streams", {
  defaultValue: (): {
    readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean }
    readonly stdout: Writer
    readonly stderr: Writer
  } => process
}) {}
