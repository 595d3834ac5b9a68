/**
 * `npm run eval:judge -- --pairs FILE`: writes both claims of every labelled pair through the real path, each pair into a
 * fresh namespace, and prints what the judge made of the second: the confusion matrix and the rates it is held to. It
 * starts a server of its own in a folder that it removes, or asks the one of LOOM_BASE_URL with `--server`.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { cliFailure } from "../services/cli/CliFailure.ts"
import * as CommonOptions from "../services/cli/CommonOptions.ts"
import * as ImportOptions from "../services/cli/ImportOptions.ts"
import * as Logging from "../services/cli/Logging.ts"
import * as Output from "../services/cli/Output.ts"
import * as ProgressBar from "../services/cli/ProgressBar.ts"
import * as Remote from "../services/cli/Remote.ts"
import { startFailure } from "../services/cli/StartFailure.ts"
import * as Stdin from "../services/cli/Stdin.ts"
import { MemorySet } from "../src/memory/MemoryVerbs.ts"
import * as JudgedPairs from "./JudgedPairs.ts"
import * as EvalMain from "./support/EvalMain.ts"
import * as OwnServer from "./support/OwnServer.ts"

interface EvalOptions {
  readonly file: string
  readonly server: boolean
}

// Pairs under way at once: the embedder works on a few texts side by side, and each pair waits for two commits.
const AT_ONCE = 8

const evaluate = ({ file, server }: EvalOptions) =>
  Effect.gen(function*() {
    const parsed = JudgedPairs.parse(new TextDecoder().decode(yield* Stdin.read(file)))
    if (Either.isLeft(parsed)) return yield* cliFailure("usage", "PAIRS", parsed.left)
    const folder = yield* OwnServer.tempFolder
    const baseUrl = server ? undefined : yield* OwnServer.make(folder)
    const remote = yield* Remote.make({ baseUrl, retry: ImportOptions.patientRetry })
    const set = remote.calls.typed(MemorySet)
    // A namespace of an earlier run of the same file on the same server would hold its pairs already.
    const run = (yield* Clock.currentTimeMillis).toString(36)
    const bar = yield* ProgressBar.make({ label: "judged", total: parsed.right.length, before: 0 })
    const judged = yield* Effect.forEach(
      parsed.right,
      (pair, at) =>
        Effect.gen(function*() {
          const scope = { org: server ? remote.scope.org : undefined, namespace: `judge-${run}-${at}` }
          yield* Remote.orFail(remote, set(scope, { memory_key: "pair/claim/a", value: pair.a }))
          const { conflict_verdict, peers } = yield* Remote.orFail(
            remote,
            set(scope, { memory_key: "pair/claim/b", value: pair.b })
          )
          yield* bar.advance(1)
          return { pair, verdict: verdictOf(conflict_verdict), peer: peers[0] }
        }),
      { concurrency: AT_ONCE }
    )
    yield* bar.end
    return judged
  }).pipe(Effect.scoped)

type Judged = Effect.Effect.Success<ReturnType<typeof evaluate>>

const verdictOf = (verdict: typeof MemorySet.answer.Type["conflict_verdict"]): JudgedPairs.Verdict =>
  verdict === "refines" || verdict === "rejected" ? "conflict" : verdict

// What may be lost on pairs that nobody tuned the judge to.
const MOST_LOST = 0.005

const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`

const lines = (report: JudgedPairs.Report): ReadonlyArray<string> => [
  ...Output.table([
    ["CLASS", "MERGE", "DUPLICATE", "CONFLICT", "CLEAR"],
    ...Object.entries(report.matrix).map(([name, row]) => [
      name,
      String(row.merge),
      String(row.duplicate),
      String(row.conflict),
      String(row.clear)
    ])
  ]),
  `${report.pairs} pairs: ${percent(report.loss_rate)} lost as merge or duplicate, ` +
  `${percent(report.conflict_flagged)} of conflicts flagged, ` +
  `${percent(report.duplicate_recognised)} of rewordings recognised, ` +
  `${percent(report.false_conflict)} of compatible or unrelated pairs flagged.`
]

const wrongLines = (judged: Judged): ReadonlyArray<string> =>
  judged.filter((one) => !JudgedPairs.isRight(one)).map(({ pair, peer, verdict }) =>
    `${pair.class} -> ${verdict} ${peer === undefined ? "(no peer)" : `${peer.similarity} ${peer.reason}`}\n` +
    `    ${pair.a}\n    ${pair.b}`
  )

const command = Command.make("eval:judge", {
  file: Options.text("pairs").pipe(
    Options.withPseudoName("file"),
    Options.withDescription("Labelled pairs: TSV (class, a, b) or JSON lines")
  ),
  server: Options.boolean("server").pipe(
    Options.withDescription("Ask the server of LOOM_BASE_URL instead of an own one")
  ),
  wrong: Options.boolean("wrong").pipe(
    Options.withDescription("List the pairs that were judged otherwise than their class calls for")
  ),
  check: Options.boolean("check").pipe(
    Options.withDescription("Fail when more than 0.5 % are lost as merge or duplicate")
  ),
  json: CommonOptions.asJson
}, ({ check, json, wrong, ...options }) =>
  Effect.gen(function*() {
    const logging = yield* Effect.mapError(Logging.config, (error) => startFailure(error))
    const judged = yield* Effect.provide(evaluate(options), Logging.layer(logging))
    const report = JudgedPairs.report(judged)
    yield* Output.result(json, report, () => [...(wrong ? wrongLines(judged) : []), ...lines(report)])
    if (check && report.loss_rate > MOST_LOST) {
      return yield* cliFailure("failed", "LOST", `${percent(report.loss_rate)} of the pairs would lose a claim`)
    }
  })).pipe(Command.withDescription("What the write judge makes of labelled pairs of claims"))

EvalMain.run("eval:judge", command)
