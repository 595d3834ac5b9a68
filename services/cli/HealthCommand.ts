/**
 * `loom health`: whether the server lives and is ready; 0 when it is, 1 when it is not ready, 5 when nothing answers.
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Output from "./Output.ts"
import * as Remote from "./Remote.ts"

const Health = Schema.Struct({
  live: Schema.Boolean,
  ready: Schema.Boolean,
  version: Schema.String,
  checks: Schema.Array(Schema.Struct({ name: Schema.String, ready: Schema.Boolean }))
})

export const healthCommand = Command.make(
  "health",
  { json: CommonOptions.asJson },
  ({ json }) =>
    Effect.gen(function*() {
      const remote = yield* Remote.make({ retry: { attempts: 1 } })
      const answer = yield* Remote.orFail(remote, remote.get("/v1/health"))
      const health = yield* Effect.mapError(
        Schema.decodeUnknown(Health)(answer),
        () => cliFailure("failed", "ANSWER", `${remote.baseUrl} answers something else than its health; is it Loom?`)
      )
      const failing = health.checks.filter(({ ready }) => !ready).map(({ name }) => name)
      if (!health.ready) {
        const message = `${remote.baseUrl} lives and is not ready: ${failing.join(", ")}`
        return yield* cliFailure("failed", "NOT_READY", message, { ...health })
      }
      return yield* Output.result(json, answer, () => [`${remote.baseUrl} lives and is ready (Loom ${health.version})`])
    })
).pipe(Command.withDescription("Ask whether the server lives and is ready"))
