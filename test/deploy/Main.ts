/**
 * The command `npm run check:deploy`: the lint of `npm test`, then what tools of others say, where they are at hand.
 */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as DeployFacts from "./DeployFacts.ts"
import * as DeployLint from "./DeployLint.ts"

interface Tool {
  readonly what: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** What the tool needs beside itself: a second command that succeeds. */
  readonly needs?: ReadonlyArray<string>
}

const values = [
  "clickhouse.url=http://clickhouse:8123",
  "postgres.existingSecret=postgres",
  "metrics.existingSecret=metrics",
  "metrics.serviceMonitor.enabled=true",
  "gateway.autoscaling.enabled=true"
].flatMap((one) => ["--set", one])

const secrets = ["CLICKHOUSE_PASSWORD", "POSTGRES_PASSWORD", "METRICS_TOKEN"]

const tools: ReadonlyArray<Tool> = [
  { what: "hadolint", command: "hadolint", args: [DeployLint.DOCKERFILE] },
  {
    what: "docker build --check",
    command: "docker",
    args: ["build", "--check", "-f", DeployLint.DOCKERFILE, "."],
    needs: ["info"]
  },
  {
    what: "docker compose config",
    command: "docker",
    args: ["compose", "-f", DeployLint.COMPOSE, "config", "--quiet"],
    needs: ["compose", "version"]
  },
  { what: "helm lint", command: "helm", args: ["lint", "--strict", DeployLint.CHART, ...values] },
  { what: "helm template", command: "helm", args: ["template", "memory", DeployLint.CHART, ...values] }
]

const call = (command: string, args: ReadonlyArray<string>) =>
  spawnSync(command, [...args], {
    cwd: DeployFacts.root,
    encoding: "utf8",
    env: { ...process.env, ...Object.fromEntries(secrets.map((name) => [name, "0"])) }
  })

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Whether the tool is content; one that is not there is. */
const runTool = ({ args, command, needs, what }: Tool): boolean => {
  const there = call(command, needs ?? ["--version"])
  if (there.error !== undefined || (needs !== undefined && there.status !== 0)) {
    say(`skipped  ${what}: ${there.error === undefined ? "it does not answer" : `${command} is not installed`} here`)
    return true
  }
  const { status, stderr, stdout } = call(command, args)
  say(`${status === 0 ? "passed " : "failed "}  ${what}`)
  if (status !== 0) process.stdout.write(`${stdout}${stderr}`)
  return status === 0
}

const faults = await Effect.runPromise(Effect.flatMap(DeployFacts.facts, DeployLint.faults))
say(`${faults.length === 0 ? "passed " : "failed "}  image, compose file and chart by our own lint`)
for (const fault of faults) say(`         ${fault}`)
const content = tools.map(runTool)
process.exitCode = faults.length === 0 && content.every(Boolean) ? 0 : 1
