/**
 * Every table there is and what each of its columns means to whoever erases, exports, rolls back or prunes: those jobs
 * walk this registry and name no table themselves. A migration that adds a table or a column is not done until it is
 * listed here; a test holds the migrations against it. `docs/schema.md` shows it beside the columns.
 * The facts are in `TablesOfMemory`, `TablesOfConversation`, `TablesOfExtraction`, `TablesOfHouse`, `TablesOfWork` and
 * `TablesOfRuns`, their nouns in `TableFacts`.
 */
import type { Columns, TableFacts } from "./TableFacts.ts"
import { conversationTables } from "./TablesOfConversation.ts"
import { extractionTables } from "./TablesOfExtraction.ts"
import { commitTables, houseTables } from "./TablesOfHouse.ts"
import { memoryTables } from "./TablesOfMemory.ts"
import { runTables } from "./TablesOfRuns.ts"
import { workTables } from "./TablesOfWork.ts"

/** Facts by table name in the database `loom` of ClickHouse, or in the schema `loom` of Postgres where they say so. */
export const tables: Readonly<Record<string, TableFacts>> = {
  ...memoryTables,
  ...conversationTables,
  ...houseTables,
  ...extractionTables,
  ...workTables,
  ...runTables,
  ...commitTables
}

/** All columns of a table, in the order of the lists. */
export const columnsOf = ({ columns }: TableFacts): ReadonlyArray<string> => [
  ...columns.scope,
  ...columns.identity,
  ...columns.content,
  ...columns.facts
]

/** What a column is, in one word; undefined when it is not listed. */
export const kindOf = (table: string, column: string): keyof Columns | undefined => {
  const columns = tables[table]?.columns
  if (columns === undefined) return undefined
  const kinds = ["scope", "identity", "content", "facts"] as const
  return kinds.find((kind) => columns[kind].some((name) => name === column))
}

/** Where the registry and a schema (table name to column names) differ, one line each; none when they agree. */
export const differences = (schema: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const [table, columns] of schema) {
    const facts = tables[table]
    if (facts === undefined) {
      lines.push(`${table} is not listed`)
      continue
    }
    const listed = columnsOf(facts)
    lines.push(
      ...columns.filter((column) => !listed.includes(column)).map((column) => `${table}.${column} is not listed`),
      ...listed.filter((column) => !columns.includes(column)).map((column) =>
        `${table}.${column} is listed and not there`
      ),
      ...listed.filter((column, index) => listed.indexOf(column) !== index).map((column) =>
        `${table}.${column} is listed twice`
      )
    )
  }
  lines.push(
    ...Object.keys(tables).filter((table) => !schema.has(table)).map((table) => `${table} is listed and not there`)
  )
  return lines
}
