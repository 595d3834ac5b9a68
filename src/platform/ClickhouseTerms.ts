/**
 * Words as statements count them: a table of texts keeps in `terms` the hashes of a text's stems and of its lemmas, and a
 * word of a question stands in it as its stem or as one of its lemmas, whichever is more often.
 */
import { ch } from "./Clickhouse.ts"
import type { Fragment } from "./Clickhouse.ts"

/** Words that count as one. */
export interface WordForms {
  readonly stem: string
  readonly lemmas: ReadonlyArray<string>
}

/** The words that are the group; the column `terms` holds them by their hashes. */
export const formsOf = ({ lemmas, stem }: WordForms): ReadonlyArray<string> => [...new Set([stem, ...lemmas])]

/** How often each group stands in a row, as `Array(UInt32)`. */
export const countsOf = (groups: ReadonlyArray<WordForms>): Fragment =>
  groups.length === 0
    ? ch.fragment`CAST([], 'Array(UInt32)')`
    : ch.fragment`[${
      ch.join(groups.map((group) => ch.fragment`toUInt32(greatest(0, ${ch.join(formsOf(group).map(countOf))}))`))
    }]`

const countOf = (form: string): Fragment => ch.fragment`countEqual(terms, sipHash64(${ch.string(form)}))`

/** Whether any of the groups stands in a row. */
export const holdsAny = (groups: ReadonlyArray<WordForms>): Fragment =>
  ch.fragment`hasAny(terms, arrayMap(form -> sipHash64(form), ${ch.array("String", groups.flatMap(formsOf))}))`
