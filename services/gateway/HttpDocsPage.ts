/**
 * The page at `/docs`: every verb with its teaching, its fields and a form to try it, and every error code. One document
 * made when the server starts; it loads nothing and may, by its content policy, talk to its own server alone.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { createHash } from "node:crypto"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { requestFields } from "./VerbFields.ts"
import { everyCode, mcpTool } from "./VerbRegistry.ts"

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;" }
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => escapes[char] ?? char)

/** Text in which `backquotes` mark code. */
const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

const style = `
:root { color-scheme: light dark; --line: #8885; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline; }
code, pre, textarea, input { font: 14px/1.45 ui-monospace, monospace; }
code { background: var(--soft); padding: 0 .25em; border-radius: 3px; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
summary { cursor: pointer; } summary span { opacity: .75; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
td, th { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0; border-bottom: 1px solid var(--soft); }
textarea { width: 100%; min-height: 6rem; box-sizing: border-box; }
pre { background: var(--soft); padding: .75rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
input { min-width: 18rem; }
`

// Filters the list, opens the verb that the address names, and sends what a form holds.
const script = `
const find = document.getElementById("find")
const verbs = [...document.querySelectorAll("details[data-verb]")]
find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(" ").filter(Boolean)
  for (const verb of verbs) verb.hidden = !words.every((word) => verb.textContent.toLowerCase().includes(word))
})
const open = () => {
  const verb = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (verb instanceof HTMLDetailsElement) { verb.open = true; verb.scrollIntoView() }
}
addEventListener("hashchange", open)
open()
for (const form of document.forms) form.addEventListener("submit", async (event) => {
  event.preventDefault()
  const answer = form.querySelector("pre")
  const token = document.getElementById("token").value.trim()
  answer.hidden = false
  answer.textContent = "…"
  try {
    const response = await fetch("/v1/" + form.dataset.verb, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token === "" ? {} : { authorization: "Bearer " + token }) },
      body: form.querySelector("textarea").value
    })
    const text = await response.text()
    let shown = text
    try { shown = JSON.stringify(JSON.parse(text), null, 2) } catch {}
    answer.textContent = response.status + "  " + (response.headers.get("x-request-id") ?? "") + "\\n" + shown
  } catch (failure) {
    answer.textContent = String(failure)
  }
})
`

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`

const policy = [
  "default-src 'none'",
  `style-src ${hash(style)}`,
  `script-src ${hash(script)}`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

const fieldRow = ({ kind, name, required }: ReturnType<typeof requestFields>[number]): string =>
  `<tr><td><code>${escape(name)}</code></td><td>${required ? "needed" : ""}</td><td>${escape(kind)}</td></tr>`

const verbSection = (verb: VerbFacts): string => {
  const { args, what, when, whenNot } = verb.teaching
  const fields = requestFields(verb)
  const example = Object.fromEntries(fields.filter(({ required }) => required).map(({ name }) => [name, ""]))
  const marks = [
    verb.access,
    verb.writes ? "writes" : "reads",
    ...(verb.idempotent ? ["idempotent"] : []),
    `MCP ${mcpTool(verb.tag)}${verb.listed ? "" : " (through loom_op)"}`
  ]
  return `<details id="${escape(verb.tag)}" data-verb>
<summary><code>POST /v1/${escape(verb.tag)}</code> <span>${prose(what)}</span></summary>
<p>${escape(marks.join(" · "))}</p>
<p><b>When:</b> ${prose(when)}<br><b>When not:</b> ${prose(whenNot)}</p>
${args === undefined ? "" : `<p>${prose(args)}</p>`}
<table><tr><th>Field</th><th></th><th>Kind</th></tr>${fields.map(fieldRow).join("")}</table>
<form data-verb="${escape(verb.tag)}">
<textarea spellcheck="false" aria-label="Request">${escape(JSON.stringify(example, null, 2))}</textarea>
<button>Send</button><pre hidden></pre></form>
</details>`
}

const codeRow = ({ name, next, retryable, status }: typeof everyCode[number]): string =>
  `<tr><td><code>${escape(name)}</code></td><td>${status}</td><td>${retryable ? "retry" : ""}</td><td>${
    prose(next)
  }</td></tr>`

/** The whole page for these verbs. */
export const docsPage = (verbs: ReadonlyArray<VerbFacts>, version: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Loom ${escape(version)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>Loom</h1><span>${escape(version)}</span>
<a href="/openapi.json">OpenAPI</a> <a href="/v1/verbs">verbs</a> <a href="/v1/health">health</a></header>
<p>Every verb is a POST of one JSON object. Unknown fields are refused; a failure is
<code>{"detail": {"code", "message", …}}</code>.</p>
<p><input id="find" type="search" placeholder="Filter verbs" aria-label="Filter verbs">
<input id="token" type="password" autocomplete="off" placeholder="Token (team mode)" aria-label="Token"></p>
${verbs.map(verbSection).join("\n")}
<details id="errors"><summary>Error codes</summary>
<table><tr><th>Code</th><th>Status</th><th></th><th>What to do</th></tr>${everyCode.map(codeRow).join("")}</table>
</details>
<script>${script}</script>
</body>
</html>
`,
    { contentType: "text/html; charset=utf-8", headers: { "content-security-policy": policy } }
  )
