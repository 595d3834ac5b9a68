/**
 * `loom verbs`: what the server can do. Without a server it lists the verbs of this build, and says so.
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { allVerbs } from "../../src/client/Verbs.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { registry } from "../gateway/VerbRegistry.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Output from "./Output.ts"
import * as Remote from "./Remote.ts"
import { version } from "./Version.ts"

const Listing = Schema.Struct({
  verbs: Schema.Array(Schema.Struct({
    verb: Schema.String,
    role: Schema.String,
    teaching: Schema.Struct({ what: Schema.String })
  }))
})

const ownVerbs: ReadonlyArray<VerbFacts> = allVerbs

const own = Effect.map(
  Output.note("loom: no server answers; these are the verbs of this build"),
  () => registry(ownVerbs, version)
)

export const verbsCommand = Command.make("verbs", { json: CommonOptions.asJson }, ({ json }) =>
  Effect.gen(function*() {
    const remote = yield* Remote.make({ retry: { attempts: 1 } })
    const answer = yield* Remote.orFail(remote, remote.get("/v1/verbs")).pipe(
      Effect.catchIf((failure) => failure.exit === "unreachable", () => own)
    )
    const { verbs } = yield* Effect.mapError(
      Schema.decodeUnknown(Listing)(answer),
      () => cliFailure("failed", "ANSWER", `${remote.baseUrl} answers something else than a list of verbs`)
    )
    const rows = verbs.map(({ role, teaching, verb }) => [verb, role, teaching.what])
    return yield* Output.result(json, answer, () => Output.table([["VERB", "ROLE", "WHAT IT DOES"], ...rows]))
  })).pipe(Command.withDescription("List what the server can do"))
