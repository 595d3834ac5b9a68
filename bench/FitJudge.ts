/**
 * `npm run judge:fit -- --pairs FILE…`: fits the model that has the judge's last word (`ClaimLastWord`) to labelled pairs
 * of English claims and writes its weights. Before that it says what the judge would make of each set of pairs when the
 * model is fitted to all the others: the figures to go by, since a model knows the pairs it was fitted to.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { cliFailure } from "../services/cli/CliFailure.ts"
import * as Output from "../services/cli/Output.ts"
import * as Stdin from "../services/cli/Stdin.ts"
import { compareByRules, parseClaim } from "../src/memory/claims/ClaimCompare.ts"
import { featuresOf, lastWord } from "../src/memory/claims/ClaimLastWord.ts"
import { likenessOf } from "../src/memory/claims/ClaimLikeness.ts"
import { objectionsTo } from "../src/memory/claims/ClaimObjections.ts"
import type { Row, Weights } from "../src/memory/claims/ClaimWeights.ts"
import { Embedder } from "../src/platform/Embedder.ts"
import * as EmbedderUseLite from "../src/platform/EmbedderUseLite.ts"
import * as EvalMain from "./support/EvalMain.ts"
import * as Logistic from "./support/Logistic.ts"

const Pair = Schema.parseJson(Schema.Struct({
  set: Schema.Int,
  class: Schema.Literal("merge", "duplicate", "conflict", "clear"),
  lang: Schema.String,
  a: Schema.NonEmptyString,
  b: Schema.NonEmptyString
}))

const classes = ["clear", "conflict", "duplicate"] as const

// What the embedder that ships measures on itself (see `ThresholdMeasure`): peers are looked at down to the first, a
// claim answers for another from the second.
const nominated = 0.478
const nearest = 0.702
// Of 0.01, 0.03 and 0.1 the penalty that recognises most rewordings of the sets left out at the same loss.
const penalty = 0.01
const steps = 1_500

const ruledPair = (pair: typeof Pair.Type, similarity: number) => {
  const [stored, written] = [parseClaim(pair.a), parseClaim(pair.b)]
  const ruled = compareByRules(stored, written, similarity)
  const likeness = likenessOf(stored, written, similarity)
  const features = featuresOf(likeness, ruled, objectionsTo(stored, written, likeness))
  return { ...pair, stored, written, similarity, ruled, likeness, features }
}
type Ruled = ReturnType<typeof ruledPair>

const embedded = (pairs: ReadonlyArray<typeof Pair.Type>) =>
  Effect.gen(function*() {
    const embedder = yield* Embedder
    return yield* Effect.forEach(pairs, (pair) =>
      Effect.map(embedder.embed([pair.a, pair.b]), ([one, other]) =>
        ruledPair(
          pair,
          one!.reduce((sum, value, at) =>
            sum + value * other![at]!, 0)
        )), { concurrency: 16 })
  }).pipe(Effect.provide(EmbedderUseLite.layer))

const example = ({ class: name, features }: Ruled): Logistic.Example => ({
  features: Object.assign({}, ...features),
  label: classes.findIndex((one) => one === name)
})

const fitTo = (pairs: ReadonlyArray<Ruled>): Weights =>
  asWeights(Logistic.fit(pairs.map(example), { classes: classes.length, penalty, steps }))

const asRow = ([clear = 0, conflict = 0, duplicate = 0]: ReadonlyArray<number>): Row => [clear, conflict, duplicate]

const asWeights = ({ bias, features }: Logistic.Fit): Weights => ({
  bias: asRow(bias),
  features: Object.fromEntries(Object.entries(features).map(([name, row]) => [name, asRow(row)]))
})

/** What the judge makes of a pair with a model. */
const verdictOf = (pair: Ruled, model: Weights): typeof classes[number] => {
  if (pair.similarity < nominated) return "clear"
  const { relation } = lastWord(pair.stored, pair.written, pair.similarity, pair.ruled, model)
  if (relation === "same") return pair.similarity >= nearest ? "duplicate" : "conflict"
  return relation === "other" ? "clear" : "conflict"
}

const percent = (part: number, whole: number) => `${(100 * part / Math.max(1, whole)).toFixed(0)} %`

const rates = (name: string, judged: ReadonlyArray<readonly [Ruled, string]>): ReadonlyArray<string> => {
  const count = (of: (pair: Ruled) => boolean, verdict?: string) =>
    judged.filter(([pair, found]) => of(pair) && (verdict === undefined || found === verdict)).length
  const is = (wanted: string) => (pair: Ruled) => pair.class === wanted
  const apart = (pair: Ruled) => pair.class !== "duplicate"
  return [
    name,
    String(judged.length),
    `${count(apart, "duplicate")} of ${count(apart)}`,
    percent(count(is("conflict"), "conflict"), count(is("conflict"))),
    percent(count(is("duplicate"), "duplicate"), count(is("duplicate"))),
    percent(count(is("clear"), "conflict"), count(is("clear")))
  ]
}

const rounded = (value: number) => Number(value.toFixed(4))

const written = ({ bias, features }: Weights): string =>
  [
    "/**",
    " * The weights of `ClaimLastWord`, by feature: for clear, conflict and duplicate. Written by `npm run judge:fit`, whose",
    " * pairs and figures ADR 0009 names; not to be edited by hand.",
    " */",
    "export type Row = readonly [clear: number, conflict: number, duplicate: number]",
    "",
    "export interface Weights {",
    "  readonly bias: Row",
    "  readonly features: Readonly<Record<string, Row>>",
    "}",
    "",
    "export const weights: Weights = {",
    `  bias: [${bias.map(rounded).join(", ")}],`,
    "  features: {",
    Object.entries(features).map(([name, row]) =>
      `    ${/^[a-zA-Z0-9]+$/.test(name) ? name : JSON.stringify(name)}: [${row.map(rounded).join(", ")}]`
    ).join(",\n"),
    "  }",
    "}",
    ""
  ].join("\n")

const command = Command.make("judge:fit", {
  files: Options.text("pairs").pipe(
    Options.atLeast(1),
    Options.withDescription("Labelled pairs with their set, JSON lines")
  ),
  out: Options.text("out").pipe(
    Options.withDefault("src/memory/claims/ClaimWeights.ts"),
    Options.withDescription("The module to write")
  ),
  check: Options.boolean("check").pipe(Options.withDescription("Only say the figures"))
}, ({ check, files, out }) =>
  Effect.gen(function*() {
    const texts = yield* Effect.forEach(files, (file) => Stdin.read(file))
    const lines = texts.flatMap((text) => new TextDecoder().decode(text).split("\n")).filter((line) =>
      line.trim() !== ""
    )
    const all = yield* Effect.forEach(lines, (line) => Schema.decodeUnknown(Pair)(line)).pipe(
      Effect.catchAll(() => cliFailure("usage", "PAIRS", "A line is no pair with its set"))
    )
    const pairs = (yield* embedded(all.filter((pair) => pair.lang === "en" && pair.class !== "merge")).pipe(
      Effect.catchAll(() => cliFailure("failed", "EMBEDDER", "The claims could not be embedded"))
    )).filter(({ stored, written }) => [stored, written].every(({ frames }) => frames.length > 0))
    const sets = [...new Set(pairs.map(({ set }) => set))].sort()
    const judged = sets.map((set) => {
      const model = fitTo(pairs.filter((pair) => pair.set !== set))
      return pairs.filter((pair) => pair.set === set).map((pair) => [pair, verdictOf(pair, model)] as const)
    })
    yield* Effect.forEach(
      Output.table([
        ["SET LEFT OUT", "PAIRS", "LOST", "CONFLICTS", "REWORDINGS", "FALSE"],
        ...sets.map((set, at) => rates(String(set), judged[at]!)),
        rates("all", judged.flat())
      ]),
      (line) => Output.note(line)
    )
    if (!check) {
      yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(out, written(fitTo(pairs)))).pipe(
        Effect.catchAll(() => cliFailure("failed", "OUT", `${out} could not be written`))
      )
    }
  })).pipe(Command.withDescription("Fits the judge's last word to labelled pairs of claims"))

EvalMain.run("judge:fit", command)
