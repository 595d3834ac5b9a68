/**
 * Recent vectors by the hash of their text, so that a text that comes again at once (a set after a search, a repeated
 * question) does not go to the model twice. The least recently used one leaves first. Vectors are copied on the way
 * out: a caller may change the one it got.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

/** The hash under which a text's vector is kept: SHA-256, base64url. */
export const textHash = (text: string): string => createHash("sha256").update(text, "utf16le").digest("base64url")

export const remembering = <E>(
  capacity: number,
  embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, E>
): (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, E> => {
  const recent = new Map<string, Float32Array>()
  const keep = (hash: string, vector: Float32Array) => {
    recent.delete(hash)
    recent.set(hash, vector)
    const [oldest] = recent.keys()
    if (recent.size > capacity && oldest !== undefined) recent.delete(oldest)
  }
  return (texts) =>
    Effect.suspend(() => {
      const hashes = texts.map(textHash)
      const found = new Map<string, Float32Array>()
      const missing = new Map<string, string>()
      for (const [i, hash] of hashes.entries()) {
        const vector = recent.get(hash)
        if (vector !== undefined) found.set(hash, vector)
        else missing.set(hash, texts[i]!)
      }
      return Effect.map(embed([...missing.values()]), (fresh) => {
        for (const [i, hash] of [...missing.keys()].entries()) found.set(hash, fresh[i]!)
        for (const [hash, vector] of found) keep(hash, vector)
        return hashes.map((hash) => Float32Array.from(found.get(hash)!))
      })
    })
}
