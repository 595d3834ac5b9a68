/**
 * `npm run chaos -- --seconds N --authority clickhouse|postgres`: a real cluster under callers and faults, and the checker
 * on what they did. Ends with 0 when every promise was kept, with 1 on any violation, with 2 on a wrong argument.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { closeSync, mkdtempSync, openSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import { check } from "./Checker.ts"
import * as Clients from "./Clients.ts"
import { FAULT_KINDS, PARTITION, plan } from "./FaultPlan.ts"
import type { FaultKind } from "./FaultPlan.ts"
import * as Faults from "./Faults.ts"
import { History, load } from "./History.ts"
import * as Hosts from "./Hosts.ts"
import * as House from "./House.ts"
import * as Journal from "./Journal.ts"
import { look } from "./Look.ts"
import * as Owners from "./Owners.ts"
import * as Report from "./Report.ts"
import * as Settled from "./Settled.ts"
import * as Stalls from "./Stalls.ts"

const help = `npm run chaos -- [options]

A Postgres, an engine, gateways and runners as real processes; callers that write and read over HTTP on few keys; faults;
then a proof over every call that nothing was lost, applied twice, stale or out of order.

  --seconds N        how long faults go on; 60 when not given, 1200 for every fault at least five times
  --authority A      clickhouse (the default) or postgres
  --seed S           of callers and faults; by the clock when not given
  --runners N        3 when not given
  --gateways N       2 when not given
  --namespaces N     6 when not given
  --callers N        beside the steady one of each namespace; 8 when not given
  --hosts H          loopback (the default), or namespaces: each runner in a network namespace of its own, which adds
                     the fault \`partition\`; skipped with the reason where there are none
  --faults a,b       only these: ${FAULT_KINDS.join(", ")}; \`none\` for a quiet run
  --fence-off STEP   for tests: runners leave out a step of the fence (reserve, confirm, settle, or several with commas)
  --history FILE     where each call is written as it happens; a new file under the system's temporary folder else
  --judge FILE       no run: checks the history of an earlier one
  --json             the figures as one line of JSON on stdout

Examples
  npm run chaos -- --seconds 60
  npm run chaos -- --seconds 1200 --authority clickhouse --json
  npm run chaos -- --seconds 120 --hosts namespaces --faults partition,kill
  npm run chaos -- --seconds 120 --faults isolate --fence-off confirm
`

const leave = (text: string): never => {
  process.stderr.write(`${text}\n\n${help}`)
  process.exit(2)
}

const parsed = () => {
  const text = { type: "string" } as const
  const flag = { type: "boolean" } as const
  try {
    return parseArgs({
      options: {
        seconds: text,
        authority: text,
        seed: text,
        runners: text,
        gateways: text,
        namespaces: text,
        callers: text,
        hosts: text,
        faults: text,
        "fence-off": text,
        history: text,
        judge: text,
        json: flag,
        help: flag
      }
    }).values
  } catch (cause) {
    return leave(cause instanceof Error ? cause.message : String(cause))
  }
}

const whole = (name: string, text: string | undefined, fallback: number): number => {
  const number = text === undefined ? fallback : Number(text)
  return Number.isSafeInteger(number) && number > 0 ? number : leave(`--${name} takes a whole number above 0`)
}

const values = parsed()
if (values.help === true) {
  process.stdout.write(help)
  process.exit(0)
}
const authority = values.authority ?? "clickhouse"
if (authority !== "clickhouse" && authority !== "postgres") leave(`--authority is unknown: ${authority}`)
const seconds = whole("seconds", values.seconds, 60)
// The clock's low digits: any number does, as long as it is told.
const seed = whole("seed", values.seed, 1 + Math.trunc(performance.timeOrigin) % 1_000_000)
const runners = whole("runners", values.runners, 3)
const gateways = whole("gateways", values.gateways, 2)
const callers = whole("callers", values.callers, 8)
const namespaces = Array.from(
  { length: whole("namespaces", values.namespaces, 6) },
  (_, index) => `chaos-${index}`
)
const ownHosts = values.hosts === "namespaces"
if (!ownHosts && values.hosts !== undefined && values.hosts !== "loopback") leave(`--hosts is unknown: ${values.hosts}`)
const kinds: ReadonlyArray<FaultKind> = ownHosts ? [...FAULT_KINDS, PARTITION] : FAULT_KINDS
const wanted = values.faults === undefined ? kinds : kinds.filter((kind) => values.faults?.split(",").includes(kind))
if (wanted.length === 0 && values.faults !== "none") leave(`--faults knows none of ${values.faults}`)

const say = (text: string) => void process.stderr.write(`${text}\n`)

const result = (text: string, lines: ReadonlyArray<string>, figures: object, isSound: boolean) => {
  for (const line of lines) say(line)
  if (values.json === true) process.stdout.write(`${JSON.stringify(figures)}\n`)
  else {for (const [name, figure] of Object.entries(figures)) {
      process.stdout.write(`${name}  ${JSON.stringify(figure)}\n`)
    }}
  say(text)
  process.exitCode = isSound ? 0 : 1
}

// A line now and then, so that one sees it moves.
const TOLD_EVERY = "5 seconds"
// Every retry of every caller is over by then, or something hangs.
const SETTLE_PATIENCE = "150 seconds"

const run = Effect.gen(function*() {
  const historyFile = values.history ?? join(mkdtempSync(join(tmpdir(), "loom-chaos-")), "history.jsonl")
  const file = openSync(historyFile, "a")
  const history = new History(file)
  say(`seed ${seed}, history ${historyFile}`)
  const hosts = ownHosts ? yield* Hosts.namespaces(runners) : Hosts.loopback(runners)
  say(`starting Postgres, an engine, ${runners} runners and ${gateways} gateways`)
  const house = yield* House.make({
    authority,
    hosts,
    gateways,
    runnerEnv: values["fence-off"] === undefined ? {} : { LOOM_TEST_FENCE_OFF: values["fence-off"] }
  })
  const origin = performance.now()
  const now = () => performance.now() - origin
  const until = seconds * 1_000
  const stalls = yield* Stalls.watch(now)
  const owners = yield* Owners.watch(house, namespaces)
  let running = true
  const note = (at: number, what: string) => {
    history.fault(at, what)
    say(`${(at / 1_000).toFixed(1).padStart(7)} s  ${what}`)
  }
  const calling = yield* Effect.fork(Clients.run({
    gateways: house.gateways.map(({ url }) => url),
    namespaces,
    roaming: callers,
    seed,
    history,
    now,
    running: () => running
  }))
  const telling = yield* Effect.fork(Effect.forever(Effect.zipRight(
    Effect.sleep(TOLD_EVERY),
    Effect.sync(() => {
      const held = house.runners.map(({ name }) => `${name} ${owners.ownedBy(name).length}`).join(", ")
      say(`${(now() / 1_000).toFixed(1).padStart(7)} s of ${seconds}: ${history.calls.length} calls; ${held}`)
    })
  )))
  // Some history to be lost first.
  yield* Effect.sleep("3 seconds")
  const faults = wanted.length === 0
    ? yield* Effect.as(Effect.sleep(until - now()), [])
    : yield* Faults.run({ house, owners, plan: plan(seed, runners, wanted), now, until, note })
  // All is well again; the callers show it for a while.
  yield* Effect.sleep(Math.max(5_000, until - now()))
  running = false
  const settled = yield* Effect.timeoutOption(Fiber.join(calling), SETTLE_PATIENCE)
  if (settled._tag === "None") say("some callers did not come to an end")
  yield* Fiber.interrupt(telling)
  // What a runner left behind is copied by another within seconds.
  if (!(yield* Settled.wait(house))) say("some commits have no copy in ClickHouse yet")
  say("looking at every key")
  const end = now()
  const journal = yield* Effect.provide(Journal.read, Clickhouse.layerUrl(house.store))
  const facts = yield* look(house.gateways[0]?.url ?? "", namespaces, Clients.ALL_KEYS, journal)
  history.facts(facts)
  closeSync(file)
  const verdict = check(history.calls, facts)
  // For whoever has to find out why.
  for (const [index, { name, text }] of house.logs().entries()) {
    writeFileSync(`${historyFile}.${index}-${name}.log`, text)
  }
  const ran = { authority, seconds, seed, calls: history.calls, faults, until: end, stalls }
  return { ...ran, verdict, deaths: house.deaths, historyFile }
}).pipe(Effect.scoped)

if (values.judge !== undefined) {
  const { calls, facts } = load(values.judge)
  if (facts === undefined) leave("The run broke off before it looked: there are no facts to judge by")
  else {
    const verdict = check(calls, facts)
    const { findings, ...figures } = verdict
    result(
      `${findings.length} violations`,
      Report.troubles({
        authority,
        seconds,
        seed,
        calls,
        faults: [],
        until: 0,
        stalls: [],
        verdict,
        deaths: [],
        historyFile: ""
      }),
      figures,
      findings.length === 0
    )
  }
} else {
  // Told to stop, it ends every process that it started.
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  const ran = await Effect.runPromise(
    Effect.catchTag(run, "NoHosts", ({ message }) => Effect.succeed({ skipped: message })),
    { signal: stop.signal }
  )
  if ("skipped" in ran) result(`skipped, ${ran.skipped}`, [], ran, true)
  else {
    const isSound = ran.verdict.violations === 0 && ran.deaths.length === 0
    result(
      isSound ? "every promise was kept" : "promises were broken",
      Report.troubles(ran),
      Report.report(ran),
      isSound
    )
  }
}
