/**
 * A Loom server with a rule of its own over the shipped judge: a decision that stands is revised only by who has read it,
 * so a write to its key has to name what it replaces (`if_match_sha256`). All that the rule lets pass is judged as ever.
 * The program tries it once and ends: `UV_THREADPOOL_SIZE=16 LOOM_DATA=/tmp/loom-example node CustomWritePolicy.js`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { localCaller } from "loom/kernel/Caller"
import { refuse } from "loom/kernel/LoomError"
import { WritePolicy } from "loom/memory/WritePolicy"
import { Dispatch } from "loom/services/gateway/Dispatch"
import * as Parts from "loom/services/layers/Parts"
import * as Slices from "loom/services/layers/Slices"
import * as Serve from "loom/services/serve/Serve"

/** Takes the judge that is there and gives one that asks the rule first; a judge is pure, so the rule is tested without a server. */
const layerReadDecisions = Layer.effect(
  WritePolicy,
  Effect.map(WritePolicy, ({ compare, judge }) =>
    WritePolicy.of({
      compare,
      judge: (met, write, rules) =>
        met.own?.memory_type === "decision" && write.if_match_sha256 === null &&
          met.own.content_sha256 !== write.content.content_sha256
          ? Either.left(
            refuse("PRECONDITION_FAILED", "A decision stands here: say with if_match_sha256 which one you read")
          )
          : judge(met, write, rules)
    }))
)

const policies = Layer.provideMerge(layerReadDecisions, Slices.layerPolicies)

const program = Effect.gen(function*() {
  const settings = yield* Serve.settings
  const server = yield* Layer.build(Serve.layerWith(settings, { ...Parts.configured("example"), policies }))
  // What HTTP, RPC and MCP call, from within.
  const { call } = yield* Effect.provide(Dispatch, server)
  const decide = (value: string) =>
    call("memory.set", { memory_key: "team/deploys", memory_type: "decision", value }, localCaller)
  yield* decide("Deploys happen on Tuesdays.")
  const answer = yield* Effect.match(decide("Deploys happen on Thursdays."), {
    onFailure: ({ message }) => message,
    onSuccess: () => "was let through"
  })
  yield* Console.log(`A blind revision of a decision: ${answer}`)
}).pipe(Effect.scoped)

NodeRuntime.runMain(program)
