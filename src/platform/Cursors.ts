/**
 * Gives and takes the cursors of every verb that pages. The keys are in the store, so that a cursor of one process goes on
 * in any other; the first that needs one makes it. Two that make one at once both stay: a cursor names its key.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import type { Json } from "../kernel/Json.ts"
import type { Refusal, StoreError } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import * as SignedCursor from "../kernel/SignedCursor.ts"
import type { CursorFault, CursorKey, Listing } from "../kernel/SignedCursor.ts"
import { CursorKeys } from "./CursorKeys.ts"

/** A cursor as a request gives it. The longest holds a few hundred ids, or a key of 512 characters outside ASCII. */
export const CursorText = Schema.String.pipe(Schema.maxLength(16_384))

export class Cursors extends Context.Tag("loom/platform/Cursors")<Cursors, {
  /** The cursor that goes on at this place. */
  readonly give: (listing: Listing, place: Json) => Effect.Effect<string, StoreError>
  /** The place of a cursor; `INVALID_ARGUMENT` when it is none of this caller, verb and filter, or too old. */
  readonly take: <A, I>(
    listing: Listing,
    place: Schema.Schema<A, I>,
    text: string
  ) => Effect.Effect<A, Refusal | StoreError>
}>() {}

const WORDS: Readonly<Record<CursorFault, string>> = {
  unknown: "is not one that this server gave",
  foreign: "was given to another caller",
  other: "belongs to another verb or filter",
  old: "is older than 24 hours: begin the listing again"
}

/** Why a cursor is not taken. */
export const cursorRefused = (fault: CursorFault): Refusal =>
  refuse("INVALID_ARGUMENT", `\`cursor\` ${WORDS[fault]}`, { field: "cursor" })

// Another process may have made a key since; invented ones must not press on the store.
const LOOK_AGAIN_MILLIS = 1_000

interface Known {
  readonly keys: ReadonlyArray<CursorKey>
  readonly readAt: number
}

const newKey = (): CursorKey => ({ key_id: randomBytes(4).toString("hex"), secret: randomBytes(32).toString("hex") })

const make: Effect.Effect<Cursors["Type"], never, CursorKeys> = Effect.gen(function*() {
  const store = yield* CursorKeys
  const known = yield* Ref.make<Known>({ keys: [], readAt: -LOOK_AGAIN_MILLIS })
  const oneAtATime = yield* Effect.makeSemaphore(1)

  const read = Effect.gen(function*() {
    const readAt = yield* Clock.currentTimeMillis
    const keys = yield* store.all
    yield* Ref.set(known, { keys, readAt })
    return keys
  })

  /** The key that signs; made when there is none. */
  const signing: Effect.Effect<CursorKey, StoreError> = Effect.gen(function*() {
    const [first] = (yield* Ref.get(known)).keys
    if (first !== undefined) return first
    const [earliest] = yield* read
    if (earliest !== undefined) return earliest
    const made = newKey()
    yield* store.add(made)
    return (yield* read)[0] ?? made
  })

  /** The key of this id as it is known, or as the store has it by now. */
  const keyOf = (id: string) =>
    Effect.gen(function*() {
      const named = ({ keys }: Pick<Known, "keys">) => keys.find(({ key_id }) => key_id === id)
      const now = yield* Clock.currentTimeMillis
      const { keys, readAt } = yield* Ref.get(known)
      const there = named({ keys })
      return there !== undefined || now - readAt < LOOK_AGAIN_MILLIS ? there : named({ keys: yield* read })
    })

  return {
    give: Effect.fn("Cursors.give")(function*(listing, place) {
      const key = yield* oneAtATime.withPermits(1)(signing)
      return SignedCursor.seal(key, listing, yield* Clock.currentTimeMillis, place)
    }),
    take: Effect.fn("Cursors.take")(function*(listing, place, text) {
      const id = SignedCursor.keyIdOf(text)
      const key = id === undefined ? undefined : yield* oneAtATime.withPermits(1)(keyOf(id))
      if (key === undefined) return yield* cursorRefused("unknown")
      const now = yield* Clock.currentTimeMillis
      const found = yield* Effect.mapError(SignedCursor.open(key, listing, now, text), cursorRefused)
      return yield* Effect.mapError(Schema.decodeUnknown(place)(found), () => cursorRefused("other"))
    })
  }
})

export const layer: Layer.Layer<Cursors, never, CursorKeys> = Layer.effect(Cursors, make)

/** Keys that end with the process, for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<Cursors> = Layer.provide(
  layer,
  Layer.effect(
    CursorKeys,
    Effect.map(Ref.make<ReadonlyArray<CursorKey>>([]), (keys) => ({
      all: Ref.get(keys),
      add: (key: CursorKey) => Ref.update(keys, (all) => [...all, key])
    }))
  )
)
