/**
 * A Helm chart without Helm: which actions its templates hold, whether they close, and what YAML stands around them. A
 * template is laid out with both branches of each condition and a placeholder for each value, so that its shape can be read.
 */
export interface Action {
  /** What stands between the braces, without dashes. */
  readonly text: string
  readonly line: number
}

export const actions = (template: string): ReadonlyArray<Action> =>
  [...template.matchAll(/\{\{-?\s*((?:"(?:[^"\\]|\\.)*"|[^}])*?)\s*-?\}\}/g)].map((match) => ({
    text: match[1] ?? "",
    line: template.slice(0, match.index).split("\n").length
  }))

const isComment = (text: string): boolean => text.startsWith("/*")

/** Actions that do not close, or close nothing. */
export const balanceFaults = (template: string): ReadonlyArray<string> => {
  const open: Array<Action> = []
  const faults: Array<string> = []
  const loose = template.replace(/\{\{-?\s*(?:"(?:[^"\\]|\\.)*"|[^}])*?\s*-?\}\}/g, "").match(/\{\{|\}\}/)
  if (loose !== null) faults.push(`a ${loose[0]} stands alone`)
  for (const action of actions(template)) {
    const [word = ""] = action.text.split(/\s+/)
    if (["if", "with", "range", "define", "block"].includes(word)) open.push(action)
    if (word === "end" && open.pop() === undefined) faults.push(`line ${action.line}: an end without a beginning`)
    if (word === "else" && !/^(if|with|range)\b/.test(open.at(-1)?.text ?? "")) {
      faults.push(`line ${action.line}: an else without a condition`)
    }
  }
  return [...faults, ...open.map(({ line, text }) => `line ${line}: {{ ${text} }} has no end`)]
}

/** The named templates of a chart. */
export const definitions = (templates: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(
    templates.flatMap((text) =>
      [...text.matchAll(/\{\{-? define "([^"]+)" -?\}\}\n([^]*?)\n\{\{-? end -?\}\}(?=\n\n|\n*$)/g)].map((
        [, name = "", body = ""]
      ) => [name, body] as const)
    )
  )

/** What is put in at an indentation that is not that of its line. */
export const indentFaults = (template: string): ReadonlyArray<string> =>
  template.split("\n").flatMap((line, index) => {
    const [, margin, wanted] = /^( *)\{\{-? .*\| nindent (\d+) -?\}\}$/.exec(line) ?? []
    return margin === undefined || margin.length === Number(wanted) ? [] : [`line ${index + 1}: nindent ${wanted}`]
  })

const PLACEHOLDER = "x"

/** The template as YAML: named templates put in, each value a placeholder, both branches of each condition. */
export const layOut = (template: string, named: ReadonlyMap<string, string>): string =>
  template.split("\n").flatMap((line): ReadonlyArray<string> => {
    const [, margin, name] = /^( *)\{\{-? include "([^"]+)" \.(?: \| nindent \d+)? -?\}\}$/.exec(line) ?? []
    if (margin !== undefined && name !== undefined) {
      return layOut(named.get(name) ?? "", named).split("\n").map((inner) => inner === "" ? "" : margin + inner)
    }
    // A line that is an action and nothing else.
    if (/^\s*\{\{-?.*-?\}\}\s*$/.test(line) && actions(line).length === 1) return []
    return [line.replace(/"?\{\{-?(?:"(?:[^"\\]|\\.)*"|[^}])*?-?\}\}"?/g, PLACEHOLDER)]
  }).join("\n")

/** Every value that a template asks for, as its path: `image.tag`. */
export const valuesOf = (template: string): ReadonlySet<string> =>
  new Set(
    actions(template).filter(({ text }) => !isComment(text)).flatMap(({ text }) =>
      [...text.matchAll(/\.Values\.([A-Za-z][\w.]*)/g)].map(([, path = ""]) => path)
    )
  )

/** Named templates that a template asks for. */
export const includesOf = (template: string): ReadonlyArray<string> =>
  actions(template).flatMap(({ text }) => [...text.matchAll(/\binclude "([^"]+)"/g)].map(([, name = ""]) => name))
