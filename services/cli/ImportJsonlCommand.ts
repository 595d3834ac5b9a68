/**
 * `loom import jsonl`: one `memory.set` payload a line, or a row as `loom export` and `memory.list` show it.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommonOptions from "./CommonOptions.ts"
import * as ImportOptions from "./ImportOptions.ts"
import * as ImportSource from "./ImportSource.ts"
import * as Remote from "./Remote.ts"
import * as Stdin from "./Stdin.ts"

export const importJsonlCommand = Command.make("jsonl", {
  file: Args.text({ name: "file" }).pipe(Args.withDescription("The file, or `-` for stdin")),
  namespace: CommonOptions.text("namespace", "name", "Where all of it goes, whatever namespace a line names"),
  ...ImportOptions.shared
}, ({ data, file, namespace, ...options }) =>
  Effect.gen(function*() {
    const bytes = yield* Stdin.read(file)
    const now = yield* Clock.currentTimeMillis
    const remote = yield* Remote.make({ retry: ImportOptions.patientRetry })
    const into = Option.getOrUndefined(namespace)
    return yield* ImportOptions.run(ImportSource.jsonl(bytes, into, now), remote, `jsonl ${into ?? ""}`, options)
  }).pipe((program) => CommonOptions.withOverrides(program, { LOOM_DATA: data }))).pipe(
    Command.withDescription("Import memories, one JSON object a line")
  )
