/**
 * `npm run eval:locomo -- --data FILE`: imports every conversation of a LoCoMo file as `loom import locomo` does, asks
 * every non-adversarial question in its namespace and prints how much of the evidence is found. It starts a server of its
 * own in a folder that it removes, or asks the one of LOOM_BASE_URL with `--server`.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { join } from "node:path"
import { cliFailure } from "../services/cli/CliFailure.ts"
import * as CommonOptions from "../services/cli/CommonOptions.ts"
import { conversationsOf, DEFAULT_PREFIX, register } from "../services/cli/ImportLocomoCommand.ts"
import * as ImportOptions from "../services/cli/ImportOptions.ts"
import type { ImportReceipt } from "../services/cli/ImportReceipt.ts"
import * as ImportRun from "../services/cli/ImportRun.ts"
import * as ImportSource from "../services/cli/ImportSource.ts"
import * as Locomo from "../services/cli/Locomo.ts"
import * as Logging from "../services/cli/Logging.ts"
import * as Output from "../services/cli/Output.ts"
import * as ProgressBar from "../services/cli/ProgressBar.ts"
import * as Remote from "../services/cli/Remote.ts"
import { startFailure } from "../services/cli/StartFailure.ts"
import * as Stdin from "../services/cli/Stdin.ts"
import { MemorySearch } from "../src/retrieval/SearchVerbs.ts"
import * as LocomoRecall from "./LocomoRecall.ts"
import * as EvalMain from "./support/EvalMain.ts"
import * as OwnServer from "./support/OwnServer.ts"

/** Which turns a key of the store answers for: its own, and those whose claim it took over. */
const turnsByKey = () => {
  const taken = new Map<string, Array<string>>()
  return {
    onReceipts: (receipts: ReadonlyArray<ImportReceipt>) => {
      for (const { answered_by, memory_key, namespace } of receipts) {
        if (answered_by === null || memory_key === null) continue
        const key = `${namespace} ${answered_by}`
        taken.set(key, [...taken.get(key) ?? [], Locomo.diaIdOf(memory_key)])
      }
    },
    of: (namespace: string, memory_key: string): ReadonlySet<string> =>
      new Set([Locomo.diaIdOf(memory_key), ...taken.get(`${namespace} ${memory_key}`) ?? []])
  }
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10

interface EvalOptions {
  readonly file: string
  readonly server: boolean
  readonly prefix: string
  readonly limit: Option.Option<number>
  readonly ks: ReadonlyArray<number>
}

const evaluate = (options: EvalOptions) =>
  Effect.gen(function*() {
    const { file, ks, prefix } = options
    const bytes = yield* Stdin.read(file)
    const all = yield* conversationsOf(file, bytes)
    const conversations = all.slice(0, Option.getOrElse(options.limit, () => all.length))
    const folder = yield* OwnServer.tempFolder
    const baseUrl = options.server ? undefined : yield* OwnServer.make(folder)
    const found = yield* Remote.make({ baseUrl, retry: ImportOptions.patientRetry })
    const remote = options.server ? found : { ...found, scope: { org: undefined, namespace: undefined } }

    yield* register(remote, prefix, conversations)
    const turns = turnsByKey()
    const items = conversations.flatMap((conversation) => Locomo.items(prefix, conversation))
    const imported = yield* ImportRun.run({
      source: ImportSource.items(ImportSource.sha256Of(bytes), items),
      remote,
      variant: `locomo ${prefix}`,
      // Progress of an evaluation is not worth keeping: its receipts are needed whole.
      receipts: join(folder, "receipts.jsonl"),
      fresh: false,
      concurrency: 4,
      batch: 100,
      onReceipts: turns.onReceipts
    })

    const { cleaned, questions, skipped } = LocomoRecall.questionsOf(conversations)
    const search = remote.calls.typed(MemorySearch)
    const bar = yield* ProgressBar.make({ label: "asked", total: questions.length, before: 0 })
    const millis: Array<number> = []
    const scored = yield* Effect.forEach(questions, ({ conversation, gold, question }) =>
      Effect.gen(function*() {
        const namespace = Locomo.namespaceOf(prefix, conversation)
        const began = yield* Clock.currentTimeNanos
        const { results } = yield* Remote.orFail(
          remote,
          search({ org: remote.scope.org, namespace }, { query: question.question, top_k: Math.max(...ks) })
        )
        millis.push(Number((yield* Clock.currentTimeNanos) - began) / 1e6)
        yield* bar.advance(1)
        const found = results.map(({ memory_key }) => turns.of(namespace, memory_key))
        return {
          category: question.category,
          recall: new Map(ks.map((k) => [k, LocomoRecall.recallAt(k, gold, found)]))
        }
      }))
    yield* bar.end
    millis.sort((left, right) => left - right)
    return {
      ...LocomoRecall.report(scored, ks),
      skipped,
      cleaned,
      conversations: conversations.length,
      turns: items.length,
      imported,
      search_ms: { p50: percentile(millis, 0.5), p95: percentile(millis, 0.95) }
    }
  }).pipe(Effect.scoped)

type Report = Effect.Effect.Success<ReturnType<typeof evaluate>>

const lines = (report: Report, ks: ReadonlyArray<number>): ReadonlyArray<string> => {
  const cells = (recall: LocomoRecall.RecallByK) => ks.map((k) => (recall[String(k)] ?? 0).toFixed(4))
  return [
    `${report.conversations} conversations, ${report.turns} turns, ${report.questions} questions`,
    ...Output.table([
      ["EVIDENCE RECALL", "QUESTIONS", ...ks.map((k) => `@${k}`)],
      ...Object.entries(report.by_category).map(([category, { name, questions, recall }]) => [
        `${category} ${name}`,
        String(questions),
        ...cells(recall)
      ]),
      ["all", String(report.questions), ...cells(report.recall)]
    ]),
    `Skipped: ${report.skipped.questions} questions without usable evidence, ${report.skipped.evidence} evidence ids ` +
    `that name no turn; ${report.cleaned} ids read as they were meant.`,
    `A search took ${report.search_ms.p50} ms (p95 ${report.search_ms.p95} ms), one after the other.`
  ]
}

const ksOf = (text: string): ReadonlyArray<number> => text.split(",").map(Number)

const command = Command.make("eval:locomo", {
  file: Options.text("data").pipe(Options.withPseudoName("file"), Options.withDescription("The LoCoMo file")),
  server: Options.boolean("server").pipe(
    Options.withDescription("Ask the server of LOOM_BASE_URL instead of an own one")
  ),
  prefix: Options.text("namespace-prefix").pipe(Options.withDefault(DEFAULT_PREFIX)),
  limit: Options.integer("limit").pipe(
    Options.withDescription("Only the first so many conversations"),
    Options.optional
  ),
  k: Options.text("k").pipe(
    Options.withDescription("The numbers of results that recall is told at (default 5,10,20)"),
    Options.withDefault("5,10,20")
  ),
  json: CommonOptions.asJson
}, ({ json, k, ...options }) =>
  Effect.gen(function*() {
    const ks = ksOf(k)
    if (ks.some((one) => !Number.isInteger(one) || one < 1 || one > 100)) {
      return yield* cliFailure("usage", "USAGE", "--k takes whole numbers from 1 to 100, separated by commas")
    }
    const logging = yield* Effect.mapError(Logging.config, (error) => startFailure(error))
    const report = yield* Effect.provide(evaluate({ ...options, ks }), Logging.layer(logging))
    yield* Output.result(json, report, () => lines(report, ks))
    const outside = report.imported.refused + report.imported.failed
    if (outside > 0) return yield* cliFailure("failed", "IMPORT", `${outside} turns did not go in`)
  })).pipe(Command.withDescription("Evidence recall of memory.search on a LoCoMo file"))

EvalMain.run("eval:locomo", command)
