/**
 * Isolation over HTTP with tokens: another org, another namespace and another user of the same one, and a token that opens
 * every user's rows of another namespace.
 */
import { assert, layer } from "@effect/vitest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Tenant } from "../../services/cli/IsolationCheck.ts"
import * as IsolationCheck from "../../services/cli/IsolationCheck.ts"
import { layerTeam, mint, Tokens } from "../cases/Tokens.ts"
import { freshNamespace, trySend } from "../support/LoomHttp.ts"
import { LoomServer } from "../support/LoomServer.ts"

class Refused extends Data.TaggedError("Refused")<{ readonly status: number; readonly detail: unknown }> {}

/** A tenant that is known by its token alone. */
const tenantOf = (url: string, name: string, token: string): Tenant<Refused> => ({
  name,
  closed: true,
  call: (verb, request) =>
    Effect.flatMap(
      Effect.orDie(trySend(url, "POST", `/v1/${verb}`, JSON.stringify(request), { token })),
      ({ json, status }) => status === 200 ? Effect.succeed(json) : Effect.fail(new Refused({ status, detail: json }))
    )
})

layer(layerTeam, { excludeTestServices: true, timeout: 60_000 })("Isolation over HTTP", (it) => {
  it.effect("nothing of another token's org, namespace or user reaches a tenant", () =>
    Effect.gen(function*() {
      const { url } = yield* LoomServer
      const { root } = yield* Tokens
      const [namespace, elsewhere] = [freshNamespace(), freshNamespace()]
      const tenant = (name: string, fields: object) =>
        Effect.map(
          mint(root, { role: "write", subject: name, ...fields }),
          (token) => tenantOf(url, name, token)
        )
      const verdicts = yield* IsolationCheck.run({
        seed: "http",
        me: yield* tenant("ada", { org: "acme", namespaces: [namespace], user_id: "ada" }),
        neighbours: [
          yield* tenant("other org", { org: "globex", namespaces: [namespace], user_id: "ada" }),
          yield* tenant("other namespace", { org: "acme", namespaces: [elsewhere] }),
          yield* tenant("other user", { org: "acme", namespaces: [namespace], user_id: "bob" })
        ],
        say: () => Effect.void
      })
      for (const { check, detail, outcome } of verdicts) assert.strictEqual(outcome, "holds", `${check}: ${detail}`)
    }), 120_000)
})
