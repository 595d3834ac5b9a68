/**
 * Prints what the behaviour cases still wait for, and fails as soon as something of it need not wait any more.
 */
import { assert, layer } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { get } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"
import { pending } from "./Pending.ts"

const Verbs = Schema.Struct({ verbs: Schema.Array(Schema.Struct({ verb: Schema.String })) })

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Pending steps of cases", (it) => {
  it.effect("wait for verbs that are not there", () =>
    Effect.gen(function*() {
      const served = Schema.decodeUnknownSync(Verbs)((yield* get("/v1/verbs")).json).verbs.map(({ verb }) => verb)
      const lines = pending.map(({ case: name, steps, verbs }) => `${name}  ${steps} (${verbs.join(", ")})`)
      yield* Console.log(["Pending steps of the cases:", ...lines].join("\n"))
      for (const entry of pending) {
        assert.isAbove(entry.verbs.length, 0)
        for (const verb of entry.verbs) {
          assert.notInclude(served, verb, `${entry.case}: ${verb} is there, so "${entry.steps}" can be tested`)
        }
      }
    }))
})
