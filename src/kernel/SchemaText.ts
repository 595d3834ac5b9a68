/**
 * Reads what migrations make: tables with their columns, views that fill one table from another, and views that show a
 * part of one. It knows the few statements that migrations use and refuses any other, so that no table can come in
 * unseen. Next: `SchemaDoc`.
 */

export interface Column {
  readonly name: string
  readonly type: string
  readonly comment: string
}

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<Column>
  /** Of a table of Postgres: `Postgres`. */
  readonly engine: string
  /** Of a table of Postgres: its primary key. */
  readonly orderBy: string
}

export interface View {
  readonly name: string
  readonly from: string
  /** The table it fills; null when it only shows what `from` holds. */
  readonly to: string | null
}

export interface Schema {
  readonly tables: ReadonlyMap<string, Table>
  readonly views: ReadonlyMap<string, View>
}

/** The text in pieces at a separator that stands outside quotes and brackets. */
const split = (text: string, separator: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let depth = 0
  let quoted = false
  let piece = ""
  for (const char of text) {
    if (char === "'") quoted = !quoted
    if (!quoted && char === "(") depth++
    if (!quoted && char === ")") depth--
    if (char === separator && depth === 0 && !quoted) {
      pieces.push(piece.trim())
      piece = ""
    } else {
      piece += char
    }
  }
  return [...pieces, piece.trim()].filter((part) => part !== "")
}

/** What stands within the first pair of brackets, and what comes after it. */
const bracketed = (text: string): { readonly inner: string; readonly rest: string } => {
  let depth = 0
  let quoted = false
  const start = text.indexOf("(")
  for (let index = start; index >= 0 && index < text.length; index++) {
    const char = text[index]
    if (char === "'") quoted = !quoted
    if (quoted) continue
    if (char === "(") depth++
    if (char === ")" && --depth === 0) return { inner: text.slice(start + 1, index), rest: text.slice(index + 1) }
  }
  throw new Error(`Brackets do not close in: ${text.slice(0, 80)}`)
}

// Where the type of a column ends.
const clause = /\s+(?:NOT NULL|DEFAULT|CHECK|MATERIALIZED|EPHEMERAL|ALIAS|CODEC|COMMENT|TTL|AFTER|FIRST)\b/

const readColumn = (definition: string): Column => {
  const [, name, rest] = /^`?(\w+)`?\s+([^]+)$/.exec(definition) ?? []
  if (name === undefined || rest === undefined) throw new Error(`Not a column: ${definition.slice(0, 80)}`)
  const comment = /\bCOMMENT\s+'((?:[^']|'')*)'/.exec(rest)?.[1] ?? ""
  const type = (rest.split(clause)[0] ?? "").replace(/\s+/g, " ").trim()
  return { name, type, comment: comment.replaceAll("''", "'") }
}

// An EPHEMERAL column exists in an insert alone and keeps nothing.
const isColumn = (definition: string): boolean =>
  !/^(?:INDEX|PROJECTION|CONSTRAINT|PRIMARY KEY|CHECK)\b/i.test(definition) && !/\sEPHEMERAL\b/.test(definition)

/** A table of Postgres names no engine, and its key among its columns. */
const POSTGRES = "Postgres"

const readKey = (definitions: ReadonlyArray<string>): Pick<Table, "engine" | "orderBy"> => ({
  engine: POSTGRES,
  orderBy: definitions.map((definition) => /^PRIMARY KEY \(([^)]*)\)/i.exec(definition)?.[1]).find(Boolean) ?? ""
})

const readEngine = (text: string): Pick<Table, "engine" | "orderBy"> => {
  const engine = /ENGINE\s*=\s*(\w+(?:\([^)]*\))?)/.exec(text)?.[1] ?? ""
  const orderBy = /ORDER BY\s+(?:\(([^)]*)\)|(\w+))/.exec(text)
  return { engine, orderBy: orderBy?.[1] ?? orderBy?.[2] ?? "" }
}

interface Building {
  readonly tables: Map<string, Table>
  readonly views: Map<string, View>
}

const known = ({ tables }: Building, name: string): Table => {
  const table = tables.get(name)
  if (table === undefined) throw new Error(`loom.${name} is used before it is made`)
  return table
}

/** The columns with the added one behind the one it names, or as the last. */
const placed = (columns: Table["columns"], added: string): Table["columns"] => {
  const behind = /\sAFTER\s+`?(\w+)`?\s*$/i.exec(added)?.[1]
  const at = columns.findIndex(({ name }) => name === behind)
  return at < 0 ? [...columns, readColumn(added)] : columns.toSpliced(at + 1, 0, readColumn(added))
}

const CHANGES_NO_COLUMN =
  /^(?:ADD|DROP|MATERIALIZE|CLEAR) (?:INDEX|PROJECTION)\b|^MATERIALIZE COLUMN\b|^(?:MODIFY|RESET) SETTING\b/i

const alter = (building: Building, name: string, actions: string): void => {
  for (const action of split(actions, ",")) {
    const table = known(building, name)
    const added = /^ADD COLUMN\s+(?:IF NOT EXISTS\s+)?([^]+)$/i.exec(action)?.[1]
    const dropped = /^DROP COLUMN\s+(?:IF EXISTS\s+)?`?(\w+)`?/i.exec(action)?.[1]
    const changed = /^MODIFY COLUMN\s+(?:IF EXISTS\s+)?([^]+)$/i.exec(action)?.[1]
    if (added !== undefined) {
      building.tables.set(name, { ...table, columns: placed(table.columns, added) })
    } else if (dropped !== undefined) {
      building.tables.set(name, { ...table, columns: table.columns.filter((column) => column.name !== dropped) })
    } else if (changed !== undefined) {
      const column = readColumn(changed)
      building.tables.set(name, {
        ...table,
        columns: table.columns.map((old) =>
          old.name !== column.name ? old : { ...column, comment: column.comment === "" ? old.comment : column.comment }
        )
      })
    } else if (!CHANGES_NO_COLUMN.test(action)) {
      throw new Error(`An action on loom.${name} that this reader does not know: ${action.slice(0, 80)}`)
    }
  }
}

/** Postgres says what a column means in a statement of its own. */
const comment = (building: Building, table: string, column: string, text: string): void => {
  const { columns, ...rest } = known(building, table)
  building.tables.set(table, {
    ...rest,
    columns: columns.map((one) => one.name === column ? { ...one, comment: text.replaceAll("''", "'") } : one)
  })
}

const read = (building: Building, statement: string): void => {
  const table = /^CREATE TABLE (?:IF NOT EXISTS )?loom\.(\w+)\s*([^]*)$/i.exec(statement)
  const view = /^CREATE MATERIALIZED VIEW (?:IF NOT EXISTS )?loom\.(\w+)\s+TO loom\.(\w+)\s+AS\s[^]*\sFROM loom\.(\w+)/i
    .exec(statement)
  const shown = /^CREATE (?:OR REPLACE )?VIEW (?:IF NOT EXISTS )?loom\.(\w+)\s+AS\s[^]*\sFROM loom\.(\w+)/i.exec(
    statement
  )
  const altered = /^ALTER TABLE loom\.(\w+)\s+([^]*)$/i.exec(statement)
  const dropped = /^DROP (TABLE|VIEW) (?:IF EXISTS )?loom\.(\w+)/i.exec(statement)
  const commented = /^COMMENT ON COLUMN loom\.(\w+)\.(\w+) IS '((?:[^']|'')*)'$/i.exec(statement)
  if (table?.[1] !== undefined && table[2] !== undefined) {
    const [, name, body] = table
    const copied = /^AS loom\.(\w+)/i.exec(body)?.[1]
    const { inner, rest } = copied === undefined ? bracketed(body) : { inner: "", rest: body }
    const definitions = split(inner, ",")
    const columns = copied === undefined
      ? definitions.filter(isColumn).map(readColumn)
      : known(building, copied).columns
    const isOfClickhouse = /\bENGINE\b/.test(rest)
    building.tables.set(name, { name, columns, ...(isOfClickhouse ? readEngine(rest) : readKey(definitions)) })
  } else if (view?.[1] !== undefined && view[2] !== undefined && view[3] !== undefined) {
    building.views.set(view[1], { name: view[1], to: view[2], from: view[3] })
  } else if (shown?.[1] !== undefined && shown[2] !== undefined) {
    building.views.set(shown[1], { name: shown[1], from: shown[2], to: null })
  } else if (altered?.[1] !== undefined && altered[2] !== undefined) {
    alter(building, altered[1], altered[2])
  } else if (dropped?.[2] !== undefined) {
    building[dropped[1]?.toUpperCase() === "VIEW" ? "views" : "tables"].delete(dropped[2])
  } else if (commented?.[1] !== undefined && commented[2] !== undefined && commented[3] !== undefined) {
    comment(building, commented[1], commented[2], commented[3])
  } else if (!/^(?:INSERT INTO|OPTIMIZE TABLE|CREATE (?:UNIQUE )?INDEX)\b/i.test(statement)) {
    throw new Error(`A statement that this reader does not know: ${statement.slice(0, 80)}`)
  }
}

/** The schema after all statements, in order. Throws at the first that it cannot read. */
export const readSchema = (statements: ReadonlyArray<string>): Schema => {
  const building: Building = { tables: new Map(), views: new Map() }
  for (const statement of statements) read(building, statement)
  return building
}
