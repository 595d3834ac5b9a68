/**
 * The write side of digests, for whoever makes them. `put` writes digests, or writes them anew under their ids; `end` takes
 * one out of service with its text. `copiesOf` is the one recipe for their searchable copies.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { Unavailable } from "../kernel/LoomError.ts"
import { lemmas, lowered, stems } from "../platform/Analyzer.ts"
import type { EmbedError } from "../platform/Embedder.ts"
import { Embedder } from "../platform/Embedder.ts"
import type { Digest, DigestCopies } from "./DigestModel.ts"

export interface DerivedDigest {
  readonly digest: Digest
  readonly copies: DigestCopies
}

/** A digest by its place, at a version later than any it was written with. */
export interface DigestEnd extends Scope, Writer {
  readonly digest_id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly version: bigint
}

export class DigestStore extends Context.Tag("loom/retrieval/DigestStore")<DigestStore, {
  readonly put: (digests: ReadonlyArray<DerivedDigest>) => Effect.Effect<void, Unavailable>
  readonly end: (digests: ReadonlyArray<DigestEnd>) => Effect.Effect<void, Unavailable>
}>() {}

/** The copies of texts, all embedded at once, in their order. */
export const copiesOf = (
  texts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<DigestCopies>, EmbedError, Embedder> =>
  Effect.flatMap(Embedder, (embedder) =>
    Effect.map(embedder.embed(texts), (vectors) =>
      texts.map((text, at) => ({
        embedder_id: embedder.id,
        vector: vectors[at] ?? new Float32Array(embedder.dimensions),
        lowered: lowered(text),
        stems: stems(text),
        lemmas: lemmas(text)
      }))))
