/**
 * A run of vitest and what came of it: every test counts as one, and what vitest reports beside its tests (a file that
 * does not load, an error outside any test, no report at all) counts as failed.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { threads } from "./command.mjs"
import { cache, root, runTool, say } from "./house.mjs"

const readReport = (path) => {
  try {
    return JSON.parse(Fs.readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

const oneLine = (text) => text.split("\n", 1)[0].slice(0, 300)

/** A line for each test that failed: its file, its name and what it said first. */
const lossesOf = (report) =>
  (report?.testResults ?? []).flatMap((file) =>
    file.assertionResults
      .filter((test) => test.status === "failed")
      .map((test) =>
        `${Path.relative(root, file.name)} > ${[...test.ancestorTitles, test.title].join(" > ")}: ${
          oneLine(test.failureMessages?.[0] ?? "no message")
        }`
      )
  )

/**
 * Runs what `args` choose; resolves with the counts and the names of what failed beside the tests. It says a line for each
 * failure at the end, since in a long output the place of one is far above the verdict.
 */
export const runTests = async (args, env = {}) => {
  Fs.mkdirSync(cache, { recursive: true })
  const path = Path.join(cache, "tests.json")
  Fs.rmSync(path, { force: true })
  const { code } = await runTool(
    "vitest/vitest.mjs",
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${path}`, ...args],
    { env: { ...threads, ...env } }
  )
  const report = readReport(path)
  const files = (report?.testResults ?? []).filter((file) =>
    file.status === "failed" && file.assertionResults.length === 0
  )
  const failed = report?.numFailedTests ?? 0
  const broken = [
    ...files.map((file) => file.name),
    ...(code !== 0 && failed + files.length === 0 ? ["vitest"] : [])
  ]
  const waiting = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0)
  if (waiting > 0) say(`${waiting} tests are pending`)
  for (const loss of [...lossesOf(report), ...broken]) say(`failed: ${loss}`)
  return { passed: report?.numPassedTests ?? 0, failed, broken }
}
