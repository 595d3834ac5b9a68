/**
 * Owns the worker thread of USE-lite: started by the first request, ended with the scope, and started again by the
 * next request after it was lost. Every request ends: with its vectors, or with `Unavailable` when the thread cannot
 * start, dies, or keeps silent for longer than any batch takes.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import { Unavailable } from "../kernel/LoomError.ts"
import type { ModelReply, ModelRequest } from "./EmbedderUseLiteWorker.ts"

export const dimensions = 512

export interface ThreadOptions {
  /** The module that runs in the thread, as a file URL; another one only in tests. */
  readonly entry?: string
}

export interface Thread {
  /** One vector of `dimensions` numbers per prepared text. */
  readonly run: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, Unavailable>
}

export const make = (options: ThreadOptions = {}): Effect.Effect<Thread, never, Scope.Scope> =>
  Effect.gen(function*() {
    const entry = options.entry ?? ownEntry
    let current: Running | undefined
    let closed = false
    let nextId = 0

    const drop = (running: Running): Promise<unknown> => {
      if (current === running) current = undefined
      return running.worker.terminate()
    }
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => {
        closed = true
        return current === undefined ? Promise.resolve() : drop(current)
      })
    )

    const request = (texts: ReadonlyArray<string>) =>
      Effect.async<ModelReply>((resume) => {
        if (closed) return resume(Effect.succeed({ id: 0, failure: "closed" }))
        if (current === undefined) {
          const started = start(entry, () => {
            if (current === started) current = undefined
          })
          current = started
        }
        const { answers, worker } = current
        const id = nextId++
        answers.set(id, (reply) => resume(Effect.succeed(reply)))
        const message: ModelRequest = { id, texts }
        worker.postMessage(message)
        return Effect.sync(() => answers.delete(id))
      })

    const run = (texts: ReadonlyArray<string>) =>
      request(texts).pipe(
        Effect.timeoutTo({
          duration: longestBatch,
          onSuccess: (reply) => reply,
          onTimeout: (): ModelReply => ({ id: -1, failure: "no answer in time" })
        }),
        Effect.flatMap((reply) => {
          if ("vectors" in reply && reply.vectors.length === texts.length * dimensions) {
            const { vectors } = reply
            return Effect.succeed(texts.map((_, i) => vectors.slice(i * dimensions, (i + 1) * dimensions)))
          }
          const failure = "failure" in reply ? reply.failure : "wrong number of vectors"
          const lost = reply.id < 0 && current !== undefined ? Effect.promise(() => drop(current!)) : Effect.void
          return lost.pipe(
            Effect.zipRight(Effect.logWarning("the embedding model failed")),
            Effect.annotateLogs({ failure }),
            Effect.zipRight(Effect.fail(new Unavailable({ operation: "Embedder.embed" })))
          )
        })
      )
    return { run }
  })

interface Running {
  readonly worker: Worker
  readonly answers: Map<number, (reply: ModelReply) => void>
}

// A full batch takes about a second on a slow core, the first one half a second more to load the weights.
const longestBatch = "60 seconds"

const start = (entry: string, onLost: () => void): Running => {
  const answers: Running["answers"] = new Map()
  const worker = startWorker(entry)
  const lose = (failure: string) => {
    onLost()
    for (const [id, answer] of answers) answer({ id, failure })
    answers.clear()
  }
  worker.on("message", (reply: ModelReply) => {
    answers.get(reply.id)?.(reply)
    answers.delete(reply.id)
  })
  worker.on("error", (cause) => lose(String(cause)))
  worker.on("exit", (status) => lose(`the thread ended with ${status}`))
  // The model's library greets on the console; a stdio server must not print what is no protocol message.
  worker.stdout.resume()
  worker.stderr.resume()
  return { worker, answers }
}

const ownEntry = new URL(
  import.meta.url.endsWith(".ts") ? "./EmbedderUseLiteWorker.ts" : "./EmbedderUseLiteWorker.js",
  import.meta.url
).href

const startWorker = (entry: string): Worker => {
  const options = { execArgv: [], stdout: true, stderr: true }
  if (!entry.endsWith(".ts")) return new Worker(new URL(entry), options)
  // From source, Node 20 cannot read the module by itself and the loader of the main thread may be another one.
  const loader = JSON.stringify(createRequire(import.meta.url).resolve("tsx/cjs/api"))
  const file = JSON.stringify(entry)
  return new Worker(`require(${loader}).require(${file}, ${file})`, { ...options, eval: true })
}
