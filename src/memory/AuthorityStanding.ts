/**
 * Under which authority memory is right now, as this process knows it. Postgres is asked again when the last word is older than
 * half a second, and every taking of a namespace brings it too; a move waits longer between the change of authority and the
 * first write, so nobody reads the wrong store by then. Which namespace was taken under which authority is kept, since what an owner
 * does later belongs to the store that he took it in: there he is refused when it was moved meanwhile.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { actorId } from "../kernel/Identity.ts"
import { Postgres } from "../platform/Postgres.ts"
import type { Authority } from "./AuthorityModel.ts"
import * as AuthorityPostgres from "./AuthorityPostgres.ts"
import type { Taken, Tenancy } from "./Fence.ts"

export class AuthorityStanding extends Context.Tag("loom/memory/AuthorityStanding")<AuthorityStanding, {
  /** The one of now; while Postgres does not answer, the last that was heard of. */
  readonly current: Effect.Effect<Authority>
  /** Takes a namespace, and remembers under which authority that was. */
  readonly taking: <E>(take: Effect.Effect<Taken, E>) => Effect.Effect<Taken, E>
  /** Under which an owner took his namespace; of one who is no longer the owner here, that of ClickHouse, whose fence refuses. */
  readonly of: (owner: Tenancy) => Authority
}>() {}

// A read may ask the store of before for this long; one small statement a process and half a second.
const TRUST_NANOS = 500_000_000n

// A read waits for the word of a Postgres that is slow, not of one that is cut off.
const PATIENCE = Duration.seconds(1)

/** How long after a change of authority every process that reaches Postgres knows of it: more than both together. */
export const KNOWN_AFTER = Duration.seconds(2)

/** `told` is what the process started under, and found to be so. */
export const layer = (told: Authority): Layer.Layer<AuthorityStanding, never, Postgres> =>
  Layer.effect(
    AuthorityStanding,
    Effect.gen(function*() {
      const postgres = yield* Postgres
      const turn = yield* Effect.makeSemaphore(1)
      const owned = new Map<string, { readonly epoch: bigint; readonly authority: Authority }>()
      let known = told
      /** By a clock that nobody sets; null before the first word. */
      let heardAt: bigint | null = null

      const isFresh = (now: bigint): boolean => heardAt !== null && now - heardAt < TRUST_NANOS

      const hear = (authority: Authority, at: bigint) =>
        Effect.suspend(() => {
          // Asked before what is known was; its answer was slow.
          if (heardAt !== null && at < heardAt) return Effect.void
          const isNews = authority !== known
          known = authority
          heardAt = at
          return isNews
            ? Effect.logWarning(
              `Memory is under the authority of ${authority} now: start processes with LOOM_AUTHORITY=${authority} from here on`
            )
            : Effect.void
        })

      const look = turn.withPermits(1)(Effect.flatMap(Clock.currentTimeNanos, (now) =>
        isFresh(now)
          ? Effect.void
          : AuthorityPostgres.decided.pipe(
            Effect.provideService(Postgres, postgres),
            Effect.interruptible,
            Effect.disconnect,
            Effect.timeout(PATIENCE),
            Effect.matchEffect({
              // Whoever needs Postgres as well is refused there; the log has why.
              onFailure: () => Effect.flatMap(Clock.currentTimeNanos, (later) => hear(known, later)),
              onSuccess: (found) => hear(found ?? "clickhouse", now)
            })
          )))

      return AuthorityStanding.of({
        current: Effect.flatMap(
          Clock.currentTimeNanos,
          (now) => isFresh(now) ? Effect.succeed(known) : Effect.map(look, () => known)
        ),
        taking: (take) =>
          Effect.flatMap(Clock.currentTimeNanos, (began) =>
            Effect.tap(take, ({ authority = "clickhouse", epoch, scope }) => {
              owned.set(actorId(scope), { epoch, authority })
              return hear(authority, began)
            })),
        of: ({ epoch, scope }) => {
          const own = owned.get(actorId(scope))
          return own?.epoch === epoch ? own.authority : "clickhouse"
        }
      })
    })
  )
