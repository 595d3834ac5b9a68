/**
 * `npm run eval:extract -- --data FILE`: extracts the facts of every session of a LoCoMo file, judges whether the turns that
 * each cites bear it, and asks the questions of the file through the facts and through the turns. Everything happens in this
 * process; nothing is stored. A sample of facts is printed with its turns, for a person to read.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { cliFailure } from "../services/cli/CliFailure.ts"
import * as CommonOptions from "../services/cli/CommonOptions.ts"
import type { LocomoConversation, LocomoSession } from "../services/cli/Locomo.ts"
import * as Locomo from "../services/cli/Locomo.ts"
import * as Logging from "../services/cli/Logging.ts"
import * as Output from "../services/cli/Output.ts"
import * as ProgressBar from "../services/cli/ProgressBar.ts"
import { startFailure } from "../services/cli/StartFailure.ts"
import * as Stdin from "../services/cli/Stdin.ts"
import type { Turn } from "../src/conversation/TurnModel.ts"
import { Extractor } from "../src/extraction/Extractor.ts"
import type { Transcript } from "../src/extraction/FactModel.ts"
import { layerRules } from "../src/extraction/RuleExtractor.ts"
import { Embedder } from "../src/platform/Embedder.ts"
import * as EmbedderConfig from "../src/platform/EmbedderConfig.ts"
import { faultsOf } from "./ExtractEvidence.ts"
import * as Ranking from "./ExtractRanking.ts"
import * as Report from "./ExtractReport.ts"
import * as LocomoRecall from "./LocomoRecall.ts"
import * as EvalMain from "./support/EvalMain.ts"

// Where recall is told; the middle one is the headline.
const KS = [5, 10, 20] as const
const HEADLINE = 10
const SAMPLE = 20
// Questions under way at once share batches of the embedder.
const AT_ONCE = 16

interface EvalOptions {
  readonly file: string
  readonly every: number
  readonly sessions: number
  readonly skip: number
  readonly limit: number
}

const SCOPE = { org: "eval", namespace: "eval" }

/** A session as a transcript of two speakers; none of them is the user of a store. */
const transcriptOf = (session: LocomoSession): Transcript => ({
  scope: SCOPE,
  user: "",
  observed_at: session.time,
  turns: session.turns.map((turn, at): Turn => ({
    ...SCOPE,
    agent: "",
    user_id: "-",
    session_id: `session-${session.number}`,
    turn_id: turn.dia_id,
    position: BigInt(at),
    role: "user",
    speaker: turn.speaker,
    content: turn.text,
    content_sha256: "",
    at: session.time,
    recorded_at: 0,
    sensitivity: "none",
    actor: "process:eval",
    run_id: "",
    source_resource_id: ""
  }))
})

const judge = (conversation: LocomoConversation, session: LocomoSession) =>
  Effect.gen(function*() {
    const extractor = yield* Extractor
    const { facts, refused } = yield* extractor.extract(transcriptOf(session))
    const turns = new Map(session.turns.map((turn) => [turn.dia_id, turn]))
    return {
      conversation: conversation.id,
      session: session.number,
      turns: session.turns.length,
      refused: refused.map(({ code }) => code),
      facts: facts.map((fact) => {
        const cited = fact.turn_ids.flatMap((id) => {
          const turn = turns.get(id)
          return turn === undefined ? [] : [{ speaker: turn.speaker, text: turn.text, time: session.time }]
        })
        return { fact, cited, faults: faultsOf(fact, cited) }
      })
    }
  })

type Judged = Effect.Effect.Success<ReturnType<typeof judge>>

const evaluate = (options: EvalOptions) =>
  Effect.gen(function*() {
    const parsed = Locomo.parse(new TextDecoder().decode(yield* Stdin.read(options.file)))
    if (Either.isLeft(parsed)) return yield* cliFailure("usage", "FILE", `${options.file}: ${parsed.left}`)
    const conversations = parsed.right.slice(options.skip, options.skip + options.limit).map((conversation) => ({
      ...conversation,
      sessions: conversation.sessions.filter(({ turns }) => turns.length > 0).slice(0, options.sessions)
    }))
    const extractor = yield* Extractor
    const total = conversations.reduce((sum, { sessions }) => sum + sessions.length, 0)
    const bar = yield* ProgressBar.make({ label: "sessions extracted", total, before: 0 })
    const judged: Array<Judged> = []
    for (const conversation of conversations) {
      for (const session of conversation.sessions) {
        judged.push(yield* judge(conversation, session))
        yield* bar.advance(1)
      }
    }
    yield* bar.end

    const { questions } = LocomoRecall.questionsOf(conversations)
    const asked = questions.filter((_, at) => at % options.every === 0)
    const embedder = yield* Embedder
    const asking = yield* ProgressBar.make({ label: "questions asked", total: asked.length, before: 0 })
    const scored = yield* Effect.forEach(conversations, (conversation) =>
      Effect.gen(function*() {
        const own = asked.filter((one) => one.conversation === conversation)
        if (own.length === 0) return []
        const corpus = (texts: ReadonlyArray<{ readonly text: string; readonly turns: ReadonlyArray<string> }>) =>
          Effect.map(embedder.embed(texts.map(({ text }) => text)), (vectors) =>
            Ranking.corpusOf(texts.map(({ text, turns }, at) => ({
              text,
              turns: new Set(turns),
              vector: vectors[at] ?? new Float32Array()
            }))))
        const facts = judged.filter((session) => session.conversation === conversation.id)
          .flatMap((session) =>
            session.facts.map(({ fact }) => ({ text: fact.text, turns: fact.turn_ids }))
          )
        const turns = conversation.sessions.flatMap((session) =>
          session.turns.map((turn) => ({ text: Locomo.turnText(session, turn), turns: [turn.dia_id] }))
        )
        const [byFacts, byTurns] = [yield* corpus(facts), yield* corpus(turns)]
        const covered = new Set(facts.flatMap((fact) => fact.turns))
        return yield* Effect.forEach(own, ({ gold, question }) =>
          Effect.gen(function*() {
            const vector = yield* embedder.embedQuery(question.question)
            const recall = (found: ReadonlyArray<ReadonlySet<string>>) =>
              new Map(KS.map((k) => [k, LocomoRecall.recallAt(k, gold, found)]))
            const scores = {
              facts: { category: question.category, recall: recall(Ranking.rank(byFacts, question.question, vector)) },
              turns: { category: question.category, recall: recall(Ranking.rank(byTurns, question.question, vector)) },
              covered: [...gold].filter((turn) => covered.has(turn)).length / gold.size
            }
            yield* asking.advance(1)
            return scores
          }), { concurrency: AT_ONCE })
      }))
    yield* asking.end
    const all = scored.flat()
    const byFacts = LocomoRecall.report(all.map(({ facts }) => facts), KS).recall
    const byTurns = LocomoRecall.report(all.map(({ turns }) => turns), KS).recall
    return {
      judged,
      report: {
        extractor: extractor.name,
        conversations: conversations.length,
        ...Report.figuresOf(judged),
        questions: all.length,
        recall_facts: byFacts[String(HEADLINE)] ?? 0,
        recall_turns: byTurns[String(HEADLINE)] ?? 0,
        recall_facts_by_k: byFacts,
        recall_turns_by_k: byTurns,
        // No fact of another turn can find these: the most that facts could reach.
        gold_cited: all.length === 0 ? 0 : all.reduce((sum, { covered }) => sum + covered, 0) / all.length,
        by_conversation: conversations.map(({ id }) => ({
          conversation: id,
          ...Report.figuresOf(judged.filter(({ conversation }) => conversation === id))
        })),
        by_session: judged.map(({ conversation, facts, session, turns }) => ({
          conversation,
          session,
          turns,
          facts: facts.length,
          right: facts.filter(({ faults }) => faults.length === 0).length
        }))
      }
    }
  })

type Evaluated = Effect.Effect.Success<ReturnType<typeof evaluate>>

const share = (value: number | null): string => value === null ? "-" : value.toFixed(4)

const lines = ({ judged, report }: Evaluated): ReadonlyArray<string> => [
  ...Report.sampleOf(judged.flatMap((session) => session.facts), SAMPLE).flatMap(({ cited, fact, faults }) => [
    `${faults.length === 0 ? "right" : `WRONG (${faults.join()})`}  ${fact.text}  [${fact.subject}: ${fact.attribute}]`,
    ...cited.map(({ speaker, text }) => `    ${speaker}: ${text.replace(/\s+/g, " ").slice(0, 300)}`)
  ]),
  "",
  ...Output.table([
    ["CONVERSATION", "SESSIONS", "FACTS", "A SESSION", "EVIDENCE RIGHT", "WITHOUT"],
    ...[...report.by_conversation, { ...report, conversation: "all" }].map((one) => [
      one.conversation,
      String(one.sessions),
      String(one.facts),
      one.facts_per_session.toFixed(2),
      share(one.evidence_right),
      String(one.sessions_without_facts)
    ])
  ]),
  `Faults: ${JSON.stringify(report.faults)}. Refused: ${JSON.stringify(report.refused)}.`,
  ...Output.table([
    ["RECALL OF EVIDENCE", ...KS.map((k) => `@${k}`)],
    ["through facts", ...KS.map((k) => (report.recall_facts_by_k[String(k)] ?? 0).toFixed(4))],
    ["through turns", ...KS.map((k) => (report.recall_turns_by_k[String(k)] ?? 0).toFixed(4))]
  ]),
  `${report.questions} questions; facts cite ${share(report.gold_cited)} of the turns that hold their evidence.`
]

const command = Command.make("eval:extract", {
  file: Options.text("data").pipe(Options.withPseudoName("file"), Options.withDescription("The LoCoMo file")),
  every: Options.integer("every").pipe(
    Options.withDescription("Ask only every so many questions, for a quick look"),
    Options.withDefault(1)
  ),
  sessions: Options.integer("sessions").pipe(
    Options.withDescription("Only the first so many sessions of a conversation"),
    Options.withDefault(Number.MAX_SAFE_INTEGER)
  ),
  skip: Options.integer("skip").pipe(
    Options.withDescription("Leave out the first so many conversations"),
    Options.withDefault(0)
  ),
  limit: Options.integer("limit").pipe(
    Options.withDescription("Only so many conversations"),
    Options.withDefault(Number.MAX_SAFE_INTEGER)
  ),
  json: CommonOptions.asJson
}, ({ json, ...options }) =>
  Effect.gen(function*() {
    for (
      const [name, value, least] of [["every", options.every, 1], ["sessions", options.sessions, 1], [
        "skip",
        options.skip,
        0
      ], ["limit", options.limit, 1]] as const
    ) {
      if (value < least) return yield* cliFailure("usage", "USAGE", `--${name} takes a number from ${least}`)
    }
    const logging = yield* Effect.mapError(Logging.config, (error) => startFailure(error))
    const evaluated = yield* evaluate(options).pipe(
      Effect.provide(layerRules),
      Effect.provide(EmbedderConfig.layerConfig),
      Effect.provide(Logging.layer(logging)),
      Effect.catchTags({
        ConfigError: (error) => Effect.fail(startFailure(error)),
        Corrupt: (error) => cliFailure("failed", "EMBEDDER", error.message),
        Overloaded: (error) => cliFailure("failed", "EMBEDDER", error.message),
        Refusal: (error) => cliFailure("failed", "EMBEDDER", error.message),
        Unavailable: (error) => cliFailure("failed", "EMBEDDER", error.message)
      })
    )
    yield* Output.result(json, evaluated.report, () => lines(evaluated))
  })).pipe(Command.withDescription(
    "What extraction finds in the sessions of a LoCoMo file, and how much of it their turns bear. Examples: " +
      "`npm run eval:extract -- --data conversations.json`, " +
      "`npm run eval:extract -- --data conversations.json --skip 2 --every 10 --json`"
  ))

EvalMain.run("eval:extract", command)
