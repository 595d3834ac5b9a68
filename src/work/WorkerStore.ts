/**
 * The port that keeps what background workers must not forget: cursors under the epoch of their owner, pauses, signs of
 * life, dead letters. A cursor of a lower epoch never counts once a higher one has written its own, and within an epoch no
 * cursor goes back; who may write under an epoch is the fence's to say.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import { reaches } from "./WorkerModel.ts"
import type { Cursor, DeadLetter, LetterState, Pause, Reach, WorkerStatus } from "./WorkerModel.ts"

/** Which dead letters are meant. */
export interface LetterFilter {
  readonly reach: Reach
  /** Null means any worker's. */
  readonly worker: string | null
  readonly states: ReadonlyArray<LetterState>
  readonly limit: number
}

/** What finds one dead letter. */
export interface LetterPlace {
  readonly worker: string
  readonly scope: Scope
  readonly position: bigint
}

export class WorkerStore extends Context.Tag("loom/work/WorkerStore")<WorkerStore, {
  /** The cursors of a worker that count now. */
  readonly cursors: (worker: string, reach: Reach) => Effect.Effect<ReadonlyArray<Cursor>, StoreError>
  readonly move: (worker: string, epoch: bigint, cursors: ReadonlyArray<Cursor>) => Effect.Effect<void, Unavailable>
  /** Removes what owners before this epoch wrote; for whoever has written all of it again. */
  readonly prune: (worker: string, epoch: bigint) => Effect.Effect<void, Unavailable>
  /** The pauses in force; of one worker, or of all. */
  readonly pauses: (worker: string | null) => Effect.Effect<ReadonlyArray<Pause>, StoreError>
  readonly pause: (pause: Pause) => Effect.Effect<void, Unavailable>
  readonly statuses: Effect.Effect<ReadonlyArray<WorkerStatus>, StoreError>
  readonly report: (status: WorkerStatus) => Effect.Effect<void, Unavailable>
  /** Oldest first. */
  readonly letters: (filter: LetterFilter) => Effect.Effect<ReadonlyArray<DeadLetter>, StoreError>
  /** How many there are, by worker and namespace. */
  readonly countLetters: (
    reach: Reach,
    states: ReadonlyArray<LetterState>
  ) => Effect.Effect<
    ReadonlyArray<{ readonly worker: string; readonly scope: Scope; readonly count: number }>,
    StoreError
  >
  /** Replaces what was known of the same letters. */
  readonly file: (letters: ReadonlyArray<DeadLetter>) => Effect.Effect<void, Unavailable>
}>() {}

const letterKey = ({ position, scope, worker }: LetterPlace): string => `${worker} ${actorId(scope)} ${position}`

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<WorkerStore> = Layer.sync(WorkerStore, () => {
  const cursors = new Map<string, Map<string, { readonly epoch: bigint; readonly cursor: Cursor }>>()
  const pauses = new Map<string, Pause>()
  const statuses = new Map<string, WorkerStatus>()
  const letters = new Map<string, DeadLetter>()

  const move = (worker: string, epoch: bigint, moved: ReadonlyArray<Cursor>) => {
    const mine = cursors.get(worker) ?? new Map<string, { readonly epoch: bigint; readonly cursor: Cursor }>()
    cursors.set(worker, mine)
    for (const cursor of moved) {
      const key = actorId(cursor.scope)
      const before = mine.get(key)
      const isLater = before === undefined || epoch > before.epoch ||
        (epoch === before.epoch && cursor.position >= before.cursor.position)
      if (isLater) mine.set(key, { epoch, cursor })
    }
  }

  const found = ({ reach, states, worker }: Omit<LetterFilter, "limit">) =>
    [...letters.values()].filter((letter) =>
      reaches(reach, letter.scope) && (worker === null || letter.worker === worker) && states.includes(letter.state)
    )

  return {
    cursors: (worker, reach) =>
      Effect.sync(() =>
        [...cursors.get(worker)?.values() ?? []].map(({ cursor }) => cursor).filter(({ scope }) =>
          reaches(reach, scope)
        )
      ),
    move: (worker, epoch, moved) => Effect.sync(() => move(worker, epoch, moved)),
    prune: () => Effect.void,
    pauses: (worker) =>
      Effect.sync(() =>
        [...pauses.values()].filter((pause) => pause.paused && (worker === null || pause.worker === worker))
      ),
    pause: (pause) =>
      Effect.sync(() => void pauses.set(JSON.stringify([pause.worker, pause.org, pause.namespace]), pause)),
    statuses: Effect.sync(() => [...statuses.values()]),
    report: (status) => Effect.sync(() => void statuses.set(status.worker, status)),
    letters: (filter) =>
      Effect.sync(() =>
        found(filter).sort((left, right) => left.first_at - right.first_at || (left.position < right.position ? -1 : 1))
          .slice(0, filter.limit)
      ),
    countLetters: (reach, states) =>
      Effect.sync(() => {
        const counts = new Map<string, { readonly worker: string; readonly scope: Scope; readonly count: number }>()
        for (const { scope, worker } of found({ reach, states, worker: null })) {
          const key = `${worker} ${actorId(scope)}`
          counts.set(key, { worker, scope, count: (counts.get(key)?.count ?? 0) + 1 })
        }
        return [...counts.values()]
      }),
    file: (filed) => Effect.sync(() => filed.forEach((letter) => letters.set(letterKey(letter), letter)))
  }
})
