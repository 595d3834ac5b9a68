/**
 * Examples for the help page of every command, in the order in which `loom --help` lists the commands.
 */
const examples: { readonly [command: string]: ReadonlyArray<string> } = {
  "": [
    "loom serve",
    "loom call memory.set memory_key=project/loom/deploy-window value='Tuesdays after 10:00'",
    "loom call memory.get memory_key=project/loom/deploy-window"
  ],
  serve: ["loom serve", "loom serve --port 7800 --data ./memories", "loom serve --host 0.0.0.0 --mode team"],
  call: [
    "loom call memory.set memory_key=project/loom/deploy-window value='Tuesdays after 10:00' tags=kind:rule",
    "loom call memory.set --agent release-bot '{\"memory_key\":\"project/loom/limits\",\"value\":{\"rows\":500}}'",
    "echo '{\"memory_key\":\"project/loom/limits\"}' | loom call memory.get -",
    "loom call memory.list prefix=project/loom/ limit=10 --json"
  ],
  verbs: ["loom verbs", "loom verbs --json"],
  import: ["loom import jsonl memories.jsonl", "loom import locomo locomo.json"],
  "import jsonl": [
    "loom import jsonl memories.jsonl --namespace team --receipts receipts.jsonl",
    "loom export --namespace old | loom import jsonl - --namespace new"
  ],
  "import locomo": [
    "loom import locomo locomo.json",
    "loom import locomo locomo.json --namespace-prefix try- --limit 1"
  ],
  export: ["loom export > memories.jsonl", "loom export --namespace team --out memories.jsonl"],
  review: [
    "loom review",
    "loom review --namespace team --kind proposals",
    "loom review --json | jq '.kinds[] | {kind, count, oldest_at}'"
  ],
  "mint-token": [
    "loom mint-token --org acme --namespaces team --role write --subject release-bot",
    "LOOM_API_KEY=$(loom mint-token --org acme --namespaces '*' --role admin --kind human --subject ada --expires 90d)"
  ],
  "list-tokens": ["loom list-tokens", "loom list-tokens --org acme --revoked --json"],
  "revoke-token": ["loom revoke-token 0123456789abcdef"],
  health: ["loom health", "LOOM_BASE_URL=http://memory.internal:7777 loom health --json"],
  doctor: ["loom doctor isolation"],
  "doctor isolation": [
    "loom doctor isolation",
    "loom doctor isolation --url http://memory.internal:7777 --token \"$ADMIN_TOKEN\" --json",
    "loom doctor isolation --prefix check --seed 5f0c1e2a"
  ],
  mcp: ["claude mcp add loom -- loom mcp", "LOOM_NAMESPACE=team loom mcp"],
  gateway: [
    "LOOM_CLICKHOUSE_URL=http://10.0.0.4:8123 LOOM_POSTGRES_URL=postgres://10.0.0.5/loom loom gateway",
    "loom gateway --host 0.0.0.0 --mode team"
  ],
  runner: [
    "LOOM_CLICKHOUSE_URL=http://10.0.0.4:8123 LOOM_POSTGRES_URL=postgres://10.0.0.5/loom loom runner",
    "loom runner --runner-host 10.0.0.7 --host 0.0.0.0"
  ],
  engine: ["loom engine", "loom engine --port 8124 --data ./memories"],
  migrate: ["loom migrate", "loom migrate --check"],
  authority: ["loom authority migrate --to postgres"],
  "authority migrate": [
    "loom authority migrate --to postgres",
    "loom authority migrate --to postgres --apply",
    "loom authority migrate --to clickhouse --apply --json"
  ]
}

const order = Object.keys(examples)

/** Where a command stands in the list. */
export const commandOrder = (name: string): number => {
  const at = order.findIndex((key) => key === name || key.endsWith(` ${name}`))
  return at < 0 ? order.length : at
}

/** The examples of the command at this path. */
export const examplesOf = (path: ReadonlyArray<string>): ReadonlyArray<string> => examples[path.join(" ")] ?? []

/** Every command that has examples. */
export const commandsWithExamples: ReadonlyArray<string> = order.filter((name) => name !== "")
