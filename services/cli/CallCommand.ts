/**
 * `loom call <verb>`: calls any verb of the server and prints its answer as JSON. The tuple options stand for request
 * fields; a field that the request names itself wins.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { allVerbs } from "../../src/client/Verbs.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import * as CallRequest from "./CallRequest.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Output from "./Output.ts"
import * as Remote from "./Remote.ts"
import * as Stdin from "./Stdin.ts"

const known: ReadonlyArray<VerbFacts> = allVerbs

const usage = (message: string) => cliFailure("usage", "USAGE", message)

/** Arguments with `-` replaced by what stdin holds. */
const withStdin = (args: ReadonlyArray<string>) =>
  args.filter(Stdin.isStdin).length > 1
    ? Effect.fail(usage("stdin can be read once: give one `-`"))
    : Effect.forEach(args, (arg) => Stdin.isStdin(arg) ? Effect.map(Stdin.read(arg), String) : Effect.succeed(arg))

export const callCommand = Command.make("call", {
  verb: Args.text({ name: "verb" }).pipe(Args.withDescription("Such as memory.set; `loom verbs` lists them")),
  request: Args.text({ name: "request" }).pipe(
    Args.withDescription("A JSON object, `-` to read one from stdin, name=text, or name:=json"),
    Args.repeated
  ),
  org: CommonOptions.text("org", "name", "The org (LOOM_ORG; default: the token's)"),
  namespace: CommonOptions.text("namespace", "name", "The namespace (LOOM_NAMESPACE; default: the token's)"),
  agent: CommonOptions.text("agent", "name", "The field agent: who writes, or whose rows are read"),
  user_id: CommonOptions.text("user", "id", "The field user_id"),
  session_id: CommonOptions.text("session", "id", "The field session_id"),
  json: CommonOptions.asJson
}, ({ json, request, verb, ...tuple }) =>
  Effect.gen(function*() {
    const remote = yield* Remote.make()
    const args = yield* withStdin(request)
    const made = CallRequest.make(known.find(({ tag }) => tag === verb), args)
    if (Either.isLeft(made)) return yield* usage(made.left)
    const options = Object.fromEntries(
      Object.entries(tuple).flatMap(([name, value]) => Option.isSome(value) ? [[name, value.value]] : [])
    )
    const answer = yield* Remote.orFail(remote, remote.calls.raw(remote.scope, verb, { ...options, ...made.right }))
    return yield* json ? Output.json(answer) : Output.lines([JSON.stringify(answer, null, 2)])
  })).pipe(Command.withDescription("Call a verb of the server and print its answer"))
