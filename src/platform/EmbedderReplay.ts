/**
 * Vectors from a file, for benches that must not wait for a model and must see the same vectors each run. The file is
 * one line of JSON (`format`, `id`, `dimensions`, `count`) and then, for each text, the 32 bytes of its hash and its
 * vector as little-endian floats; statements and questions are kept apart. The replayed embedder has the id of the
 * recorded one, since its vectors are the same.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { readFile, rename, writeFile } from "node:fs/promises"
import { Corrupt, Unavailable } from "../kernel/LoomError.ts"
import { Embedder } from "./Embedder.ts"

export interface ReplayOptions {
  /** The file that `recording` wrote. */
  readonly file: string
  /** Asked for the texts that the file lacks, which fail otherwise; its id must be the recorded one. */
  readonly fallback?: typeof Embedder.Service
}

/** The embedder of a file, read once: `Unavailable` when it cannot be read, `Corrupt` when it is no such file. */
export const make = (options: ReplayOptions): Effect.Effect<typeof Embedder.Service, Unavailable | Corrupt> =>
  Effect.gen(function*() {
    const bytes = yield* Effect.tryPromise(() => readFile(options.file)).pipe(
      Effect.catchAll((cause) =>
        Effect.logWarning("the file of vectors cannot be read", cause).pipe(
          Effect.zipRight(new Unavailable({ operation: "EmbedderReplay.open" }))
        )
      )
    )
    const { header, vectors } = yield* decode(bytes)
    const { fallback } = options
    if (fallback !== undefined && fallback.id !== header.id) return yield* corrupt("the fallback is another embedder")
    const missing = (hash: string) =>
      Effect.logWarning("a text is not in the file of vectors").pipe(
        Effect.annotateLogs({ hash }),
        Effect.zipRight(new Unavailable({ operation: "Embedder.embed" }))
      )
    const copy = (hash: string) => vectors.get(hash)?.slice()

    return {
      id: header.id,
      dimensions: header.dimensions,
      embed: Effect.fn("Embedder.embed")(function*(texts: ReadonlyArray<string>) {
        const found = texts.map((text) => copy(hashOf("statement", text)))
        const absent = texts.filter((_, i) => found[i] === undefined)
        if (absent[0] !== undefined && fallback === undefined) return yield* missing(hashOf("statement", absent[0]))
        const fresh = absent.length === 0 || fallback === undefined ? [] : yield* fallback.embed(absent)
        let next = 0
        return found.map((vector) => vector ?? fresh[next++]!)
      }),
      embedQuery: Effect.fn("Embedder.embedQuery")(function*(text: string) {
        const hash = hashOf("question", text)
        return copy(hash) ?? (yield* fallback === undefined ? missing(hash) : fallback.embedQuery(text))
      })
    }
  })

export const layer = (options: ReplayOptions): Layer.Layer<Embedder, Unavailable | Corrupt> =>
  Layer.effect(Embedder, make(options))

/** The given embedder; when the scope closes, all vectors it gave are written to the file, which appears whole. */
export const recording = (
  embedder: typeof Embedder.Service,
  file: string
): Effect.Effect<typeof Embedder.Service, never, Scope.Scope> =>
  Effect.gen(function*() {
    const vectors = new Map<string, Float32Array>()
    yield* Effect.addFinalizer(() =>
      Effect.tryPromise(async () => {
        await writeFile(`${file}.part`, encode(embedder, vectors))
        await rename(`${file}.part`, file)
      }).pipe(Effect.catchAll((cause) => Effect.logError("the file of vectors cannot be written", cause)))
    )
    return {
      ...embedder,
      embed: (texts) =>
        Effect.tap(embedder.embed(texts), (given) =>
          Effect.sync(() => {
            for (const [i, text] of texts.entries()) vectors.set(hashOf("statement", text), given[i]!.slice())
          })),
      embedQuery: (text) =>
        Effect.tap(embedder.embedQuery(text), (vector) =>
          Effect.sync(() => {
            vectors.set(hashOf("question", text), vector.slice())
          }))
    }
  })

const Header = Schema.parseJson(Schema.Struct({
  format: Schema.Literal("loom-vectors/1"),
  id: Schema.NonEmptyString,
  dimensions: Schema.Int.pipe(Schema.positive()),
  count: Schema.NonNegativeInt
}))

const hashBytes = 32

const hashOf = (kind: "statement" | "question", text: string): string =>
  createHash("sha256").update(`${kind}\n`).update(text, "utf16le").digest("hex")

const encode = (embedder: typeof Embedder.Service, vectors: ReadonlyMap<string, Float32Array>): Buffer => {
  const { dimensions, id } = embedder
  const header = Schema.encodeSync(Header)({ format: "loom-vectors/1", id, dimensions, count: vectors.size })
  const parts = [Buffer.from(`${header}\n`)]
  for (const [hash, vector] of vectors) {
    const record = Buffer.alloc(hashBytes + 4 * dimensions)
    record.write(hash, "hex")
    for (const [i, x] of vector.entries()) record.writeFloatLE(x, hashBytes + 4 * i)
    parts.push(record)
  }
  return Buffer.concat(parts)
}

const corrupt = (fault: string) =>
  Effect.logWarning("the file of vectors does not decode").pipe(
    Effect.annotateLogs({ fault }),
    Effect.zipRight(new Corrupt({ operation: "EmbedderReplay.open" }))
  )

const decode = (bytes: Buffer) =>
  Effect.gen(function*() {
    const start = bytes.indexOf("\n") + 1
    const header = yield* Schema.decode(Header)(bytes.toString("utf8", 0, start)).pipe(
      Effect.catchTag("ParseError", () => corrupt("no such header"))
    )
    const size = hashBytes + 4 * header.dimensions
    if (bytes.length - start !== size * header.count) return yield* corrupt("cut off")
    const vectors = new Map<string, Float32Array>()
    for (let at = start; at < bytes.length; at += size) {
      const hash = bytes.toString("hex", at, at + hashBytes)
      const vector = Float32Array.from(
        { length: header.dimensions },
        (_, i) => bytes.readFloatLE(at + hashBytes + 4 * i)
      )
      vectors.set(hash, vector)
    }
    return { header, vectors }
  })
