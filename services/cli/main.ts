/**
 * The `loom` command.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Serve from "../serve/Serve.ts"

const serve = Effect.gen(function*() {
  const settings = yield* Serve.settings
  const context = yield* Layer.build(Serve.layer(settings, "0.1.0"))
  yield* Effect.provide(
    Effect.flatMap(Serve.address, (url) => Console.log(`Loom serves at ${url}; the data lies in ${settings.data}`)),
    context
  )
  return yield* Effect.never
}).pipe(Effect.scoped)

NodeRuntime.runMain(serve)
