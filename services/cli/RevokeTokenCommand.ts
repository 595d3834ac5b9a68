/**
 * `loom revoke-token`: ends a token for good; every process stops accepting it within two seconds.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TokenRevoke } from "../../src/access/TokenVerbs.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Output from "./Output.ts"
import * as TokenCalls from "./TokenCalls.ts"

export const revokeTokenCommand = Command.make("revoke-token", {
  id: Args.text({ name: "id" }).pipe(
    Args.withDescription("The id of the token: the middle part of it, as list-tokens shows")
  ),
  data: CommonOptions.data,
  json: CommonOptions.asJson
}, ({ data, id, json }) =>
  Effect.gen(function*() {
    // People paste the whole token; its id is what is meant.
    const token_id = /^loom_([0-9a-f]{16})_/.exec(id)?.[1] ?? id
    const call = yield* TokenCalls.make
    const answer = yield* Effect.flatMap(call(TokenRevoke.tag, { token_id }), (answer) =>
      Effect.mapError(
        Schema.decodeUnknown(TokenRevoke.answer)(answer),
        () => cliFailure("failed", "ANSWER", "The server answers something else than a revocation")
      ))
    if (!answer.found) return yield* cliFailure("failed", "NOT_FOUND", `There is no token ${token_id}`, { token_id })
    return yield* Output.result(json, answer, () => [`Revoked ${token_id}`])
  }).pipe(Effect.scoped, (program) => CommonOptions.withOverrides(program, { LOOM_DATA: data }))).pipe(
    Command.withDescription("Revoke a token for good")
  )
