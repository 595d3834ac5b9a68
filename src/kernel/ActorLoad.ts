/**
 * What the namespace actors of this process have to do: how many are up, and how many requests each has taken in and not
 * answered. One registry for a process, like that of its metrics; an actor enters when it comes up and leaves when it ends.
 */
import * as Context from "effect/Context"
import { actorId } from "./Identity.ts"
import type { Scope } from "./Identity.ts"

/** Requests that wait or run in one namespace. */
export interface Waiting {
  readonly scope: Scope
  readonly waiting: number
}

export interface Load {
  /** Actors that are up. */
  readonly actors: number
  /** Requests that wait or run in all of them. */
  readonly waiting: number
  /** The most in any one of them, at any time since the last `turn`. */
  readonly most: number
}

interface Actor {
  readonly scope: Scope
  readonly depth: () => number
}

const make = () => {
  // One for a namespace: an actor that was built anew takes the place of the one that broke.
  const actors = new Map<string, Actor>()
  let peak = 0
  const depths = () => [...actors.values()].map((actor): Waiting => ({ scope: actor.scope, waiting: actor.depth() }))
  const total = (): Load => {
    let waiting = 0
    let most = peak
    for (const { depth } of actors.values()) {
      const own = depth()
      waiting += own
      if (own > most) most = own
    }
    return { actors: actors.size, waiting, most }
  }
  return {
    /** An actor comes up; the answer takes it out again. */
    enter: (scope: Scope, depth: () => number): () => void => {
      const actor = { scope, depth }
      const id = actorId(scope)
      actors.set(id, actor)
      return () => {
        if (actors.get(id) === actor) actors.delete(id)
      }
    },
    /** An actor took requests in and has so many by now. */
    note: (depth: number): void => {
      if (depth > peak) peak = depth
    },
    total,
    /** `total`, after which the most is counted anew; for the one who reads it regularly. */
    turn: (): Load => {
      const found = total()
      peak = 0
      return found
    },
    /** The namespaces whose actors are up, those with the most waiting first. */
    namespaces: (): ReadonlyArray<Waiting> => depths().sort((left, right) => right.waiting - left.waiting)
  }
}

export class ActorLoad extends Context.Reference<ActorLoad>()("loom/kernel/ActorLoad", { defaultValue: make }) {}
