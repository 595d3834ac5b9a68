/**
 * The generated pages and the contract snapshot are what the declarations say. `UPDATE_DOCS=1` writes them anew; the
 * change is then part of the review.
 */
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { errorsPage, verbsPage } from "../../services/gateway/HttpDocs.ts"
import { openApi } from "../../services/gateway/OpenApi.ts"
import { requestFields } from "../../services/gateway/VerbFields.ts"
import { everyCode, registry } from "../../services/gateway/VerbRegistry.ts"
import { TokenList, TokenMint, TokenRevoke } from "../../src/access/TokenVerbs.ts"
import { allVerbs } from "../../src/client/Verbs.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const declared: ReadonlyArray<VerbFacts> = [
  ...new Map([...allVerbs, TokenMint, TokenRevoke, TokenList].map((verb): [string, VerbFacts] => [verb.tag, verb]))
    .values()
].sort((left, right) => left.tag < right.tag ? -1 : 1)

const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((file) => ({ file: relative(root, file), text: readFileSync(file, "utf8") }))
  // The client lists every verb and tells nothing of one.
  .filter(({ file }) => !file.startsWith("src/client/"))
  .sort((left, right) => left.file < right.file ? -1 : 1)

/** `memory.get_by_id` is declared as `MemoryGetById`. */
const nameOf = (tag: string): string =>
  tag.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

/** The files that speak of the verb, its declaration first. */
const filesOf = (tag: string): ReadonlyArray<string> => {
  const name = new RegExp(`\\b${nameOf(tag)}\\b`)
  const files = sources.filter(({ text }) => name.test(text)).map(({ file }) => file)
  return [...files.filter((file) => file.endsWith("Verbs.ts")), ...files.filter((file) => !file.endsWith("Verbs.ts"))]
}

const page = (path: string, text: string) => {
  const file = join(root, path)
  if (process.env["UPDATE_DOCS"] === "1") {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  assert.isTrue(readFileSync(file, "utf8") === text, `${path} is out of date: run this test once with UPDATE_DOCS=1`)
}

describe("generated pages", () => {
  it("docs/errors.md", () => page("docs/errors.md", errorsPage()))

  it("docs/verbs.md", () =>
    page("docs/verbs.md", verbsPage(declared.map((verb) => ({ verb, files: filesOf(verb.tag) })))))

  // The version of a build is not part of the contract.
  it("docs/openapi.json", () => page("docs/openapi.json", `${JSON.stringify(openApi(declared, "0.0.0"), null, 2)}\n`))
})

describe("the contract", () => {
  for (const verb of declared) {
    it(`${verb.tag} has a declaration, a handler side, a teaching and closed fields`, () => {
      const [declaration] = filesOf(verb.tag)
      assert.match(declaration ?? "", /Verbs\.ts$/)
      assert.isAbove(verb.teaching.what.length, 10)
      const [view] = registry([verb], "0").verbs
      assert.strictEqual(view?.request["additionalProperties"], false)
      assert.deepEqual([...view?.fields ?? []].sort(), requestFields(verb).map(({ name }) => name).sort())
    })
  }

  it("every reference of the OpenAPI document leads somewhere", () => {
    const document = openApi(declared, "0.0.0")
    const text = JSON.stringify(document)
    const at = (path: string) => path.split("/").slice(1).reduce<unknown>((node, key) => Object(node)[key], document)
    const refs = new Set([...text.matchAll(/"\$ref":"(#[^"]+)"/g)].map((match) => match[1] ?? ""))
    assert.isAbove(refs.size, 10)
    for (const ref of refs) assert.isObject(at(ref), ref)
    assert.includeMembers(Object.keys(document.paths), declared.map(({ tag }) => `/v1/${tag}`))
  })

  it("every code has its status, once", () => {
    assert.strictEqual(new Set(everyCode.map(({ name }) => name)).size, everyCode.length)
    for (const { name, status } of everyCode) {
      assert.isTrue(status >= 400 && status < 600, name)
    }
  })
})
