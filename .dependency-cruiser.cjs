/**
 * Who may import whom, types included. Arrows point down: services, workers, src; within src each slice sees only the
 * slices before it, and of another slice only its nouns, errors, ports (stores, feeds, caches, sweeps), clients and verbs, and
 * the search.
 */
const slices = [
  "kernel",
  "platform",
  "work",
  "access",
  "namespace",
  "blacklist",
  "memory",
  "graph",
  "knowledge",
  "conversation",
  "extraction",
  "consolidation",
  "working",
  "run",
  "code",
  "retrieval",
  "ask",
  "context",
  "governance",
  "ops",
  "client"
]

const floor = "kernel|platform"
// The search is a service that later slices ask, as the clients of others; so is what prepares a value for the actor, and
// what keeps on which sources a memory rests.
const rooms =
  "(Model|Type|Error|Store|Feed|Cache|Sweep|Client|Intake|Sources|Request|Rpc|Verbs|Fields|retrieval/Search|retrieval/SearchRequests|retrieval/SearchView)"

const sliceOrder = slices.slice(0, -1).map((slice, index) => ({
  name: `slice-order-${slice}`,
  comment: `src/${slice} comes before ${slices.slice(index + 1).join(", ")}`,
  severity: "error",
  from: { path: `^src/${slice}/` },
  to: { path: `^src/(${slices.slice(index + 1).join("|")})/` }
}))

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      comment: "No module may reach itself, by types either",
      severity: "error",
      from: {},
      to: { circular: true }
    },
    {
      name: "no-unresolved",
      comment: "Every import leads somewhere; an example imports the package, which is there once it is built",
      severity: "error",
      from: { pathNot: "^examples/" },
      to: { couldNotResolve: true }
    },
    {
      name: "src-below-all",
      comment: "The library knows nothing of processes, jobs, migrations or tests",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(services|workers|migrations|test|bench|examples)/" }
    },
    {
      name: "workers-below-services",
      comment: "Workers know nothing of processes",
      severity: "error",
      from: { path: "^workers/" },
      to: { path: "^(services|test|bench|examples)/" }
    },
    {
      name: "services-not-test",
      severity: "error",
      from: { path: "^services/" },
      to: { path: "^(test|bench|examples)/" }
    },
    {
      name: "migrations-by-migrators",
      comment: "Migrations are read by the process that applies them",
      severity: "error",
      from: { path: "^(workers|services/(?!migrate/|layers/))" },
      to: { path: "^migrations/" }
    },
    ...sliceOrder,
    {
      name: "known-slice",
      comment: "A new folder of src takes its place in the order above",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: `^src/(${slices.join("|")})/` }
    },
    {
      name: "other-slice-rooms",
      comment:
        "From another slice only its Model, Type, Error, Store, Feed, Cache, Sweep, Client, Intake, Sources, Request, Rpc, Verbs and Fields files, and Search",
      severity: "error",
      from: { path: "^src/([^/]+)/", pathNot: "Clickhouse\\.ts$" },
      to: { path: "^src/", pathNot: `^src/($1|${floor})/|${rooms}\\.ts$` }
    },
    {
      name: "other-slice-sql",
      comment: "A statement may be built on another slice's fragments: what answers at a time is said in SQL once",
      severity: "error",
      from: { path: "^src/([^/]+)/.*Clickhouse\\.ts$" },
      to: { path: "^src/", pathNot: `^src/($1|${floor})/|(${rooms}|Clickhouse)\\.ts$` }
    },
    {
      name: "drivers-at-home",
      comment: "Database drivers only from *Clickhouse.ts, *Postgres.ts, src/platform and main.ts",
      severity: "error",
      from: {
        path: "^(src|workers|services)/",
        pathNot: "(Clickhouse|Postgres)\\.ts$|^src/platform/|^services/[^/]+/main\\.ts$"
      },
      to: { path: "node_modules/(@effect/sql|@clickhouse/client|chdb)" }
    },
    {
      name: "policy-is-pure",
      comment: "A policy decides; it sees no store, actor, client or HTTP contract",
      severity: "error",
      from: { path: "Policy\\.ts$" },
      to: { path: "^src/.*(Store|StoreClickhouse|StorePostgres|Entity|Client|Api)\\.ts$" }
    },
    {
      name: "shipped-needs-dependencies",
      comment: "What is shipped may import only what is installed with it; a build runs in a clone alone",
      severity: "error",
      from: { path: "^(src|workers|services|migrations)/", pathNot: "^services/launch/join\\.mjs$" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], pathNot: "node_modules/@types/" }
    }
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|scratchpad|coverage)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
      extensions: [".ts", ".mjs", ".cjs", ".js", ".d.ts", ".json"]
    }
  }
}
