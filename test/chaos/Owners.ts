/**
 * Who owns which namespace, by what Postgres knows: each shard is an advisory lock of some runner's session, and each
 * runner's sessions come through its own proxy. Looked at twice a second, so that the owner at the moment of a fault is
 * known; while Postgres is away the last look counts.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { actorId } from "../../src/kernel/Identity.ts"
import type { House } from "./House.ts"

export interface Owners {
  /** The namespaces whose shard a runner holds. */
  readonly ownedBy: (runner: string) => ReadonlyArray<string>
}

const Lock = Schema.Struct({ lock: Schema.Number, port: Schema.NullOr(Schema.Number) })
const decode = Schema.decodeUnknown(Schema.Array(Lock))

// As the cluster's library numbers the locks of its first group, by its default number of shards.
const FIRST_LOCK = 1_000_000
const SHARDS = 300

// Of a gateway in single-user mode.
const ORG = "dev"

/** The library's hash of an actor's id, which says its shard. */
const hash = (text: string): number => {
  let hashed = 5381
  for (let at = text.length; at > 0;) hashed = (hashed * 33) ^ text.charCodeAt(--at)
  return (hashed & 0xbfffffff) | ((hashed >>> 1) & 0x40000000)
}

/** The number of the lock of a namespace's shard. */
const lockOf = (namespace: string): number => FIRST_LOCK + Math.abs(hash(actorId({ org: ORG, namespace })) % SHARDS) + 1

export const watch = (house: House, namespaces: ReadonlyArray<string>): Effect.Effect<Owners, never, Scope> =>
  Effect.gen(function*() {
    const owners = new Map<string, string>()
    const look = Effect.gen(function*() {
      const sql = yield* PgClient.make({ url: house.postgresUrl, maxConnections: 1 })
      const rows = yield* sql`
        SELECT l.objid::int AS lock, a.client_port AS port FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted AND l.objid::bigint > ${FIRST_LOCK}`
      const holders = new Map((yield* decode(rows)).map(({ lock, port }) => [lock, port]))
      for (const namespace of namespaces) {
        const port = holders.get(lockOf(namespace))
        const runner = port && house.runners.find(({ postgres }) => postgres.isOf(port))
        if (runner) owners.set(namespace, runner.name)
      }
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.timeout("2 seconds"), Effect.ignore)
    yield* look
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(look, Effect.sleep("500 millis"))))
    return {
      ownedBy: (runner) => [...owners].flatMap(([namespace, owner]) => owner === runner ? [namespace] : [])
    }
  })
