/**
 * Gives each test file `it` as it was made. `layer` of @effect/vitest hangs the methods of its own environment on the one
 * `it` of the process, where the file after would find them: with a clock that has gone on, of a scope that is closed.
 */
import { it } from "@effect/vitest"
import { globalValue } from "effect/GlobalValue"

const own = globalValue("loom/test/support/OwnIt", () => {
  const { effect, flakyTest, layer, live, prop, scoped, scopedLive } = it
  return { effect, flakyTest, layer, live, prop, scoped, scopedLive }
})

Object.assign(it, own)
