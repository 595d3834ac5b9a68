/**
 * Makes many small calls into few large ones: the texts of all callers wait in one bounded line and leave it in
 * batches. A batch waits for nobody but callers that are ready at the same moment; while it runs, the next one fills.
 * Kept: a call is answered whole or fails, an interrupted caller's texts leave the line, a call that cannot wait is
 * refused at once, and no caller is left hanging when the scope closes.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { Overloaded, Unavailable } from "../kernel/LoomError.ts"
import type { EmbedError } from "./Embedder.ts"

export type EmbedFailure = EmbedError

export interface BatchOptions {
  /** Named in failures. */
  readonly operation: string
  /** One vector or failure per text; the texts of a batch differ from each other. */
  readonly run: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array | EmbedFailure>, EmbedFailure>
  /** Texts in one batch. */
  readonly largest: number
  /** The length of a batch's longest text times their number stays at or below this (one text may exceed it). */
  readonly heaviest: number
  /** Texts waiting or running, over all callers; a single call larger than this is taken when nobody else waits. */
  readonly waiting: number
  /** Batches running at the same time. */
  readonly parallel: number
  /** How long one text takes about, for `retry_after_s`. */
  readonly millisPerText: number
}

export const make = (
  options: BatchOptions
): Effect.Effect<
  (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedFailure>,
  never,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const line = new Set<Waiting>()
    let running = 0
    let closed = false
    let turn = 0
    const wake = yield* Queue.dropping<void>(1)
    const unavailable = new Unavailable({ operation: options.operation })

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        closed = true
        for (const waiting of line) settle(waiting, Exit.fail(unavailable))
        line.clear()
      })
    )

    const cycle = Effect.gen(function*() {
      yield* Queue.take(wake)
      yield* sameMoment
      const batch = pick(Array.from(line).filter((waiting) => !waiting.taken), options, turn++)
      if (batch.length === 0) return
      // Another cycle, or this one again, looks at the rest.
      yield* Queue.offer(wake, undefined)
      const texts = [...new Set(batch.map((waiting) => waiting.text))]
      running += batch.length
      const exit = yield* Effect.exit(options.run(texts))
      running -= batch.length
      if (Exit.isFailure(exit)) {
        const failure = Option.getOrElse(Cause.failureOption(exit.cause), () => unavailable)
        if (Cause.isDie(exit.cause)) yield* Effect.logWarning("embedding batch failed", exit.cause)
        for (const waiting of batch) settle(waiting, Exit.fail(failure))
      } else {
        const answers = new Map(texts.map((text, i) => [text, exit.value[i] ?? unavailable]))
        for (const waiting of batch) {
          const answer = answers.get(waiting.text) ?? unavailable
          settle(waiting, "_tag" in answer ? Exit.fail(answer) : Exit.succeed(answer))
        }
      }
      for (const waiting of batch) line.delete(waiting)
    })

    for (let i = 0; i < options.parallel; i++) yield* Effect.forkScoped(Effect.forever(cycle))

    return (texts) =>
      Effect.suspend(() => {
        if (texts.length === 0) return Effect.succeed([])
        if (closed) return Effect.fail(unavailable)
        if (line.size > 0 && line.size + texts.length > options.waiting) {
          const seconds = (line.size * options.millisPerText) / 1000
          return Effect.fail(new Overloaded({ retry_after_s: Math.max(1, Math.ceil(seconds)) }))
        }
        const call = { served: 0 }
        const items = texts.map((text): Waiting => ({
          text,
          call,
          taken: false,
          answer: Deferred.unsafeMake(FiberId.none)
        }))
        for (const item of items) line.add(item)
        return Queue.offer(wake, undefined).pipe(
          Effect.zipRight(Effect.forEach(items, (item) => Deferred.await(item.answer))),
          Effect.ensuring(Effect.sync(() => {
            for (const item of items) if (!item.taken) line.delete(item)
          }))
        )
      })
  })

interface Waiting {
  readonly text: string
  readonly call: { served: number }
  readonly answer: Deferred.Deferred<Float32Array, EmbedFailure>
  taken: boolean
}

const settle = (waiting: Waiting, exit: Exit.Exit<Float32Array, EmbedFailure>): void =>
  Deferred.unsafeDone(waiting.answer, exit)

/** Lets every fiber and socket that is ready now add its texts; a timer would make a lone caller wait for nothing. */
const sameMoment = Effect.async<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/**
 * The next batch. Every other one starts with the oldest text, the ones between with a text of the call that had the
 * fewest so far, so that a search does not wait behind a bulk import and neither starves. The rest are texts of like
 * length: a model pads a batch to its longest text.
 */
const pick = (line: ReadonlyArray<Waiting>, options: BatchOptions, turn: number): ReadonlyArray<Waiting> => {
  let first = line[0]
  if (first === undefined) return []
  if (turn % 2 === 1) { for (const waiting of line) if (waiting.call.served < first.call.served) first = waiting }
  const batch: Array<Waiting> = []
  const texts = new Set<string>()
  const take = (waiting: Waiting) => {
    waiting.taken = true
    waiting.call.served++
    texts.add(waiting.text)
    batch.push(waiting)
  }
  take(first)
  const shortest = first.text.length / 2
  const longest = Math.max(first.text.length * 2, shortText)
  let widest = first.text.length
  for (const waiting of line) {
    if (waiting.taken) continue
    const { length } = waiting.text
    const repeated = texts.has(waiting.text)
    const wider = Math.max(widest, length)
    const fits = texts.size < options.largest && wider * (texts.size + 1) <= options.heaviest &&
      length <= longest && (length >= shortest || widest <= shortText)
    if (!repeated && !fits) continue
    widest = wider
    take(waiting)
  }
  return batch
}

// Below this many characters (a short sentence) padding costs less than a batch of its own.
const shortText = 80
