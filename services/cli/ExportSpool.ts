/**
 * Turns pages that come newest first into a file that begins with the oldest, without holding it in memory: each page
 * waits in a temporary file and is copied from there when all are known. So an import of the result meets the facts in
 * the order in which they were learned, and a broken walk leaves no half file behind.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { closeSync, mkdtempSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CliFailure } from "./CliFailure.ts"
import { cliFailure } from "./CliFailure.ts"
import * as Output from "./Output.ts"

export interface ExportSpool {
  /** Lines of one page, newest first. */
  readonly add: (lines: ReadonlyArray<string>) => Effect.Effect<void, CliFailure>
  /** Writes everything, oldest first. */
  readonly finish: Effect.Effect<void, CliFailure>
}

interface Page {
  readonly start: number
  readonly bytes: number
}

const attempt = <A>(name: string, action: () => A): Effect.Effect<A, CliFailure> =>
  Effect.try({
    try: action,
    catch: (cause) => cliFailure("failed", "FILE", `${name} cannot be written: ${String(cause)}`, { file: name })
  })

const opened = (path: string) =>
  Effect.acquireRelease(attempt(path, () => openSync(path, "w+")), (handle) => Effect.sync(() => closeSync(handle)))

const readPage = (handle: number, { bytes, start }: Page): Buffer => {
  const buffer = Buffer.alloc(bytes)
  for (let read = 0; read < bytes;) read += readSync(handle, buffer, read, bytes - read, start + read)
  return buffer
}

/** Into `file`, which takes its name when it is whole, or to stdout. */
export const open = (file: string | undefined): Effect.Effect<ExportSpool, CliFailure, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      attempt("The folder for temporary files", () => mkdtempSync(join(tmpdir(), "loom-export-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const spool = yield* opened(join(folder, "pages"))
    const pages: Array<Page> = []
    let size = 0
    return {
      add: (lines) =>
        attempt("The temporary file", () => {
          const bytes = writeSync(spool, lines.toReversed().map((line) => `${line}\n`).join(""), size)
          pages.push({ start: size, bytes })
          size += bytes
        }),
      finish: file === undefined
        ? Effect.suspend(() =>
          Effect.forEach(pages.toReversed(), (page) => Output.text(readPage(spool, page)), { discard: true })
        )
        : attempt(file, () => {
          const draft = `${file}.${process.pid}.part`
          const handle = openSync(draft, "w")
          try {
            for (const page of pages.toReversed()) writeSync(handle, readPage(spool, page))
          } finally {
            closeSync(handle)
          }
          renameSync(draft, file)
        })
    }
  })
