import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { allSettings, configurationPage } from "../../services/cli/ConfigurationPage.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = join(root, "docs", "configuration.md")

const sourcesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))

/** The settings that a source reads: every name given to a constructor of `Config`, and to a local one made of them. */
const namesIn = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/\b(?:Config\.\w+(?:\([^()]*\))?|optional|whole|cosine)\(\s*"([A-Z][A-Z0-9_]*)"/g)].map((match) =>
    match[1] ?? ""
  )

// `LOOM` alone is the prefix of the others; what begins with LOOM_TEST_ breaks a server on purpose and is no setting.
const isSetting = (name: string): boolean =>
  name !== "LOOM" && !name.startsWith("TEST_") && !name.startsWith("LOOM_TEST_")

const ofOthers: ReadonlySet<string> = new Set(["NO_COLOR", "UV_THREADPOOL_SIZE"])

const named = (name: string): string => name.startsWith("LOOM_") || ofOthers.has(name) ? name : `LOOM_${name}`

describe("configuration", () => {
  it("docs/configuration.md says what the settings say", () => {
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, configurationPage())
    assert.strictEqual(readFileSync(page, "utf8"), configurationPage(), "run this test with UPDATE_DOCS=1")
  })

  it("lists every setting that is read, and no other", () => {
    const read = new Set(
      ["src", "services", "workers"].flatMap(sourcesOf).flatMap(namesIn).filter(isSetting).map(named)
    )
    const listed = new Set(allSettings.map(({ name }) => name))
    assert.deepStrictEqual([...read].filter((name) => !listed.has(name)), [], "read and not listed")
    assert.deepStrictEqual([...listed].filter((name) => !read.has(name)), [], "listed and not read")
  })

  it("names a setting once", () => {
    assert.strictEqual(new Set(allSettings.map(({ name }) => name)).size, allSettings.length)
  })
})
