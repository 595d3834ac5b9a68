/**
 * `loom list-tokens`: who has access. Secrets are not kept and so not shown.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { TokenList } from "../../src/access/TokenVerbs.ts"
import type { CliFailure } from "./CliFailure.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Output from "./Output.ts"
import * as TokenCalls from "./TokenCalls.ts"
import type { TokenCall } from "./TokenFolder.ts"

type Page = typeof TokenList.answer.Type

const row = (token: Page["tokens"][number]): ReadonlyArray<string> => [
  token.token_id,
  token.org,
  token.namespaces.join(","),
  token.role,
  token.actor,
  token.user_id ?? "",
  token.revoked_at === null ? token.expires_at ?? "" : `revoked ${token.revoked_at}`,
  token.description
]

const head = ["TOKEN", "ORG", "NAMESPACES", "ROLE", "ACTOR", "USER", "EXPIRES", "DESCRIPTION"]

// The most that one page may hold.
const PAGE = 1_000

const all = (
  call: TokenCall,
  request: object,
  cursor: object = {}
): Effect.Effect<Page["tokens"], CliFailure> =>
  Effect.gen(function*() {
    const answer = yield* call(TokenList.tag, { ...request, ...cursor, limit: PAGE })
    const { next_cursor, tokens } = yield* Effect.mapError(
      Schema.decodeUnknown(TokenList.answer)(answer),
      () => cliFailure("failed", "ANSWER", "The server answers something else than a list of tokens")
    )
    return next_cursor === null ? tokens : [...tokens, ...(yield* all(call, request, { cursor: next_cursor }))]
  })

export const listTokensCommand = Command.make("list-tokens", {
  org: CommonOptions.text("org", "name", "Only the tokens of this org"),
  revoked: Options.boolean("revoked").pipe(Options.withDescription("Also those that were revoked")),
  data: CommonOptions.data,
  json: CommonOptions.asJson
}, ({ data, json, org, revoked }) =>
  Effect.gen(function*() {
    const call = yield* TokenCalls.make
    const tokens = yield* all(call, {
      include_revoked: revoked,
      ...(Option.isSome(org) ? { org: org.value } : {})
    })
    return yield* Output.result(json, { tokens }, () =>
      tokens.length === 0 ? ["There is no token"] : Output.table([head, ...tokens.map(row)]))
  }).pipe(Effect.scoped, (program) =>
    CommonOptions.withOverrides(program, { LOOM_DATA: data }))).pipe(
    Command.withDescription("List the tokens that give access")
  )
