/**
 * A server in team mode and the tokens that the tests of tenancy call it with.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { TokenMint } from "../../src/access/TokenVerbs.ts"
import { ok } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

/** The tokens of two orgs, as an operator mints them. */
export class Tokens extends Context.Tag("loom/test/cases/Tokens")<Tokens, {
  readonly root: string
  readonly admin: string
  readonly writer: string
  readonly reader: string
  readonly ada: string
  readonly bob: string
  /** An admin of another org. */
  readonly other: string
}>() {}

/** A new token of the org that `token` administers. */
export const mint = (token: string, body: object) =>
  Effect.map(ok(TokenMint, { kind: "human", namespaces: ["*"], ...body }, { token }), (minted) => minted.token ?? "")

/** The tokens on a server in team mode. */
export const layerTokens = Layer.effect(
  Tokens,
  Effect.gen(function*() {
    const { data } = yield* LoomServer.LoomServer
    const root = readFileSync(join(data, "root.token"), "utf8").trim()
    return {
      root,
      admin: yield* mint(root, { org: "acme", role: "admin", subject: "admin" }),
      writer: yield* mint(root, { org: "acme", role: "write", subject: "writer" }),
      reader: yield* mint(root, { org: "acme", role: "read", subject: "reader" }),
      ada: yield* mint(root, { org: "acme", role: "write", subject: "ada", user_id: "ada" }),
      bob: yield* mint(root, { org: "acme", role: "write", subject: "bob", user_id: "bob" }),
      other: yield* mint(root, { org: "globex", role: "admin", subject: "admin" })
    }
  })
)

/** A server in team mode with its tokens. */
export const layerTeam = Layer.provideMerge(layerTokens, LoomServer.layerShared({ LOOM_MODE: "team" }))
