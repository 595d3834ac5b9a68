/**
 * What Loom tells an agent about itself: the instructions of the server, the text of a tool, and what `loom_op` answers
 * to `help`. All of it is read off the verbs' teaching; the rules for keys are taught here as well as in `memory.set`.
 */
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { inputSchema } from "./McpInputSchema.ts"
import { mcpTool } from "./VerbRegistry.ts"

/** WHAT / WHEN / WHEN NOT / ARGS. */
export const describe = ({ teaching }: VerbFacts): string =>
  [
    `WHAT: ${teaching.what}`,
    `WHEN: ${teaching.when}`,
    `WHEN NOT: ${teaching.whenNot}`,
    ...(teaching.args === undefined ? [] : [`ARGS: ${teaching.args}`])
  ].join("\n")

/** Sent when a client connects; hosts put it before the model. */
export const instructions = `Loom is long-term memory shared by agents. A memory is one claim under a readable key.
- Before work that others may know about, search or read; after learning a durable fact, store it.
- A key is a path <scope>/<kind>/<id> that names one attribute of one subject: project/loom/deploy-window, user/preferences/editor.
- One fact a key. A list of unrelated facts is several memories.
- To revise, write the same key again or update it. Never add -v2 and never make a key from the value or a hash: Loom keeps every version.
- Facets go in tags (kind:constraint, service:billing) and named things in entities, not in the key.
- Read the answer of a write: conflict_verdict and peers say what it met, next says what to do. dry_run=true asks without writing.
- Org and namespace come from your token; name a namespace only when the token opens several.
- Texts name verbs with dots: memory.restore is the tool loom_memory_restore, or loom_op with op memory.restore. loom_op with op help lists them all.`

interface VerbLine {
  readonly op: string
  /** The tool that calls it, when there is one. */
  readonly tool: string | null
  readonly access: string
  readonly what: string
}

interface VerbPage extends VerbLine {
  readonly when: string
  readonly when_not: string
  readonly args: string | null
  readonly writes: boolean
  readonly idempotent: boolean
  readonly arguments: unknown
}

export type Help = { readonly verbs: ReadonlyArray<VerbLine>; readonly next: string } | { readonly verb: VerbPage }

const line = (verb: VerbFacts): VerbLine => ({
  op: verb.tag,
  tool: verb.listed ? mcpTool(verb.tag) : null,
  access: verb.access,
  what: verb.teaching.what
})

const page = (verb: VerbFacts): VerbPage => ({
  ...line(verb),
  when: verb.teaching.when,
  when_not: verb.teaching.whenNot,
  args: verb.teaching.args ?? null,
  writes: verb.writes,
  idempotent: verb.idempotent,
  arguments: inputSchema(verb)
})

/** A verb's page when `query` names one; else the verbs whose name or text holds every word of it. */
export const help = (verbs: ReadonlyArray<VerbFacts>, query = ""): Help => {
  const asked = query.trim()
  const named = verbs.find(({ tag }) => tag === asked || mcpTool(tag) === asked)
  if (named !== undefined) return { verb: page(named) }
  const words = asked.toLowerCase().split(/\s+/)
  const found = verbs.filter((verb) => {
    const text = `${verb.tag} ${describe(verb)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return {
    verbs: found.map(line),
    next: found.length === 0
      ? "No verb fits these words; leave query out to list them all."
      : "op help with query set to a verb describes its arguments."
  }
}
