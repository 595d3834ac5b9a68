/**
 * Writes `docs/schema.md` from the migrations and the registry of tables: every table with its key, what is done with it
 * and all its columns. A test compares the file with this text; `UPDATE_DOCS=1` in that test's environment rewrites it.
 */
import type { Column, Schema, Table } from "./SchemaText.ts"
import type { Erase, Export, Prune, Rollback } from "./TableFacts.ts"
import { kindOf, tables } from "./Tables.ts"

const eraseWords: Record<Erase, string> = {
  rows: "deletes its rows",
  blank: "empties their identity and keeps them",
  scope: "deletes all rows of the namespace",
  drain: "has what waits in it copied first, after which it is empty",
  keep: "keeps it"
}

const exportWords: Record<Export, string> = {
  rows: "holds its rows",
  derived: "leaves it out: made again from other tables",
  secret: "leaves it out: secret",
  local: "leaves it out: of this installation only"
}

const rollbackWords: Record<Rollback, string> = {
  restate: "writes the older state as a new version",
  follows: "needs nothing: found through the heads",
  stay: "does not touch it"
}

const pruneWords: Record<Prune, string> = {
  nothing: "removes nothing",
  window: "removes versions older than a retention window that an operator set",
  unreferred: "removes what no version refers to and rows of embedders no longer used",
  day: "removes answers older than 24 hours",
  decided: "removes intents an hour after they were decided",
  settled: "removes letters that were done with thirty days ago",
  month: "removes answers kept for thirty days",
  hour: "removes what a process said of itself more than an hour ago",
  votes: "removes reports older than 400 days"
}

const cell = (text: string): string => text.replaceAll("|", "\\|")

// A name in angle brackets would be taken for a tag.
const prose = (text: string): string => cell(text).replaceAll("<", "&lt;")

const columnLine = (table: string, { comment, name, type }: Column): string =>
  `| \`${name}\` | \`${cell(type)}\` | ${kindOf(table, name) ?? ""} | ${prose(comment)} |`

const fateLine = (name: string): string => {
  const facts = tables[name]
  return facts === undefined
    ? ""
    : `An erasure ${eraseWords[facts.erase]}; an export ${exportWords[facts.export]}; a rollback ${
      rollbackWords[facts.rollback]
    }; pruning ${pruneWords[facts.prune]}.`
}

const tableText = (schema: Schema, { columns, engine, name, orderBy }: Table): ReadonlyArray<string> => {
  const filled = [...schema.views.values()].filter(({ to }) => to === name)
  const shown = [...schema.views.values()].filter(({ from, to }) => from === name && to === null)
  return [
    `## loom.${name}`,
    "",
    engine === "Postgres" ? `In Postgres, with the key \`${orderBy}\`.` : `\`${engine}\`, ordered by \`${orderBy}\`.`,
    ...filled.map((view) => `Filled from \`loom.${view.from}\` by the view \`loom.${view.name}\`.`),
    ...shown.map((view) => `The view \`loom.${view.name}\` shows a part of it.`),
    fateLine(name),
    "",
    "| column | type | kind | meaning |",
    "|---|---|---|---|",
    ...columns.map((column) => columnLine(name, column)),
    ""
  ]
}

/** The whole document. */
export const schemaDoc = (schema: Schema): string =>
  [
    "# Tables",
    "",
    "Written from `migrations` and `src/kernel/Tables.ts`; do not edit.",
    "Run `UPDATE_DOCS=1 npx vitest run test/kernel/SchemaDoc.test.ts` after a change there.",
    "",
    "Kinds of columns: *scope* says whose row it is, *identity* which memory or person, *content* what was said or can be",
    "turned back into it, *facts* everything else. Times are UTC with milliseconds.",
    "",
    ...[...schema.tables.values()].flatMap((table) => tableText(schema, table))
  ].join("\n")
