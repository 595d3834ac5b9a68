/**
 * `loom doctor isolation`: proves on a live server that tenants do not reach each other. It works in two scratch namespaces
 * that it clears again, and ends with 1 when anything of one showed in another.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
import { CliFailure, cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as IsolationCheck from "./IsolationCheck.ts"
import type { IsolationVerdict, Tenant } from "./IsolationCheck.ts"
import * as Output from "./Output.ts"
import * as Remote from "./Remote.ts"

// Both users write under these names in the first namespace; the tenant under test is the first user of it.
const USERS = ["doctor-ada", "doctor-bob"] as const

const tenant = (remote: Remote.Remote, namespace: string, user_id: string, closed: boolean): Tenant<CliFailure> => ({
  name: `${user_id} in ${namespace}`,
  closed,
  call: (verb, request) =>
    Remote.orFail(remote, remote.calls.raw({ org: remote.scope.org, namespace, user_id }, verb, request))
})

/** Deletes what the check wrote; says so when the token may not. */
const cleared = (remote: Remote.Remote, namespaces: ReadonlyArray<string>) =>
  Effect.forEach(
    namespaces.flatMap((namespace) => USERS.map((user_id) => ({ namespace, user_id }))),
    ({ namespace, user_id }) => remote.calls.raw({ org: remote.scope.org, namespace }, "memory.clear", { user_id })
  ).pipe(
    Effect.zipRight(Output.note(`Cleared ${namespaces.join(" and ")}`)),
    Effect.catchAll(({ error }) =>
      Output.note(
        `loom: ${namespaces.join(" and ")} could not be cleared (${error.message}): memory.clear needs an admin's token`
      )
    )
  )

const words = ({ answers, check, detail, outcome }: IsolationVerdict): string =>
  `${outcome.padEnd(7)} ${check} (${answers} compared)${detail === "" ? "" : `\n        ${detail}`}`

// The server does not tell to which org a token belongs; the examples of the house use this one.
const EXAMPLE_ORG = "acme"

const notOpened = (org: string | undefined, name: string, namespaces: ReadonlyArray<string>): CliFailure => {
  const mint = `loom mint-token --org ${org ?? EXAMPLE_ORG} --namespaces ${namespaces.join(",")} --role admin` +
    " --subject doctor"
  const ofOrg = org === undefined ? ` (your org instead of ${EXAMPLE_ORG})` : ""
  return cliFailure(
    "failed",
    "FORBIDDEN",
    `the token may not write in ${namespaces.join(" and ")}: make one with \`${mint}\`${ofOrg} and run this with ` +
      `--prefix ${name}`,
    { namespaces }
  )
}

const rank = { holds: 0, unclear: 1, breach: 2 } as const

/** One verdict a check: the worst of the rounds. */
const worstOf = (
  rounds: ReadonlyArray<ReadonlyArray<IsolationVerdict>>
): ReadonlyArray<IsolationVerdict> =>
  (rounds[0] ?? []).map((first, at) => {
    const all = rounds.flatMap((verdicts) => verdicts[at] ?? [])
    const worst = all.reduce((one, other) => rank[other.outcome] > rank[one.outcome] ? other : one, first)
    return { ...worst, answers: all.reduce((sum, { answers }) => sum + answers, 0) }
  })

/** How the run ends when something did not hold; what to do next stands in it. */
const failure = (verdicts: ReadonlyArray<IsolationVerdict>, seed: string): CliFailure | null => {
  const named = (outcome: IsolationVerdict["outcome"]) =>
    verdicts.filter((one) => one.outcome === outcome).map(({ check }) => check.replace(/:.*/, "")).join(", ")
  const ended = (code: string, message: string) =>
    new CliFailure({ exit: "failed", message, detail: { code, message, seed }, printed: true })
  if (named("breach") !== "") {
    return ended(
      "ISOLATION_BREACH",
      `tenants reach each other (${named("breach")}). Take the server out of shared use, run this again with ` +
        `--seed ${seed} to see it once more, and report what differed with the server's version`
    )
  }
  return named("unclear") === "" ? null : ended(
    "ISOLATION_UNCLEAR",
    `nothing leaked, but the server left out parts of its answers (${
      named("unclear")
    }): run this again when it is less busy`
  )
}

const isolation = Command.make("isolation", {
  url: CommonOptions.text("url", "address", "The server (LOOM_BASE_URL; default http://127.0.0.1:7777)"),
  token: CommonOptions.text("token", "token", "A token of role admin that opens both namespaces (LOOM_API_KEY)"),
  prefix: CommonOptions.text(
    "prefix",
    "name",
    "The scratch namespaces are <name>-a and <name>-b (default: a new name, loom-doctor-…)"
  ),
  seed: CommonOptions.text("seed", "text", "Repeats the run that had this seed (default: a new one)"),
  rounds: Options.integer("rounds").pipe(
    Options.withPseudoName("count"),
    Options.withDescription("How many times, each with other data (default 2)"),
    // The second writes where the first wrote and deleted.
    Options.withDefault(2)
  ),
  json: CommonOptions.asJson
}, ({ json, prefix, rounds, seed, token, url }) =>
  Effect.gen(function*() {
    if (rounds < 1) return yield* cliFailure("usage", "USAGE", "--rounds is at least 1")
    const remote = yield* Remote.make()
    const fresh = randomUUID().slice(0, 8)
    const from = Option.getOrElse(seed, () => fresh)
    const name = Option.getOrElse(prefix, () => `loom-doctor-${fresh}`)
    const [first, second] = [`${name}-a`, `${name}-b`]
    yield* Output.note(`Checking ${remote.baseUrl} in ${first} and ${second}, seed ${from}`)
    const me = tenant(remote, first, USERS[0], true)
    const neighbours = [tenant(remote, second, USERS[0], true), tenant(remote, first, USERS[1], false)]
    const tenants = [me, ...neighbours]
    const check = Effect.forEach(Array.from({ length: rounds }, (_, at) => at + 1), (round) =>
      IsolationCheck.run({
        // The whole run follows from the first seed.
        seed: `${from}-${round}`,
        me,
        neighbours,
        say: (line) => Output.note(`round ${round} of ${rounds}: ${line}`)
      }))
    const reachable = Effect.forEach(tenants, ({ call }) => call("memory.list", { count_only: true }))
    const all = yield* Effect.zipRight(reachable, Effect.ensuring(check, cleared(remote, [first, second]))).pipe(
      Effect.mapError((failure) =>
        failure.detail["code"] === "FORBIDDEN" ? notOpened(remote.scope.org, name, [first, second]) : failure
      )
    )
    const verdicts = worstOf(all)
    const failed = failure(verdicts, from)
    yield* Output.result(json, { isolated: failed === null, seed: from, verdicts }, () => verdicts.map(words))
    if (failed !== null) return yield* failed
    return yield* json ? Effect.void : Output.lines(["Tenants are isolated: nothing of one showed in another"])
  }).pipe((program) => CommonOptions.withOverrides(program, { LOOM_BASE_URL: url, LOOM_API_KEY: token }))).pipe(
    Command.withDescription("Prove on a live server that no tenant sees or moves what is another's")
  )

export const doctorCommand = Command.make("doctor").pipe(
  Command.withDescription("Check a live server for faults that no single answer shows"),
  Command.withSubcommands([isolation])
)
