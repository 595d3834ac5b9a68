/**
 * Every setting of the processes, with its meaning beside its default: the one table that `docs/configuration.md` is
 * made from. Values are read here and in the modules that own them, always from `LOOM_…`, and checked before anything
 * starts; all wrong ones are told at once.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import { homedir } from "node:os"
import { join } from "node:path"
import * as AskOptions from "../../src/ask/AskOptions.ts"
import * as ForFileOptions from "../../src/context/ForFileOptions.ts"
import * as ActorMemory from "../../src/memory/ActorMemory.ts"
import { Authority } from "../../src/memory/AuthorityModel.ts"
import * as ReadCache from "../../src/memory/ReadCache.ts"
import type * as Thresholds from "../../src/memory/ThresholdModel.ts"
import { DEFAULT_TIMEOUT_SECONDS } from "../../src/platform/LanguageModelConfig.ts"
import { thresholds } from "./ThresholdSettings.ts"
import { workerNames } from "./WorkerNames.ts"
import { workers } from "./WorkerSettings.ts"

/** One row of `docs/configuration.md`. */
export interface SettingFacts {
  readonly name: string
  readonly values: string
  readonly initial: string
  readonly meaning: string
}

const fact = (name: string, values: string, initial: string, meaning: string): SettingFacts => ({
  name,
  values,
  initial,
  meaning
})

export const settingFacts: ReadonlyArray<SettingFacts> = [
  fact("LOOM_DATA", "folder", "~/.loom", "Where the data lies: the embedded engine's files and the root token."),
  fact("LOOM_HOST", "address", "127.0.0.1", "Where the server listens. Another address than loopback needs team mode."),
  fact("LOOM_PORT", "0 to 65535", "7777", "The port of HTTP, RPC and MCP; 0 takes any free one."),
  fact(
    "LOOM_MODE",
    "single, team",
    "single",
    "single: no token needed, loopback only; one that is presented binds. team: every request needs a token."
  ),
  fact("LOOM_CLICKHOUSE_URL", "url", "(none)", "A ClickHouse server instead of the embedded engine."),
  fact("LOOM_CLICKHOUSE_USER", "text", "(none)", "User at that server."),
  fact("LOOM_CLICKHOUSE_PASSWORD", "secret", "(none)", "Password at that server."),
  fact(
    "LOOM_POSTGRES_URL",
    "url",
    "(none)",
    "The Postgres of a cluster, postgres://user:password@host:5432/database; `?sslmode=verify-full` encrypts. No pooler between."
  ),
  fact(
    "LOOM_AUTHORITY",
    "clickhouse, postgres",
    "clickhouse",
    "The store that says what is so of memory; under postgres ClickHouse is a copy of it for search and history. The same for every process."
  ),
  fact(
    "LOOM_SOLE_WRITER",
    "true, false",
    "false",
    "The operator's promise that this process alone writes to LOOM_CLICKHOUSE_URL; serve does not write there without it."
  ),
  fact("LOOM_EMBEDDER", "use-lite, test, replay", "use-lite", "The embedder when no LOOM_EMBEDDINGS_URL is set."),
  fact("LOOM_EMBEDDER_REPLAY", "file", "(none)", "Recorded vectors, for LOOM_EMBEDDER=replay."),
  fact(
    "LOOM_EMBEDDINGS_URL",
    "url",
    "(none)",
    "An OpenAI-compatible server for embeddings, such as http://127.0.0.1:8080/v1."
  ),
  fact("LOOM_EMBEDDINGS_KEY", "secret", "(none)", "Its bearer token."),
  fact("LOOM_EMBEDDINGS_MODEL", "text", "(none)", "Its model; needed with the url."),
  fact("LOOM_EMBEDDINGS_DIMS", "1 to 8192", "(none)", "The length of the model's vectors; needed with the url."),
  fact("LOOM_EMBEDDINGS_SEND_DIMS", "true, false", "false", "Whether each request asks for that length."),
  fact(
    "LOOM_LLM_PROVIDER",
    "compatible, openai, anthropic",
    "compatible",
    "Whose protocol the language model speaks: chat completions of any server at LOOM_LLM_URL, or a provider's own."
  ),
  fact(
    "LOOM_LLM_URL",
    "url",
    "(none)",
    "An OpenAI-compatible server for chat completions, such as http://127.0.0.1:11434/v1; without it and a provider memory.ask quotes. Of a provider: another address than its own."
  ),
  fact("LOOM_LLM_MODEL", "text", "(none)", "Its model; needed with a url or a provider."),
  fact("LOOM_LLM_API_KEY", "secret", "(none)", "Its key; needed by a provider at its own address."),
  fact(
    "LOOM_LLM_TIMEOUT_SECONDS",
    "1 to 600",
    String(DEFAULT_TIMEOUT_SECONDS),
    "How long a reply may take before a verb goes on without it; background work waits six times as long."
  ),
  fact(
    "LOOM_LLM_TOKENS_PER_DAY",
    "1 or more",
    "(none)",
    "Tokens, in and out, that each namespace may take in a day of UTC; beyond, MODEL_BUDGET_SPENT until the next."
  ),
  fact(
    "LOOM_LLM_PRICE_IN",
    "0 or more",
    "(none)",
    "Price of a million tokens of prompts, for model.usage and metrics."
  ),
  fact("LOOM_LLM_PRICE_OUT", "0 or more", "(none)", "Price of a million tokens of replies."),
  fact(
    "LOOM_LLM_CACHE",
    "true, false",
    "false",
    "Keeps replies for thirty days, within their namespace, and gives them again to the same prompt."
  ),
  fact(
    "LOOM_MEMORY_BULK_DEDUP_SCOPE",
    "identity, none",
    "identity",
    "identity: a bulk write takes any live row with the same bytes of the same agent and user for the fact."
  ),
  fact(
    "LOOM_MEMORY_SENSITIVITY_AUTODETECT",
    "true, false",
    "true",
    "Whether a value whose writer states no sensitivity is labelled by what it holds: credentials, card numbers, US Social Security numbers and stated PINs high; email, phone and IBAN medium."
  ),
  fact(
    "LOOM_MEMORY_ASK_EXCLUDE_UNVERIFIED_EXTERNAL",
    "true, false",
    "true",
    "Whether memory.ask leaves out memories of outside content (external) that nobody vouched for as they are now."
  ),
  fact(
    "LOOM_MEMORY_FOR_FILE_WHOLE_TOKENS",
    "0 to 10000",
    "1500",
    "Tokens that the decisions and constraints of one memory.for_file block share; the block stays below 10,000 characters."
  ),
  fact(
    "LOOM_SEARCH_GATE",
    "on, off, 0 to 1",
    "on",
    "Below which relevance a search says that it does not know: on is the server's own floor, 0.015, off never."
  ),
  fact(
    "LOOM_MEMORY_SEARCH_TRUST_WEIGHT",
    "0 to 0.2",
    "0.05",
    "What a search adds to the score of an attested memory; half of it when asserted, less so much when from outside."
  ),
  fact("LOOM_MAILBOX_CAPACITY", "1 to 65536", "256", "Writes queued and running per namespace before OVERLOADED."),
  fact(
    "LOOM_ACTOR_MAX_HEADS",
    "0 to 10000000",
    "250000",
    "Memories per namespace that are judged from memory; more are judged by store queries."
  ),
  fact(
    "LOOM_ACTOR_IDLE",
    "5 seconds to 24 hours",
    "5 minutes",
    "How long the memory of a namespace's writer is kept after its last write; it is loaded again for the next."
  ),
  fact(
    "LOOM_ACTOR_BYTES",
    "0 to 68719476736",
    String(ActorMemory.DEFAULT_BYTES),
    "Memory for what the writers of all namespaces of a process know; what was used longest ago is let go and loaded again."
  ),
  fact(
    "LOOM_READ_CACHE_BYTES",
    "0 to 17179869184",
    "33554432",
    "Memory for the answers of hot memory.get in the process that alone writes the store; 0 keeps none."
  ),
  fact(
    "LOOM_ADAPTIVE_THRESHOLDS",
    "true, false",
    "true",
    "Whether the similarity thresholds of a write are measured on the embedder at start; calibration.get tells them."
  ),
  fact(
    "LOOM_CONFLICT_THRESHOLD",
    "0 to 1",
    "0.85",
    "Cosine from which a stored memory is compared with a write, where it is not measured or pinned."
  ),
  fact(
    "LOOM_DUPLICATE_THRESHOLD",
    "0 to 1",
    "0.97",
    "Cosine from which a memory that says nothing else is a duplicate, where it is not measured or pinned."
  ),
  fact(
    "LOOM_WORKERS",
    "all, none, or names by commas; `all,entity_extractor` adds what all leaves out",
    "all",
    `The background workers that serve and runners run: ${workerNames.join(", ")}.`
  ),
  fact(
    "LOOM_DIGEST_QUIET",
    "a duration",
    "5 minutes",
    "How long a session must be left alone before its memories are summed up in a digest."
  ),
  fact(
    "LOOM_METRICS_TOKEN",
    "secret",
    "(none)",
    "Opens GET /metrics beside an admin's token. In single-user mode it is open; a runner's is, on a loopback address."
  ),
  fact(
    "LOOM_LOG_LEVEL",
    "ALL, TRACE, DEBUG, INFO, WARN, ERROR, FATAL, OFF",
    "INFO",
    "The least severe line that is logged."
  ),
  fact(
    "LOOM_OTLP_URL",
    "url",
    "(none)",
    "A collector for traces and logs by OTLP over HTTP (JSON), such as http://127.0.0.1:4318; without it nothing is traced."
  ),
  fact("LOOM_OTLP_HEADERS", "secret", "(none)", "Headers for it: name=value, with commas between several."),
  fact(
    "LOOM_OTLP_SAMPLE",
    "0 to 1",
    "1",
    "The part of all traces that is exported; a trace that another process began is as that one decided."
  ),
  fact("LOOM_SERVICE_NAME", "text", "loom", "What the collector knows all processes of this installation by."),
  fact(
    "LOOM_RESOURCE_ATTRIBUTES",
    "name=value, …",
    "(none)",
    "More for the collector to know of the process, such as deployment.environment=production."
  ),
  fact("LOOM_LOG_FORMAT", "pretty, json, logfmt", "logfmt", "How a log line is written."),
  fact("LOOM_BASE_URL", "url", "http://127.0.0.1:7777", "For clients and the command line: the server to call."),
  fact("LOOM_API_KEY", "secret", "(none)", "For clients and the command line: the token to call with."),
  fact(
    "UV_THREADPOOL_SIZE",
    "number",
    "16 (set by the launchers)",
    "Threads of the process; each running query needs one."
  )
]

/** What the edges of a process read. */
export interface EdgeSettings {
  readonly data: string
  readonly host: string
  readonly port: number
  readonly mode: "single" | "team"
  readonly ask: AskOptions.Options
  readonly forFile: ForFileOptions.Options
  readonly thresholds: Thresholds.Options
}

/** What the actors of a process read. */
export interface ActorSettings {
  readonly bulkDedup: "identity" | "none"
  readonly mailboxCapacity: number
  readonly maxHeads: number
  /** After how long without a request an actor is put away. */
  readonly actorIdle: Duration.Duration
  /** For the states of all actors. */
  readonly actorBytes: number
  readonly thresholds: Thresholds.Options
  /** Names of the background workers that run. */
  readonly workers: ReadonlyArray<string>
}

/** Under which authority memory is. */
export interface AuthoritySettings {
  readonly authority: Authority
}

export interface ServeSettings extends EdgeSettings, ActorSettings, AuthoritySettings {
  readonly url: boolean
  readonly soleWriter: boolean
  readonly readCacheBytes: number
}

/** A whole number within bounds; a wrong one is told by its name. */
export const whole = (name: string, initial: number, low: number, high: number): Config.Config<number> =>
  Config.integer(name).pipe(
    Config.withDefault(initial),
    Config.mapOrFail((value) =>
      value >= low && value <= high
        ? Either.right(value)
        : Either.left(ConfigError.InvalidData([name], `expected a whole number from ${low} to ${high}`))
    )
  )

export const dataFolder: Config.Config<string> = Config.withDefault(
  Config.nonEmptyString("DATA"),
  join(homedir(), ".loom")
)

/** The address of HTTP. */
export const host: Config.Config<string> = Config.withDefault(Config.nonEmptyString("HOST"), "127.0.0.1")

export const authority: Config.Config<Authority> = Config.withDefault(
  Config.literal(...Authority.literals)("AUTHORITY"),
  "clickhouse"
)

export const edge: Config.Config<EdgeSettings> = Config.all({
  data: dataFolder,
  host,
  port: whole("PORT", 7777, 0, 65_535),
  mode: Config.withDefault(Config.literal("single", "team")("MODE"), "single"),
  ask: Config.map(
    Config.withDefault(
      Config.boolean("MEMORY_ASK_EXCLUDE_UNVERIFIED_EXTERNAL"),
      AskOptions.defaultOptions.excludeUnverifiedExternal
    ),
    (excludeUnverifiedExternal) => ({ excludeUnverifiedExternal })
  ),
  forFile: Config.map(
    whole("MEMORY_FOR_FILE_WHOLE_TOKENS", ForFileOptions.defaultOptions.wholeTokens, 0, 10_000),
    (wholeTokens) => ({ wholeTokens })
  ),
  thresholds
})

// Longer than an agent thinks between two writes, short enough that what was used this morning takes no memory.
const ACTOR_IDLE = Duration.minutes(5)
// The cluster looks for idle actors every five seconds at most.
const MIN_IDLE = Duration.seconds(5)
const MAX_IDLE = Duration.hours(24)

const actorIdle: Config.Config<Duration.Duration> = Config.duration("ACTOR_IDLE").pipe(
  Config.withDefault(ACTOR_IDLE),
  Config.mapOrFail((idle) =>
    Duration.between(idle, { minimum: MIN_IDLE, maximum: MAX_IDLE })
      ? Either.right(idle)
      : Either.left(ConfigError.InvalidData(["ACTOR_IDLE"], "expected 5 seconds to 24 hours, such as `5 minutes`"))
  )
)

export const actors: Config.Config<ActorSettings> = Config.all({
  bulkDedup: Config.withDefault(Config.literal("identity", "none")("MEMORY_BULK_DEDUP_SCOPE"), "identity"),
  mailboxCapacity: whole("MAILBOX_CAPACITY", 256, 1, 65_536),
  maxHeads: whole("ACTOR_MAX_HEADS", 250_000, 0, 10_000_000),
  actorIdle,
  actorBytes: whole("ACTOR_BYTES", ActorMemory.DEFAULT_BYTES, 0, 64 * 1024 ** 3),
  thresholds,
  workers
})

export const serve: Config.Config<ServeSettings> = Config.nested(
  Config.all({
    edge,
    actors,
    authority,
    url: Config.map(Config.option(Config.url("CLICKHOUSE_URL")), (url) => url._tag === "Some"),
    soleWriter: Config.withDefault(Config.boolean("SOLE_WRITER"), false),
    readCacheBytes: whole("READ_CACHE_BYTES", ReadCache.DEFAULT_BYTES, 0, 16 * 1024 ** 3)
  }).pipe(
    Config.map(({ actors, edge, ...rest }): ServeSettings => ({ ...edge, ...actors, ...rest })),
    Config.mapOrFail((settings) =>
      settings.url && !settings.soleWriter && settings.authority === "clickhouse"
        ? Either.left(
          ConfigError.InvalidData(
            ["CLICKHOUSE_URL"],
            "serve writes to a shared ClickHouse only when LOOM_SOLE_WRITER=true promises that no other process does"
          )
        )
        : Either.right(settings)
    )
  ),
  "LOOM"
)
