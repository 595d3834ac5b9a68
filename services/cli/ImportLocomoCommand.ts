/**
 * `loom import locomo`: the conversations of a LoCoMo file, for evaluation. Each gets a namespace of its own that keeps
 * every turn (`append_only`).
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { cliFailure } from "./CliFailure.ts"
import type { CliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as ImportOptions from "./ImportOptions.ts"
import * as ImportSource from "./ImportSource.ts"
import * as Locomo from "./Locomo.ts"
import * as Remote from "./Remote.ts"
import * as Stdin from "./Stdin.ts"

export const DEFAULT_PREFIX = "locomo-"

/** Makes the namespace of each conversation one that keeps every turn. */
export const register = (
  remote: Remote.Remote,
  prefix: string,
  conversations: ReadonlyArray<Locomo.LocomoConversation>
): Effect.Effect<void, CliFailure> =>
  Effect.forEach(conversations, (conversation) =>
    Remote.orFail(
      remote,
      remote.calls.typed(NamespaceRegister)({ org: remote.scope.org }, {
        namespace: Locomo.namespaceOf(prefix, conversation),
        default_conflict_policy: "append_only",
        description: `LoCoMo conversation ${conversation.id}`
      })
    ), { discard: true })

/** The conversations of a file's bytes. */
export const conversationsOf = (
  file: string,
  bytes: Buffer
): Effect.Effect<ReadonlyArray<Locomo.LocomoConversation>, CliFailure> =>
  Either.match(Locomo.parse(bytes.toString("utf8")), {
    onLeft: (fault) => Effect.fail(cliFailure("usage", "FILE", `${file} is no LoCoMo file: ${fault}`, { file })),
    onRight: (conversations) => Effect.succeed(conversations)
  })

export const importLocomoCommand = Command.make("locomo", {
  file: Args.text({ name: "file" }).pipe(Args.withDescription("The file, or `-` for stdin")),
  prefix: Options.text("namespace-prefix").pipe(
    Options.withPseudoName("text"),
    Options.withDescription(`What stands before a conversation's id in its namespace (default ${DEFAULT_PREFIX})`),
    Options.withDefault(DEFAULT_PREFIX)
  ),
  limit: Options.integer("limit").pipe(
    Options.withPseudoName("number"),
    Options.withDescription("Only the first so many conversations"),
    Options.optional
  ),
  ...ImportOptions.shared
}, ({ data, file, limit, prefix, ...options }) =>
  Effect.gen(function*() {
    const bytes = yield* Stdin.read(file)
    const all = yield* conversationsOf(file, bytes)
    const conversations = all.slice(0, Option.getOrElse(limit, () => all.length))
    const remote = yield* Remote.make({ retry: ImportOptions.patientRetry })
    yield* register(remote, prefix, conversations)
    const items = conversations.flatMap((conversation) => Locomo.items(prefix, conversation))
    const variant = `locomo ${prefix} ${conversations.length}`
    return yield* ImportOptions.run(ImportSource.items(ImportSource.sha256Of(bytes), items), remote, variant, options)
  }).pipe((program) => CommonOptions.withOverrides(program, { LOOM_DATA: data }))).pipe(
    Command.withDescription("Import the conversations of a LoCoMo file, for evaluation")
  )
