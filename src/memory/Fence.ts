/**
 * Who may write a namespace, and what of its writing is decided. Two processes can each believe that a namespace is
 * theirs, and the store of rows cannot tell them apart. So every commit is reserved here before its first insert and
 * confirmed after its last, both under the epoch of the owner that took the namespace last. What was reserved and not
 * decided (an open intent) is settled by whoever takes the namespace next: adopted when its rows are there, else voided.
 * ADR 0018 has the protocol and what each crash leaves.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Scope, Writer } from "../kernel/Identity.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import type { LoomError, StoreError } from "../kernel/LoomError.ts"
import type { Authority } from "./AuthorityModel.ts"

/** An ownership: in each namespace every taking has a higher epoch. */
export interface Tenancy {
  readonly scope: Scope
  readonly epoch: bigint
}

/** The row that one version of a commit is about. */
export interface IntentRow extends Writer {
  readonly memory_key: string
  readonly memory_id: string
  readonly version: bigint
  /** Whether the commit takes away what was derived from the memory. */
  readonly hides: boolean
}

/** What one commit of one namespace is about to write; enough to void it, whatever of it comes in later. */
export interface Intent extends Tenancy {
  /** Rises from commit to commit of one epoch. */
  readonly seq: bigint
  readonly rows: ReadonlyArray<IntentRow>
  /** Positions of its links of the audit chain that no row makes. */
  readonly links: ReadonlyArray<bigint>
  /** Hashes of the idempotency keys under which it keeps answers that no row carries. */
  readonly answers: ReadonlyArray<string>
  /** The highest version that it hands out. */
  readonly top: bigint
}

/** An intent that nobody decided, or whose voiding broke off. */
export interface OpenIntent extends Intent {
  /** `doomed`: it was decided that it is void, whatever the store holds of it. */
  readonly state: "open" | "doomed"
}

/** What whoever takes a namespace finds. */
export interface Taken extends Tenancy {
  /** No version at or below this may be handed out again. */
  readonly version: bigint
  /** In the order in which they were reserved. */
  readonly open: ReadonlyArray<OpenIntent>
  /** Which store said then what is so of memory, where the fence knows it. */
  readonly authority?: Authority
}

export class Fence extends Context.Tag("loom/memory/Fence")<Fence, {
  /** Takes a namespace: from here on every earlier owner is refused. */
  readonly take: (scope: Scope) => Effect.Effect<Taken, StoreError>
  /**
   * Reserves the intents of one merged commit, each for itself; false for one whose owner lost its namespace, of which
   * nothing may be written then. Repeating an intent is the same as reserving it once.
   */
  readonly reserve: (intents: ReadonlyArray<Intent>) => Effect.Effect<ReadonlyArray<boolean>, StoreError>
  /**
   * Decides that what was reserved is in. False for one whose owner lost its namespace meanwhile: the next owner decides,
   * and nobody may be answered. Repeating it is the same as once.
   */
  readonly confirm: (
    intents: ReadonlyArray<Tenancy & { readonly seq: bigint }>
  ) => Effect.Effect<ReadonlyArray<boolean>, StoreError>
  /** Decides, as the owner of now, that an open intent of an earlier epoch is in; false when no longer the owner. */
  readonly adopt: (owner: Tenancy, intent: OpenIntent) => Effect.Effect<boolean, StoreError>
  /**
   * Decides, as the owner of now, that an open intent of an earlier epoch is void, and hands out `versions` fresh versions
   * above every one reserved before: the first of them; none when no longer the owner. An intent doomed before may be
   * doomed again.
   */
  readonly doom: (
    owner: Tenancy,
    intent: OpenIntent,
    versions: number
  ) => Effect.Effect<Option.Option<bigint>, StoreError>
  /** Says that all of a doomed intent is voided in the store; false when no longer the owner. */
  readonly bury: (owner: Tenancy, intent: OpenIntent) => Effect.Effect<boolean, StoreError>
}>() {}

const LOST = "Fence.lost"

/** The writer of a namespace is another by now: nothing was decided here; the same write may be sent again. */
export const lost = (): Unavailable => new Unavailable({ operation: LOST })

/** Memory is being moved under another authority, and nobody may take a namespace for these seconds. */
export const closed = (): Unavailable => new Unavailable({ operation: "Fence.closed" })

/** Whether a failure says that the namespace is another's. */
export const isLost = (error: LoomError): boolean => error._tag === "Unavailable" && error.operation === LOST

/** No fence: for the process that alone may write its store, since it holds the lock on it. */
export const layerNone: Layer.Layer<Fence> = Layer.succeed(Fence, {
  take: (scope) => Effect.succeed({ scope, epoch: 0n, version: 0n, open: [] }),
  reserve: (intents) => Effect.succeed(intents.map(() => true)),
  confirm: (intents) => Effect.succeed(intents.map(() => true)),
  adopt: () => Effect.succeed(true),
  doom: () => Effect.succeed(Option.none()),
  bury: () => Effect.succeed(true)
})
