/**
 * `loom export`: the live memories of a namespace as JSONL that `loom import jsonl` takes again, oldest first. It walks by
 * cursor, so each row that stays is there once; values that a listing withholds are read by key, which is audited.
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { MemoryGet, MemoryList } from "../../src/memory/MemoryVerbs.ts"
import { MemoryView } from "../../src/memory/MemoryViewFields.ts"
import type { CliFailure } from "./CliFailure.ts"
import { cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as ExportLine from "./ExportLine.ts"
import * as ExportSpool from "./ExportSpool.ts"
import * as Output from "./Output.ts"
import * as ProgressBar from "./ProgressBar.ts"
import * as Remote from "./Remote.ts"

// Answers stay a few megabytes for ordinary facts; a page of long values is still one that a client can hold.
const PAGE = 200

const decodeView = Schema.decodeUnknown(MemoryView)

const listAnswer = cliFailure("failed", "ANSWER", "The server answers a row that is no memory")

export const exportCommand = Command.make("export", {
  namespace: CommonOptions.text("namespace", "name", "The namespace (LOOM_NAMESPACE; default: the token's)"),
  org: CommonOptions.text("org", "name", "The org (LOOM_ORG; default: the token's)"),
  prefix: CommonOptions.text("prefix", "text", "Only keys that begin with it"),
  out: CommonOptions.text("out", "file", "Write there instead of stdout"),
  json: CommonOptions.asJson
}, ({ json, namespace, org, out, prefix }) =>
  Effect.gen(function*() {
    const remote = yield* Remote.make()
    const file = Option.getOrUndefined(out)
    const scope = {
      org: Option.getOrElse(org, () => remote.scope.org),
      namespace: Option.getOrElse(namespace, () => remote.scope.namespace)
    }
    const filter = Option.isSome(prefix) ? { prefix: prefix.value } : {}
    const list = remote.calls.typed(MemoryList)
    const get = remote.calls.typed(MemoryGet)

    /** A row with its value, whatever a listing shows of it; none when it is gone by now. */
    const whole = (view: typeof MemoryView.Type): Effect.Effect<Option.Option<typeof MemoryView.Type>, CliFailure> =>
      view.value_withheld !== true
        ? Effect.succeedSome(view)
        : Remote.orFail(
          remote,
          get({ org: scope.org, namespace: view.namespace }, {
            memory_key: view.memory_key,
            agent: view.agent,
            user_id: view.user_id,
            session_id: view.session_id
          })
        ).pipe(
          Effect.flatMap((answer) =>
            answer.found ? Effect.asSome(Effect.mapError(decodeView(answer), () => listAnswer)) : Effect.succeedNone
          )
        )

    const spool = yield* ExportSpool.open(file)
    const { total } = yield* Remote.orFail(remote, list(scope, { ...filter, count_only: true }))
    const bar = yield* ProgressBar.make({ label: "export", total, before: 0 })

    const walk = (cursor: object, count: number): Effect.Effect<number, CliFailure> =>
      Effect.gen(function*() {
        const { memories, next_cursor } = yield* Remote.orFail(
          remote,
          list(scope, { ...filter, ...cursor, sort_by: "created_at", limit: PAGE })
        )
        const views = yield* Effect.forEach(memories, (row) => Effect.mapError(decodeView(row), () => listAnswer))
        const rows = yield* Effect.forEach(views, whole)
        const lines = rows.flatMap((row) => Option.isSome(row) ? [JSON.stringify(ExportLine.of(row.value))] : [])
        yield* spool.add(lines)
        yield* bar.advance(lines.length)
        return next_cursor === null ? count + lines.length : yield* walk({ cursor: next_cursor }, count + lines.length)
      })

    const exported = yield* walk({}, 0)
    yield* spool.finish
    yield* bar.end
    // Without a file the lines themselves are the result, JSON as they are.
    if (json && file !== undefined) yield* Output.json({ exported, file })
  }).pipe(Effect.scoped)).pipe(Command.withDescription("Write the live memories of a namespace as JSONL"))
