/**
 * The version of this build, from the package's own manifest, which lies above the sources and above the build alike.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"

const Manifest = Schema.parseJson(Schema.Struct({ name: Schema.Literal("loom"), version: Schema.String }))

const read = (path: string): string | undefined => {
  const text = Either.try(() => readFileSync(new URL(path, import.meta.url), "utf8"))
  const manifest = Either.flatMap(text, Schema.decodeEither(Manifest))
  return Either.isRight(manifest) ? manifest.right.version : undefined
}

export const version: string = read("../../package.json") ?? read("../../../package.json") ?? "unknown"
