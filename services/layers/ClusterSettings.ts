/**
 * The settings of the processes of a cluster. A runner and a gateway share with serve what their slices read
 * (`Settings`), and add where the cluster is. All wrong values are told at once, before anything starts.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as Settings from "./Settings.ts"
import type { ActorSettings, AuthoritySettings, EdgeSettings, SettingFacts } from "./Settings.ts"

/** Next to serve's 7777, so that one machine can hold a cluster and a server. */
const RUNNER_PORT = 7780
const RUNNER_HEALTH_PORT = 7781

/**
 * A runner that was cut off without a word keeps its namespaces for this long: long enough for a pause of the garbage
 * collector or a slow disk, short enough that a write waits it out.
 */
const SHARD_LOCK_EXPIRY = Duration.seconds(6)

export const settingFacts: ReadonlyArray<SettingFacts> = [
  {
    name: "LOOM_RUNNER_HOST",
    values: "address",
    initial: "127.0.0.1",
    meaning:
      "Where a runner listens for gateways and other runners, and where they find it: loopback or a private address, since that port has no authentication."
  },
  {
    name: "LOOM_RUNNER_PORT",
    values: "0 to 65535",
    initial: String(RUNNER_PORT),
    meaning: "The port of a runner for gateways and other runners; 0 takes any free one."
  },
  {
    name: "LOOM_SHARD_LOCK_EXPIRY",
    values: "3 to 120 seconds",
    initial: "6 seconds",
    meaning:
      "After how long without a sign of life a runner loses its namespaces; the same for every runner and gateway of a cluster."
  }
]

/** Where a cluster is and how it keeps time. */
export interface ClusterSettings {
  readonly shardLockExpiry: Duration.Duration
}

export interface GatewaySettings extends EdgeSettings, ClusterSettings, AuthoritySettings {}

export interface RunnerSettings extends ActorSettings, ClusterSettings, AuthoritySettings {
  /** Of the health port. */
  readonly host: string
  readonly port: number
  readonly runnerHost: string
  readonly runnerPort: number
}

// Below 3 s a busy runner loses its namespaces by being busy; above two minutes nobody would wait for a write.
const MIN_EXPIRY = Duration.seconds(3)
const MAX_EXPIRY = Duration.seconds(120)

const shardLockExpiry: Config.Config<Duration.Duration> = Config.duration("SHARD_LOCK_EXPIRY").pipe(
  Config.withDefault(SHARD_LOCK_EXPIRY),
  Config.mapOrFail((expiry) =>
    Duration.between(expiry, { minimum: MIN_EXPIRY, maximum: MAX_EXPIRY })
      ? Either.right(expiry)
      : Either.left(ConfigError.InvalidData(["SHARD_LOCK_EXPIRY"], "expected 3 to 120 seconds, such as `6 seconds`"))
  )
)

/** No process of a cluster has a store of its own; both are read by their layers, and told here when they are wrong. */
const stores = Config.all({
  clickhouse: Config.nested(Config.url("CLICKHOUSE_URL"), "LOOM"),
  postgres: Postgres.config
})

export const gateway: Config.Config<GatewaySettings> = Config.map(
  Config.all({
    own: Config.nested(Config.all({ edge: Settings.edge, authority: Settings.authority, shardLockExpiry }), "LOOM"),
    stores
  }),
  ({ own: { edge, ...rest } }) => ({ ...edge, ...rest })
)

export const runner: Config.Config<RunnerSettings> = Config.map(
  Config.all({
    own: Config.nested(
      Config.all({
        actors: Settings.actors,
        authority: Settings.authority,
        host: Settings.host,
        port: Settings.whole("PORT", RUNNER_HEALTH_PORT, 0, 65_535),
        runnerHost: Config.withDefault(Config.nonEmptyString("RUNNER_HOST"), "127.0.0.1"),
        runnerPort: Settings.whole("RUNNER_PORT", RUNNER_PORT, 0, 65_535),
        shardLockExpiry
      }),
      "LOOM"
    ),
    stores
  }),
  ({ own: { actors, ...rest } }) => ({ ...actors, ...rest })
)
