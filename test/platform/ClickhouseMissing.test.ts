import { afterAll, assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import * as ClickhouseEmbedded from "../../src/platform/ClickhouseEmbedded.ts"
import { quiet, tempFolder } from "./ClickhouseTemp.ts"

vi.mock("chdb", () => {
  throw new Error("Cannot find package 'chdb'")
})

// The files after this one run in the same process.
afterAll(() => void vi.doUnmock("chdb"))

it.live("the embedded engine says which package is missing", () =>
  Effect.gen(function*() {
    const path = yield* tempFolder
    const error = yield* Effect.flip(Effect.scoped(Effect.provide(ClickhouseEmbedded.open({ path }), quiet)))
    assert.strictEqual(error._tag, "EngineUnopened")
    assert.include(error.message, "needs the optional package `chdb`")
  }).pipe(Effect.scoped))
