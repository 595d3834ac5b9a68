/**
 * The fence under the authority of Postgres: a commit and the look at its owner are one statement there
 * (`MemoryCommitPostgres`), so there is nothing to reserve, to confirm or to settle. Taking is the same.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Postgres } from "../platform/Postgres.ts"
import { Fence } from "./Fence.ts"
import * as FencePostgres from "./FencePostgres.ts"

const make = (fence: Fence["Type"]): Fence["Type"] => ({
  // What was left undecided under the other authority is settled before it is left.
  take: (scope) => Effect.map(fence.take(scope), (taken) => ({ ...taken, open: [] })),
  reserve: (intents) => Effect.succeed(intents.map(() => true)),
  confirm: (intents) => Effect.succeed(intents.map(() => true)),
  adopt: () => Effect.succeed(true),
  doom: () => Effect.succeed(Option.none()),
  bury: () => Effect.succeed(true)
})

export const layer: Layer.Layer<Fence, never, Postgres> = Layer.provide(
  Layer.effect(Fence, Effect.map(Fence, make)),
  FencePostgres.layer
)
