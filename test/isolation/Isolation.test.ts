/**
 * Isolation as a property over the whole house: whatever another org, namespace or user writes, revises and deletes, with
 * the same keys, words, entities and tags, a tenant is answered the same to the byte. The seed of each run is in its name.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import * as IsolationCheck from "../../services/cli/IsolationCheck.ts"
import { Dispatch } from "../../services/gateway/Dispatch.ts"
import { layerHouse, tenantOf } from "./IsolationTenants.ts"

// One that stays and one that is new each time; whoever meets a failure puts its seed here.
const seeds = ["loom-1", randomUUID().slice(0, 8)]

layer(layerHouse, { timeout: "2 minutes" })("Isolation", (it) => {
  for (const seed of seeds) {
    it.effect(
      `nothing of another org, namespace or user reaches a tenant (seed ${seed})`,
      () =>
        Effect.gen(function*() {
          const dispatch = yield* Dispatch
          const [org, namespace] = [`acme-${seed}`, "space"]
          const verdicts = yield* IsolationCheck.run({
            seed,
            me: tenantOf({ org, namespace, user: "ada" }, dispatch),
            neighbours: [
              tenantOf({ org: `globex-${seed}`, namespace, user: "ada" }, dispatch),
              tenantOf({ org, namespace: "space-b", user: "ada" }, dispatch),
              tenantOf({ org, namespace, user: "bob" }, dispatch)
            ],
            say: () => Effect.void
          })
          for (const { answers, check, detail, outcome } of verdicts) {
            assert.strictEqual(outcome, "holds", `${check}: ${detail}`)
            assert.isAbove(answers, 0, check)
          }
        }),
      120_000
    )
  }
})
