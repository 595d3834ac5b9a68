/**
 * `npm run eval:locomo -- --data FILE`: imports every conversation of a LoCoMo file as `loom import locomo` does, asks
 * every non-adversarial question in its namespace and prints how much of the evidence is found, how often the answer
 * abstains, what the excerpts hold and how well the relevance is calibrated. It starts a server of its
 * own in a folder that it removes, or asks the one of LOOM_BASE_URL with `--server`.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
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
import { LEGS } from "../src/retrieval/SearchModel.ts"
import type { LegName } from "../src/retrieval/SearchModel.ts"
import { MemorySearch } from "../src/retrieval/SearchVerbs.ts"
import * as Memories from "./LocomoMemories.ts"
import * as LocomoRecall from "./LocomoRecall.ts"
import * as EvalMain from "./support/EvalMain.ts"
import * as OwnServer from "./support/OwnServer.ts"

/** Which units of evidence a key of the store answers for: its own, and those whose claim it took over. */
const unitsByKey = (memories: ReadonlyArray<Memories.EvalMemory>) => {
  const at = (namespace: string, memory_key: string) => `${namespace} ${memory_key}`
  const units = new Map(memories.map((memory) => [at(memory.namespace, memory.memory_key), new Set(memory.units)]))
  return {
    onReceipts: (receipts: ReadonlyArray<ImportReceipt>) => {
      for (const { answered_by, memory_key, namespace } of receipts) {
        if (answered_by === null || memory_key === null || namespace === null) continue
        const taken = units.get(at(namespace, memory_key)) ?? []
        units.set(at(namespace, answered_by), new Set([...units.get(at(namespace, answered_by)) ?? [], ...taken]))
      }
    },
    of: (namespace: string, memory_key: string): ReadonlySet<string> =>
      units.get(at(namespace, memory_key)) ?? new Set<string>()
  }
}

/** What a search may say beside its hits; a server that does not say it abstains from nothing. */
const Said = Schema.Struct({
  abstain: Schema.optional(Schema.Boolean),
  results: Schema.Array(Schema.Struct({ relevance: Schema.optional(Schema.NullOr(Schema.Number)) }))
})
const saidBy = Schema.decodeUnknown(Said)

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10

interface EvalOptions {
  readonly file: string
  readonly server: boolean
  readonly prefix: string
  readonly limit: Option.Option<number>
  readonly fold: Option.Option<number>
  readonly mode: Memories.Mode
  readonly excerpt: Option.Option<number>
  readonly ks: ReadonlyArray<number>
  readonly legs: ReadonlyArray<LegName>
  readonly ablate: boolean
}

const evaluate = (options: EvalOptions) =>
  Effect.gen(function*() {
    const { file, ks, mode, prefix } = options
    const bytes = yield* Stdin.read(file)
    const all = Memories.inFold(yield* conversationsOf(file, bytes), Option.getOrUndefined(options.fold))
    const conversations = all.slice(0, Option.getOrElse(options.limit, () => all.length))
    const folder = yield* OwnServer.tempFolder
    const baseUrl = options.server ? undefined : yield* OwnServer.make(folder)
    const found = yield* Remote.make({ baseUrl, retry: ImportOptions.patientRetry })
    const remote = options.server ? found : { ...found, scope: { org: undefined, namespace: undefined } }

    yield* register(remote, prefix, conversations)
    const memories = conversations.flatMap((conversation) => Memories.memoriesOf(mode, prefix, conversation))
    const units = unitsByKey(memories)
    const imported = yield* ImportRun.run({
      source: ImportSource.items(ImportSource.sha256Of(bytes), memories.map(({ item }) => item)),
      remote,
      variant: `locomo ${mode} ${prefix}`,
      // Progress of an evaluation is not worth keeping: its receipts are needed whole.
      receipts: join(folder, "receipts.jsonl"),
      fresh: false,
      concurrency: 4,
      // A session counts as many turns do.
      batch: mode === "sessions" ? 10 : 100,
      onReceipts: units.onReceipts
    })

    const { cleaned, questions, skipped } = LocomoRecall.questionsOf(conversations)
    const usable = questions.flatMap(({ conversation, gold, question }) => {
      const namespace = Locomo.namespaceOf(prefix, conversation)
      const wanted = new Set([...gold].map((id) => Memories.unitOf(mode, id)))
      const some = memories.some((memory) => memory.namespace === namespace && intersects(memory.units, wanted))
      const known = new Set(
        [...wanted].filter((unit) => memories.some((one) => one.namespace === namespace && one.units.has(unit)))
      )
      return some ? [{ conversation, turns: gold, gold: wanted, known, namespace, question }] : []
    })
    const search = remote.calls.typed(MemorySearch)
    const millis: Array<number> = []
    const ask = (namespace: string, query: string, legs: ReadonlyArray<LegName>) =>
      Effect.gen(function*() {
        const began = yield* Clock.currentTimeNanos
        const answer = yield* Remote.orFail(
          remote,
          search({ org: remote.scope.org, namespace }, {
            query,
            top_k: Math.max(...ks),
            ...legs.length === 0 ? {} : { legs },
            ...Option.isNone(options.excerpt) ? {} : { max_excerpt_chars: options.excerpt.value }
          })
        )
        millis.push(Number((yield* Clock.currentTimeNanos) - began) / 1e6)
        const said = yield* saidBy(answer).pipe(Effect.orElseSucceed((): typeof Said.Type => ({ results: [] })))
        return { answer, abstained: said.abstain === true, relevance: said.results.map(({ relevance }) => relevance) }
      })

    const textAt = new Map(memories.map(({ memory_key, namespace, value }) => [`${namespace} ${memory_key}`, value]))
    const judged: Array<LocomoRecall.Judged> = []
    const sentences: Array<boolean> = []
    const wholeTurns: Array<boolean> = []
    /** Recall with some legs, the default ones when none is named; the first pass also judges excerpts and relevance. */
    const pass = (legs: ReadonlyArray<LegName>, isFirst: boolean) =>
      Effect.gen(function*() {
        const bar = yield* ProgressBar.make({ label: `asked ${legs.join()}`, total: usable.length, before: 0 })
        const scored = yield* Effect.forEach(usable, ({ conversation, gold, known, namespace, question, turns }) =>
          Effect.gen(function*() {
            const { abstained, answer, relevance } = yield* ask(namespace, question.question, legs)
            yield* bar.advance(1)
            const found = answer.results.map(({ memory_key }) => units.of(namespace, memory_key))
            const evidence = conversation.sessions.flatMap((session) =>
              session.turns
            )
              .filter(({ dia_id }) => turns.has(dia_id))
            for (const [at, { content_excerpt, memory_key }] of isFirst ? answer.results.entries() : []) {
              const isGold = intersects(found[at] ?? new Set(), gold)
              const sure = relevance[at]
              if (sure !== undefined && sure !== null) judged.push({ relevance: sure, gold: isGold })
              const value = textAt.get(`${namespace} ${memory_key}`) ?? ""
              const within = evidence.filter(({ text }) => Memories.holds(value, text))
              if (!isGold || within.length === 0 || value.trim().length <= content_excerpt.length) continue
              sentences.push(
                within.some(({ text }) => Memories.holds(content_excerpt, Memories.evidenceSentence(text, question)))
              )
              wholeTurns.push(within.some(({ text }) => Memories.holds(content_excerpt, text)))
            }
            return {
              abstained,
              category: question.category,
              recall: new Map(ks.map((k) => [k, LocomoRecall.recallAt(k, gold, found)])),
              recallOfKnown: new Map(ks.map((k) => [k, LocomoRecall.recallAt(k, known, found)]))
            }
          }))
        yield* bar.end
        return scored
      })

    const scored = yield* pass(options.legs, true)
    millis.sort((left, right) => left - right)
    const search_ms = { p50: percentile(millis, 0.5), p95: percentile(millis, 0.95) }

    const abstainedOn = (asked: ReadonlyArray<readonly [namespace: string, query: string]>) =>
      Effect.map(
        Effect.forEach(asked, ([namespace, query]) => ask(namespace, query, options.legs)),
        (answers) => LocomoRecall.shareOf(answers.map(({ abstained }) => abstained))
      )
    // The questions of the next conversation are asked in this one's namespace.
    const foreign = conversations.length < 2 ? [] : conversations.flatMap((conversation, at) => {
      const other = conversations[(at + 1) % conversations.length]
      return usable.filter((one) => one.conversation === other).map(({ question }) =>
        [Locomo.namespaceOf(prefix, conversation), question.question] as const
      )
    })
    const adversarial = conversations.flatMap((conversation) =>
      conversation.questions.filter(({ category }) => category === LocomoRecall.ADVERSARIAL).map(({ question }) =>
        [Locomo.namespaceOf(prefix, conversation), question] as const
      )
    )
    const abstained = {
      answerable: LocomoRecall.shareOf(scored.map(({ abstained }) => abstained)),
      foreign: yield* abstainedOn(foreign),
      adversarial: yield* abstainedOn(adversarial)
    }
    const ablations = yield* Effect.forEach(options.ablate ? LocomoRecall.ablations(LEGS) : [], (legs) =>
      Effect.map(pass(legs, false), (scored) => ({ legs, recall: LocomoRecall.report(scored, ks).recall })))
    return {
      mode,
      legs: options.legs,
      ...LocomoRecall.report(scored, ks),
      // Of the evidence that some memory stands for: a fact may not cite every turn that a question rests on.
      recall_of_stored: LocomoRecall.report(
        scored.map(({ category, recallOfKnown }) => ({ category, recall: recallOfKnown })),
        ks
      ).recall,
      ablations,
      abstained,
      excerpt_holds_evidence: LocomoRecall.shareOf(sentences),
      excerpt_holds_turn: LocomoRecall.shareOf(wholeTurns),
      excerpts_judged: sentences.length,
      calibration_error: LocomoRecall.calibrationError(judged),
      skipped: { ...skipped, questions: skipped.questions + questions.length - usable.length },
      cleaned,
      conversations: conversations.length,
      memories: memories.length,
      imported,
      search_ms
    }
  }).pipe(Effect.scoped)

const intersects = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  [...left].some((one) => right.has(one))

type Report = Effect.Effect.Success<ReturnType<typeof evaluate>>

const lines = (report: Report, ks: ReadonlyArray<number>): ReadonlyArray<string> => {
  const cells = (recall: LocomoRecall.RecallByK) => ks.map((k) => (recall[String(k)] ?? 0).toFixed(4))
  return [
    `${report.conversations} conversations, ${report.memories} ${report.mode}, ${report.questions} questions`,
    ...Output.table([
      ["EVIDENCE RECALL", "QUESTIONS", ...ks.map((k) => `@${k}`)],
      ...Object.entries(report.by_category).map(([category, { name, questions, recall }]) => [
        `${category} ${name}`,
        String(questions),
        ...cells(recall)
      ]),
      ["all", String(report.questions), ...cells(report.recall)],
      ["all, of stored evidence", String(report.questions), ...cells(report.recall_of_stored)]
    ]),
    ...report.ablations.length === 0 ? [] : Output.table([
      ["LEGS", ...ks.map((k) => `@${k}`)],
      ...report.ablations.map(({ legs, recall }) => [legs.join(), ...cells(recall)])
    ]),
    `Abstained on: ${told(report.abstained.answerable)} of the answerable questions, ` +
    `${told(report.abstained.foreign)} of another conversation's, ${told(report.abstained.adversarial)} of the ` +
    "adversarial ones.",
    `The evidence sentence stands in ${told(report.excerpt_holds_evidence)} of the excerpts of ` +
    `${report.excerpts_judged} longer values found, the whole turn in ${told(report.excerpt_holds_turn)}.`,
    `Calibration error of the relevance: ${told(report.calibration_error)}.`,
    `Skipped: ${report.skipped.questions} questions without usable evidence, ${report.skipped.evidence} evidence ids ` +
    `that name no turn; ${report.cleaned} ids read as they were meant.`,
    `A search took ${report.search_ms.p50} ms (p95 ${report.search_ms.p95} ms), one after the other.`
  ]
}

const told = (value: number | null): string => value === null ? "(none told)" : value.toFixed(4)

const legsOf = (text: string): ReadonlyArray<LegName> | null => {
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "")
  const legs = LEGS.filter((leg) => names.includes(leg))
  return legs.length === new Set(names).size ? legs : null
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
  mode: Options.choice("mode", Memories.MODES).pipe(
    Options.withDescription("What a memory is: a turn, an extracted fact, or a whole session (default turns)"),
    Options.withDefault("turns" as const)
  ),
  fold: Options.integer("fold").pipe(
    Options.withDescription("Only the even (0) or the odd (1) conversations"),
    Options.optional
  ),
  excerpt: Options.integer("excerpt").pipe(
    Options.withDescription("The longest excerpt to ask for, in characters; the server's default else"),
    Options.optional
  ),
  legs: Options.text("legs").pipe(
    Options.withDescription(`Only these ways of searching, of ${LEGS.join(", ")}`),
    Options.withDefault("")
  ),
  ablate: Options.boolean("ablate").pipe(
    Options.withDescription("Also tell the recall of all legs, without each, and of each alone")
  ),
  json: CommonOptions.asJson
}, ({ json, k, legs: names, ...options }) =>
  Effect.gen(function*() {
    const legs = legsOf(names)
    if (legs === null) {
      return yield* cliFailure("usage", "USAGE", `--legs takes ${LEGS.join(", ")}, separated by commas`)
    }
    if (Option.isSome(options.fold) && options.fold.value !== 0 && options.fold.value !== 1) {
      return yield* cliFailure("usage", "USAGE", "--fold takes 0 or 1")
    }
    const ks = ksOf(k)
    if (ks.some((one) => !Number.isInteger(one) || one < 1 || one > 100)) {
      return yield* cliFailure("usage", "USAGE", "--k takes whole numbers from 1 to 100, separated by commas")
    }
    const logging = yield* Effect.mapError(Logging.config, (error) => startFailure(error))
    const report = yield* Effect.provide(evaluate({ ...options, ks, legs }), Logging.layer(logging))
    yield* Output.result(json, report, () => lines(report, ks))
    const outside = report.imported.refused + report.imported.failed
    if (outside > 0) return yield* cliFailure("failed", "IMPORT", `${outside} memories did not go in`)
  })).pipe(Command.withDescription("Evidence recall of memory.search on a LoCoMo file"))

EvalMain.run("eval:locomo", command)
