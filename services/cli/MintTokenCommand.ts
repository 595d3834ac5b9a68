/**
 * `loom mint-token`: prints a new token on stdout and what it opens on stderr, so that `$(loom mint-token …)` is the token.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { TokenMint } from "../../src/access/TokenVerbs.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Lifetime from "./Lifetime.ts"
import * as Output from "./Output.ts"
import * as TokenCalls from "./TokenCalls.ts"

const optional = (name: string, value: Option.Option<string>) => Option.isSome(value) ? { [name]: value.value } : {}

const names = (lists: ReadonlyArray<string>): ReadonlyArray<string> =>
  lists.flatMap((list) => list.split(",")).map((name) => name.trim()).filter((name) => name !== "")

const words = (token: typeof TokenMint.answer.Type): string =>
  [
    `Token ${token.token_id} for ${token.actor}: ${token.role} in ${token.namespaces.join(", ")} of org ${token.org}`,
    token.user_id === null ? "" : `, for user ${token.user_id} alone`,
    token.expires_at === null ? "" : `, until ${token.expires_at}`,
    ". It is shown once."
  ].join("")

const org = Options.text("org").pipe(
  Options.withPseudoName("name"),
  Options.withDescription("The org it is for; needed here or in LOOM_ORG"),
  Options.withFallbackConfig(Config.nonEmptyString("LOOM_ORG"))
)

export const mintTokenCommand = Command.make("mint-token", {
  org,
  namespaces: Options.text("namespaces").pipe(
    Options.withPseudoName("names"),
    Options.withDescription("What it opens, separated by commas; '*' opens every namespace of the org"),
    Options.repeated
  ),
  role: Options.text("role").pipe(
    Options.withPseudoName("read|write|admin"),
    Options.withDescription("What it may do (default write)"),
    Options.withDefault("write")
  ),
  subject: Options.text("subject").pipe(
    Options.withPseudoName("name"),
    Options.withDescription("Who or what holds it; rows it writes say human:<subject> or process:<subject>")
  ),
  kind: Options.text("kind").pipe(
    Options.withPseudoName("human|service"),
    Options.withDescription("A person or a program (default service)"),
    Options.withDefault("service")
  ),
  user: CommonOptions.text("user", "id", "Binds it to the rows of this user"),
  expires: CommonOptions.text(
    "expires",
    "time",
    "How long it lives (90d, 12h) or until when (2027-01-31); default: for ever"
  ),
  description: CommonOptions.text("description", "text", "What it is for"),
  data: CommonOptions.data,
  json: CommonOptions.asJson
}, ({ data, description, expires, json, kind, namespaces, org, role, subject, user }) =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const ttl = Option.isNone(expires) ? undefined : Lifetime.seconds(expires.value, now)
    if (typeof ttl === "string") return yield* cliFailure("usage", "USAGE", `--expires ${ttl}`)
    const opened = names(namespaces)
    if (opened.length === 0) return yield* cliFailure("usage", "USAGE", "--namespaces is needed: what the token opens")
    const call = yield* TokenCalls.make
    const answer = yield* call(TokenMint.tag, {
      org,
      namespaces: opened,
      role,
      kind,
      subject,
      ...optional("user_id", user),
      ...optional("description", description),
      ...(ttl === undefined ? {} : { ttl_seconds: ttl })
    })
    if (json) return yield* Output.json(answer)
    const token = yield* Effect.mapError(
      Schema.decodeUnknown(TokenMint.answer)(answer),
      () => cliFailure("failed", "ANSWER", "The server answers something else than a token")
    )
    yield* Output.note(words(token))
    return yield* Output.lines([token.token ?? ""])
  }).pipe(Effect.scoped, (program) => CommonOptions.withOverrides(program, { LOOM_DATA: data }))).pipe(
    Command.withDescription("Mint a token for a person or a program")
  )
