/**
 * The nouns of background work: how far a worker has read each namespace's changes, whether it may, how it fares, and what
 * it gave up on. A reach is the part of an installation that somebody may see or change.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"

/** How far a worker is in one namespace. */
export interface Cursor {
  readonly scope: Scope
  /** Everything up to this version was handled. */
  readonly position: bigint
  /** How often what comes next failed in a row. */
  readonly failures: number
  /** The error code of the last of these failures; empty when there was none. */
  readonly code: string
  /** Milliseconds. */
  readonly at: number
}

/** Where a worker that reads no feed keeps the time of its last run. No request can name it. */
export const NO_FEED: Scope = { org: "-", namespace: "-" }

export const LetterState = Schema.Literal("open", "retry", "done", "dropped")
export type LetterState = typeof LetterState.Type

/** A change that a worker gave up on: what it was and with which code it failed, never what was said. */
export interface DeadLetter {
  readonly worker: string
  readonly scope: Scope
  /** The version of the change. */
  readonly position: bigint
  readonly memory_id: string
  readonly change: string
  readonly code: string
  readonly tries: number
  readonly first_at: number
  readonly at: number
  readonly state: LetterState
  /** Who asked for another try or dropped it; empty for the worker itself. */
  readonly actor: string
}

/** A worker is paused for an org or a namespace; an empty name stands for all. */
export interface Pause {
  readonly worker: string
  readonly org: string
  readonly namespace: string
  readonly paused: boolean
  readonly actor: string
  readonly at: number
}

/** A sign of life. */
export interface WorkerStatus {
  readonly worker: string
  readonly state: "running" | "failed"
  readonly code: string
  readonly epoch: bigint
  readonly at: number
}

/** Namespaces of one org, or everything. */
export type Reach = { readonly org: string; readonly namespaces: ReadonlyArray<string> | "*" } | "everything"

export const reaches = (reach: Reach, { namespace, org }: Scope): boolean =>
  reach === "everything" || (reach.org === org && (reach.namespaces === "*" || reach.namespaces.includes(namespace)))

/** Whether one of the pauses in force holds a worker back in a namespace. */
export const isPaused = (pauses: ReadonlyArray<Pause>, { namespace, org }: Scope): boolean =>
  pauses.some((pause) =>
    pause.paused &&
    (pause.org === "" || (pause.org === org && (pause.namespace === "" || pause.namespace === namespace)))
  )
