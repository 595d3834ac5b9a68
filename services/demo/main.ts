/**
 * The command `npm run cluster:demo`: `--json` prints one JSON object for each event, `--seconds N` ends it by itself.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import * as Output from "../cli/Output.ts"
import * as Stop from "../cli/Stop.ts"
import * as ClusterDemo from "./ClusterDemo.ts"

const USAGE = 2

const options = (): ClusterDemo.DemoOptions | string => {
  try {
    const { values } = parseArgs({ options: { json: { type: "boolean" }, seconds: { type: "string" } } })
    const seconds = values.seconds === undefined ? undefined : Number(values.seconds)
    return seconds === undefined || seconds > 0
      ? { asJson: values.json === true, seconds }
      : "--seconds takes a number of seconds above 0"
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

const program = Effect.suspend(() => {
  const read = options()
  if (typeof read === "string") return Effect.as(Output.note(`demo: ${read}`), USAGE)
  return ClusterDemo.run(read).pipe(
    Effect.catchAll((error) => Effect.as(Output.note(`demo: ${error.message}`), 1))
  )
})

Stop.runMain(program)
