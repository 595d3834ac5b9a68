/**
 * The help page of a command, read off its declaration: usage with the whole path, one line an option, examples. The
 * library's own page repeats a remark on types under every option, colours its output whatever NO_COLOR says, and names
 * a subcommand without its parents.
 */
import type * as CliConfig from "@effect/cli/CliConfig"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"
import * as Usage from "@effect/cli/Usage"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import { commandOrder, examplesOf } from "./HelpExamples.ts"

type Command = Descriptor.Command<unknown>

interface Place {
  /** The words that lead to the command, `loom` first. */
  readonly path: ReadonlyArray<string>
  readonly command: Command
  readonly children: ReadonlyArray<readonly [name: string, command: Command]>
}

const childrenOf = (command: Command): Place["children"] =>
  [...HashMap.toEntries(Descriptor.getSubcommands(command))]
    .sort(([left], [right]) => commandOrder(left) - commandOrder(right))

/** The program and its commands that have subcommands; a descriptor alone does not show those of its children. */
export interface Tree {
  readonly root: Command
  readonly groups: { readonly [name: string]: Command }
}

/** The command that these arguments name, as far as they name one. */
export const find = ({ groups, root }: Tree, args: ReadonlyArray<string>): Place => {
  const descend = (place: Place, words: ReadonlyArray<string>): Place => {
    const [word, ...rest] = words
    const found = place.children.find(([name]) => name === word)
    if (found === undefined) return place
    const [name, own] = found
    const group = groups[name]
    const children = group === undefined ? [] : childrenOf(group)
    return descend({ path: [...place.path, name], command: group ?? own, children }, rest)
  }
  const words = args.filter((arg) => !arg.startsWith("-"))
  return descend({ path: ["loom"], command: root, children: childrenOf(root) }, words)
}

export const spanText = (span: Span.Span): string => {
  switch (span._tag) {
    case "Sequence":
      return spanText(span.left) + spanText(span.right)
    case "Text":
    case "URI":
      return span.value
    case "Highlight":
    case "Strong":
    case "Weak":
      return spanText(span.value)
  }
}

type Block = Exclude<HelpDoc.HelpDoc, HelpDoc.Sequence | HelpDoc.Empty>

const blocksOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<Block> => {
  switch (doc._tag) {
    case "Empty":
      return []
    case "Sequence":
      return [...blocksOf(doc.left), ...blocksOf(doc.right)]
    default:
      return [doc]
  }
}

/** The words of a document as one line; what the library says of every option is left out. */
export const plainText = (doc: HelpDoc.HelpDoc): string =>
  blocksOf(doc).flatMap((block) => block._tag === "Paragraph" || block._tag === "Header" ? [spanText(block.value)] : [])
    .filter((line) => !remark.test(line)).join(" ")

const remark =
  /^(A user-defined piece of text\.|A true or false value\.|An integer\.|One of the following: .*|This (setting|option|argument) (is optional|may be repeated|can be set from).*|)$/

const describe = (command: Command, config: CliConfig.CliConfig): string => {
  const blocks = blocksOf(Descriptor.getHelp(command, config))
  const at = blocks.findIndex((block) => block._tag === "Header" && spanText(block.value) === "DESCRIPTION")
  const next = blocks[at + 1]
  return at < 0 || next === undefined ? "" : plainText(next)
}

// An option that the environment may stand for is needed all the same: the library brackets it like one that is not.
const neededOptions = (command: Command, config: CliConfig.CliConfig): ReadonlyArray<string> =>
  blocksOf(Descriptor.getHelp(command, config)).flatMap((block) =>
    block._tag === "DescriptionList"
      ? block.definitions.filter(([, doc]) => blocksOf(doc).some(isFromEnvironment)).map(([name]) => spanText(name))
      : []
  )

const isFromEnvironment = (block: Block): boolean =>
  block._tag === "Paragraph" && /can be set from/.test(spanText(block.value))

const usageOf = (command: Command, config: CliConfig.CliConfig): string =>
  neededOptions(command, config).reduce(
    (usage, name) => usage.replace(`[${name}]`, name),
    plainText(Usage.getHelp(Descriptor.getUsage(command)))
  )

type Row = readonly [name: string, meaning: string]

const rowsOf = (command: Command, config: CliConfig.CliConfig): ReadonlyArray<Row> =>
  blocksOf(Descriptor.getHelp(command, config)).flatMap((block) =>
    block._tag === "DescriptionList"
      ? block.definitions.map(([name, doc]): Row => [spanText(name), plainText(doc)])
      : []
  )

const columns = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`.trimEnd())
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

/** The page as lines without any colour. */
export const page = ({ children, command, path }: Place, config: CliConfig.CliConfig): ReadonlyArray<string> => {
  const isGroup = children.length > 0
  const [, ...parents] = [...path].reverse()
  const usage = isGroup
    ? `${path.join(" ")} <command>`
    : [...parents.reverse(), usageOf(command, config)].join(" ")
  const rows = rowsOf(command, config)
  return [
    `${path.join(" ")}: ${describe(command, config)}`,
    "",
    `Usage: ${usage}`,
    ...section(
      "Commands:",
      isGroup ? columns(children.map(([name, child]): Row => [name, describe(child, config)])) : []
    ),
    ...section("Arguments and options:", isGroup || rows.length === 0 ? [] : columns(rows)),
    ...section("Examples:", examplesOf(path.slice(1)).map((line) => `  ${line}`)),
    ...(path.length > 1 ? [] : ["", "`loom <command> --help` explains a command; `loom --version` names the build."])
  ]
}

/** Whether the arguments ask for a page instead of a run. */
export const isAsked = (place: Place, args: ReadonlyArray<string>): boolean =>
  args.some((arg) => arg === "--help" || arg === "-h") ||
  (place.children.length > 0 && args.length === place.path.length - 1)

/** The command whose page these arguments ask for. */
export const placeOf = (tree: Tree, args: ReadonlyArray<string>): Option.Option<Place> => {
  const place = find(tree, args)
  return isAsked(place, args) ? Option.some(place) : Option.none()
}
