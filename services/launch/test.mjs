/**
 * `npm test`: from a fresh clone to one line `N passed, N failed`. The checks and the build run side by side, since each
 * keeps one core busy; the tests run after them with both cores to themselves, because some of them measure. Every check
 * counts as one, every test as one, and what vitest reports beside its tests (a file that does not load) counts as failed.
 */
import * as Fs from "node:fs"
import { checks } from "./check.mjs"
import { cache, ensureBuilt, ensureInstalled, ensurePatched, say } from "./house.mjs"
import { runTests } from "./vitest.mjs"

const tally = { passed: 0, failed: 0 }
const broken = []

const count = (name, ok) => {
  if (ok) return void tally.passed++
  tally.failed++
  broken.push(name)
}

const check = async (name) => {
  const { code, output, took } = await checks[name]({ capture: true })
  say(`${name}: ${code === 0 ? "passed" : "failed"} in ${took}`)
  if (code !== 0) process.stdout.write(output)
  count(name, code === 0)
}

const inTurn = async (names) => {
  for (const name of names) await check(name)
}

const build = async () => {
  try {
    await ensureBuilt()
    count("build", true)
  } catch (error) {
    console.error(error.message)
    count("build", false)
  }
}

const tests = async (args) => {
  const run = await runTests(args)
  tally.passed += run.passed
  tally.failed += run.failed
  tally.failed += run.broken.length
}

try {
  await ensureInstalled()
  Fs.mkdirSync(cache, { recursive: true })
  // Both type checks need it, and they start together
  await ensurePatched()
  await Promise.all([build().then(() => check("shipped")), inTurn(["format", "lint", "imports", "types"])])
  await tests(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  count("npm test", false)
}
for (const name of broken) say(`failed: ${name}`)
console.log(`${tally.passed} passed, ${tally.failed} failed`)
process.exitCode = tally.failed === 0 ? 0 : 1
