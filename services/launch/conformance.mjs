/**
 * `npm run test:conformance`: what a caller may expect holds in every house in which Loom can live. Each run plays every
 * black-box case against one house (`test/support/LoomHouse.ts`), and every contract of a store where the house brings
 * another way to reach it. `serve` over the embedded engine is what `npm test` plays.
 */
import { ensureBuilt, ensureInstalled, say } from "./house.mjs"
import { runTests } from "./vitest.mjs"

const cases = ["test/cases/", "test/isolation/IsolationHttp"]

const houses = {
  engine: { says: "serve over an engine by HTTP", plays: [...cases, "Clickhouse.test.ts"] },
  cluster: { says: "a gateway and two runners", plays: cases },
  "cluster-postgres": { says: "a gateway and two runners under the authority of Postgres", plays: cases },
  // Says nothing that the last one does not, but where it fails alone.
  "serve-postgres": { says: "serve under the authority of Postgres", plays: cases }
}

// What `.ci/run` has the time for; the houses under the authority of Postgres take ten minutes each.
const usual = ["engine", "cluster"]

const help = `npm run test:conformance -- [options]
  --house NAME  one house alone: ${Object.keys(houses).join(", ")} (${usual.join(", ")}, one after the other)
  --help        this text

For example: npm run test:conformance -- --house cluster
The last line is "N passed, N failed".`

/** The houses asked for; undefined where the arguments make no sense. */
const chosen = (args) => {
  if (args.length === 0) return usual
  return args.length === 2 && args[0] === "--house" && Object.hasOwn(houses, args[1]) ? [args[1]] : undefined
}

const main = async (names) => {
  await ensureInstalled()
  await ensureBuilt()
  let passed = 0
  let failed = 0
  for (const name of names) {
    const began = Date.now()
    const { says, plays } = houses[name]
    say(`${name}: ${says}`)
    const run = await runTests(plays, { LOOM_TEST_HOUSE: name })
    const lost = run.failed + run.broken.length
    passed += run.passed
    failed += lost
    say(`${name}: ${run.passed} passed, ${lost} failed in ${Math.round((Date.now() - began) / 1000)} s`)
  }
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

const args = process.argv.slice(2)
const names = chosen(args)
if (args.includes("--help")) console.log(help)
else if (names === undefined) {
  console.error(help)
  process.exitCode = 2
} else {
  await main(names).catch((error) => {
    console.error(error instanceof Error ? error.message : error)
    console.log("0 passed, 1 failed")
    process.exitCode = 1
  })
}
