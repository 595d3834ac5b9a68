/**
 * The pages `docs/verbs.md` and `docs/errors.md`, made from the declarations, so that they cannot say anything else. A
 * test compares them with the files and writes them anew when `UPDATE_DOCS=1`.
 */
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { requestFields } from "./VerbFields.ts"
import { everyCode, mcpTool } from "./VerbRegistry.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

const yes = (flag: boolean): string => flag ? "yes" : ""

/** `docs/errors.md`. */
export const errorsPage = (): string =>
  `# Errors

Every failure leaves as \`{"detail": {"code", "message", "category", "retryable", …}}\`, over HTTP, RPC and MCP alike. The
\`code\` is what a program should look at; \`retry_after_s\` (over HTTP also \`Retry-After\`) says how long to wait where
waiting helps. A \`detail\` may name a field, keys, hashes and limits; never a stored value, a cause or a stack. A miss, and
what a token may not read, are no errors: the answer is a 200 that says \`found: false\`, or an empty list.

${
    table(
      ["code", "status", "category", "retryable", "what to do"],
      everyCode.map((code) => [
        `<a id="${code.name.toLowerCase()}"></a>\`${code.name}\``,
        String(code.status),
        code.category,
        yes(code.retryable),
        code.next
      ])
    )
  }
`

/** A verb and the files that a reader follows it through. */
export interface VerbPage {
  readonly verb: VerbFacts
  readonly files: ReadonlyArray<string>
}

const family = (tag: string): string => tag.split(".")[0] ?? tag

const section = ({ files, verb }: VerbPage): string => {
  const { args, what, when, whenNot } = verb.teaching
  const marks = [
    `role \`${verb.access}\``,
    verb.writes ? "writes" : "reads",
    ...(verb.idempotent ? ["idempotent"] : []),
    `\`POST /v1/${verb.tag}\``,
    `MCP ${verb.listed ? `tool \`${mcpTool(verb.tag)}\`` : "through `loom_op`"}`,
    `\`loom call ${verb.tag}\``
  ]
  return `## ${verb.tag}

${what}

- When: ${when}
- When not: ${whenNot}
${args === undefined ? "" : `- Arguments: ${args}\n`}- ${marks.join(" · ")}
- Files: ${files.map((file) => `[${file}](../${file})`).join(", ")}

${
    table(
      ["field", "needed", "kind"],
      requestFields(verb).map(({ kind, name, required }) => [`\`${name}\``, yes(required), kind])
    )
  }`
}

/** `docs/verbs.md`. */
export const verbsPage = (pages: ReadonlyArray<VerbPage>): string =>
  `# Verbs

Each verb is declared once; HTTP, RPC, MCP, the command line, the client and this page are read off that declaration.
Unknown fields are refused. A failure is one of [errors.md](errors.md).

${
    table(
      ["verb", "role", "writes", "what"],
      pages.map(({ verb }) => [
        `[${verb.tag}](#${verb.tag.replaceAll(".", "")})`,
        verb.access,
        yes(verb.writes),
        verb.teaching.what
      ])
    )
  }

${
    [...new Set(pages.map(({ verb }) => family(verb.tag)))]
      .flatMap((name) => pages.filter(({ verb }) => family(verb.tag) === name).map(section))
      .join("\n\n")
  }
`
