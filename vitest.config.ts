/**
 * Tests run in forked processes (the embedded engine and the embedder hold native state), two at a time, against the
 * sources. A process runs one file after the other, and loads a module once for all of them, which saves a second or two a
 * file: a test leaves no module changed. libuv reads the size of its thread pool once, when a process starts, so it is set here for the forks to inherit.
 */
import { readFileSync } from "node:fs"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"
import type { TestSpecification } from "vitest/node"

process.env["UV_THREADPOOL_SIZE"] = "16"

// The folders whose files take longest come first, so that no long one is left to run alone at the end. Without times of an
// earlier run, as on a fresh clone, the default goes by the size of a file, which says little.
const LONGEST = [
  "/test/model/",
  "/test/crash/",
  "/test/cases/",
  "/test/isolation/",
  "/test/services/",
  "/test/retrieval/"
]

const place = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((folder) => moduleId.includes(folder))
  return at < 0 ? LONGEST.length : at
}

// Files that ask one server follow each other (`LoomServer.layerShared`): it is started once for all that a process plays.
const SERVERS = [/\blayerShared\(\)/, /\blayerShared\(\{ LOOM_EMBEDDER/, /\blayerTeam\b.*Tokens\.ts"/]

const server = ({ moduleId }: TestSpecification): number => {
  const text = readFileSync(moduleId, "utf8")
  return SERVERS.findLastIndex((asks) => asks.test(text))
}

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const servers = new Map(files.map((file) => [file.moduleId, server(file)]))
    const serverOf = ({ moduleId }: TestSpecification): number => servers.get(moduleId) ?? -1
    return (await super.sort(files)).sort((left, right) =>
      place(left) - place(right) || serverOf(left) - serverOf(right)
    )
  }
}

// What takes minutes of starting processes and killing them: `.ci/run` plays all of it, `npm test` stays short enough to be
// run before every commit. What is left between two writes is tested in it within one process.
const LONG = ["test/cluster/**", "test/crash/**", "test/**/*Kill.test.ts"]
const isAll = process.env["LOOM_TEST_ROUNDS"] === "all"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isAll ? [] : LONG)],
    setupFiles: ["test/support/OwnIt.ts"],
    globalSetup: ["test/support/PostgresSetup.ts"],
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    poolOptions: { forks: { minForks: 1, maxForks: 2, isolate: false } },
    // A first property test or a first engine start takes seconds on two busy cores; a test that hangs is seen within a minute.
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
