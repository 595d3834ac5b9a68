/**
 * Transcripts for cases of extraction: a server with a scripted language model, what a reply of it looks like, and how long
 * a test waits for the queue.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { ExtractionGet, MemorySetFromMessages } from "../../src/extraction/ExtractionVerbs.ts"
import type { ReplyFact } from "../../src/extraction/ExtractReply.ts"
import { MemoryList } from "../../src/memory/MemoryVerbs.ts"
import { freshNamespace, ok } from "../support/LoomHttp.ts"
import type { CallOptions } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"
import * as ModelServer from "../support/ModelServer.ts"

export class Model extends Context.Tag("loom/test/cases/Model")<Model, ModelServer.ModelServer>() {}

export const nothing = { forgets: [], facts: [] }

const layerModel = Layer.scoped(Model, ModelServer.start(() => ModelServer.gives(nothing)))

/** A server whose language model says what a test tells it to. */
export const layerWithModel = (env: Readonly<Record<string, string>> = {}) =>
  Layer.unwrapEffect(Effect.map(Model, ({ url }) =>
    LoomServer.layer({
      LOOM_LLM_URL: url,
      LOOM_LLM_MODEL: "small",
      // Below the patience of a caller, and far above what a busy machine takes for a reply.
      LOOM_LLM_TIMEOUT_SECONDS: "15",
      ...env
    }))).pipe(Layer.provideMerge(layerModel))

/** One fact of a reply. */
export const says = (
  subject: string,
  attribute: string,
  text: string,
  turns: ReadonlyArray<number | string>,
  more: Partial<ReplyFact> = {}
): ReplyFact => ({
  subject,
  attribute,
  text,
  turns,
  about_other: false,
  type: "semantic",
  date: null,
  confidence: 0.9,
  ...more
})

export const reply = (
  facts: ReadonlyArray<ReplyFact>,
  forgets: ReadonlyArray<{ readonly what: string; readonly turn: number }> = []
) => ({ forgets, facts })

/** A message of the user, or of whoever is named. */
export const message = (content: string, more: object = {}) => ({ role: "user", content, ...more })

export const house = (namespace = freshNamespace(), options: CallOptions = {}) => ({
  namespace,
  tell: (messages: ReadonlyArray<object>, more: object = {}) =>
    ok(MemorySetFromMessages, { namespace, messages, ...more }, options),
  served: (more: object = {}) =>
    Effect.map(
      ok(MemoryList, { namespace, sort_by: "memory_key", ...more }, options),
      ({ memories }) => memories.map(({ memory_key, value }) => [memory_key, value])
    ),
  /** The job once it stands as `isIt` says. */
  settled: (queue_id: string | null, isIt: (state: string) => boolean = (state) => state === "done") =>
    ok(ExtractionGet, { namespace, queue_id }, options).pipe(
      Effect.filterOrFail(
        ({ job }) => job !== null && isIt(job.state),
        ({ job }) => new Error(`the job stands at ${job?.state} (${job?.code})`)
      ),
      Effect.retry(Schedule.spaced("250 millis").pipe(Schedule.intersect(Schedule.recurs(160)))),
      Effect.orDie
    )
})
