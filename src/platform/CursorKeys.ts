/** Where the keys of cursors are kept: the same for every process of an installation. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreError } from "../kernel/LoomError.ts"
import type { CursorKey } from "../kernel/SignedCursor.ts"

export class CursorKeys extends Context.Tag("loom/platform/CursorKeys")<CursorKeys, {
  /** All keys, the earliest first. */
  readonly all: Effect.Effect<ReadonlyArray<CursorKey>, StoreError>
  readonly add: (key: CursorKey) => Effect.Effect<void, StoreError>
}>() {}
