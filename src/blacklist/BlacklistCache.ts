/**
 * The patterns as this process runs them. A matcher is compiled once for each place and used until the version of the
 * blacklist moves; the version is read again every second while matchers are asked for, so a pattern that another
 * process added holds here within that time, and one that this process added holds at once.
 *
 * Whoever adds a pattern must know when it holds everywhere. So a process first says that it lives (`confirm`) and then
 * reads the version, and it says again what it runs whenever that moves and every two seconds. Others take it for gone
 * five seconds after its last word; it trusts its own state for four, and after that asks before it judges another
 * write. A process that nobody asks for matchers leaves, and costs nothing.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { Scope } from "../kernel/Identity.ts"
import { mintProcessId } from "../kernel/Ids.ts"
import { Corrupt } from "../kernel/LoomError.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { inOrder, matcherOf, nothing } from "./BlacklistMatcher.ts"
import type { Matcher } from "./BlacklistMatcher.ts"
import type { Place } from "./BlacklistModel.ts"
import { placeKey, placesOf } from "./BlacklistModel.ts"
import { BlacklistStore } from "./BlacklistStore.ts"

export type { Matcher } from "./BlacklistMatcher.ts"
export { matcherOf } from "./BlacklistMatcher.ts"

export class BlacklistCache extends Context.Tag("loom/blacklist/BlacklistCache")<BlacklistCache, {
  /** What refuses values in this namespace now: its patterns, then its org's, then the global ones. */
  readonly matcher: (scope: Scope) => Effect.Effect<Matcher, StoreError>
  /** Takes over a version that this process has just made, so that it holds here at once. */
  readonly advance: (version: number) => Effect.Effect<void>
  /** Waits, for at most two seconds, until every process that lives runs this version; false when it is not known. */
  readonly confirmed: (version: number) => Effect.Effect<boolean>
}>() {}

const POLL = Duration.seconds(1)
const HEARTBEAT_NANOS = 2_000_000_000n
// Two heartbeats may be missed.
const GONE_MILLIS = 5_000
// Given up a second before others take the process for gone.
const TRUST_NANOS = 4_000_000_000n
// Past twice the time after which others take it for gone, an unused process only makes noise.
const REST_NANOS = 10_000_000_000n
const CONFIRM_WITHIN = Duration.seconds(2)
const CONFIRM_POLL = Duration.millis(100)
// Some 10 MB without regexes; beyond that the place compiled first is compiled anew when it comes.
const MAX_PLACES = 10_000

interface Compiled {
  readonly version: number
  readonly matcher: Matcher
}

const make = Effect.gen(function*() {
  const store = yield* BlacklistStore
  const processId = yield* mintProcessId
  const life = yield* Effect.scope
  const renewing = yield* Effect.makeSemaphore(1)
  const compiled = new Map<string, Compiled>()
  let version = 0
  let said = -1
  // When this process last said that it lives; null when others may take it for gone.
  let aliveAt: bigint | null = null
  let usedAt = 0n
  let polling = false

  const trusted = (now: bigint): boolean => aliveAt !== null && now - aliveAt < TRUST_NANOS

  const say = Effect.suspend(() => {
    const running = version
    return Effect.map(store.confirm(processId, running), () => {
      said = running
    })
  })

  /** Reads the version and says what is run. A process that may count as gone says first that it is there. */
  const renew = Effect.gen(function*() {
    const began = yield* Clock.currentTimeNanos
    const wasTrusted = trusted(began)
    if (!wasTrusted) yield* say
    version = Math.max(version, yield* store.version)
    const due = aliveAt === null || began - aliveAt >= HEARTBEAT_NANOS
    if (version !== said || (wasTrusted && due)) yield* say
    else if (wasTrusted) return
    aliveAt = began
  })

  const ensureTrusted = renewing.withPermits(1)(
    Effect.flatMap(Clock.currentTimeNanos, (now) => trusted(now) ? Effect.void : renew)
  )

  /** Answers whether to go on. */
  const pollOnce = renewing.withPermits(1)(Effect.gen(function*() {
    const now = yield* Clock.currentTimeNanos
    if (now - usedAt < REST_NANOS) {
      // The store has logged why it failed; the next poll tries again, and past the trusted time matchers wait for it.
      yield* Effect.ignore(renew)
      return true
    }
    // First the trust, then the word: whoever asks from here on waits, and says after this one that he is there.
    polling = false
    aliveAt = null
    yield* Effect.ignore(store.leave(processId))
    return false
  }))

  const poll = Effect.sleep(POLL).pipe(
    Effect.zipRight(pollOnce),
    Effect.repeat({ while: (goesOn) => goesOn }),
    Effect.withTracerEnabled(false),
    // The actors ask from where they must not be interrupted; the poll ends with the process.
    Effect.interruptible
  )

  const compile = (places: ReadonlyArray<Place>, at: number) =>
    Effect.gen(function*() {
      const patterns = yield* store.inForce(places)
      for (const place of places) {
        const key = placeKey(place)
        const own = patterns.filter((one) => placeKey(one) === key)
        const matcher = yield* Effect.try(() => matcherOf(own)).pipe(
          Effect.tapErrorCause((cause) => Effect.logError("A stored pattern does not compile", cause)),
          Effect.mapError(() => new Corrupt({ operation: "BlacklistCache.compile" }))
        )
        const known = compiled.get(key)
        if (known !== undefined && known.version > at) continue
        compiled.delete(key)
        compiled.set(key, { version: at, matcher })
      }
      for (const oldest of compiled.keys()) {
        if (compiled.size <= MAX_PLACES) break
        compiled.delete(oldest)
      }
    })

  const current = (place: Place): Matcher | undefined => {
    const known = compiled.get(placeKey(place))
    return known !== undefined && known.version >= version ? known.matcher : undefined
  }

  /** The matcher of the version that holds when it is handed out, also when that moved while it was compiled. */
  const currentMatcher = (places: ReadonlyArray<Place>): Effect.Effect<Matcher, StoreError> =>
    Effect.suspend(() => {
      const missing = places.filter((place) => current(place) === undefined)
      return missing.length === 0
        ? Effect.succeed(inOrder(places.flatMap((place) => current(place) ?? nothing)))
        : Effect.zipRight(compile(missing, version), currentMatcher(places))
    })

  const matcher = Effect.fn("BlacklistCache.matcher")(function*(scope: Scope) {
    const now = yield* Clock.currentTimeNanos
    usedAt = now
    if (!trusted(now)) yield* ensureTrusted
    if (!polling) {
      yield* Effect.uninterruptible(Effect.suspend(() => {
        polling = true
        return Effect.forkIn(poll, life)
      }))
    }
    return yield* currentMatcher(placesOf(scope))
  })

  yield* Effect.addFinalizer(() => aliveAt === null ? Effect.void : Effect.ignore(store.leave(processId)))

  return {
    matcher,
    advance: (made: number) =>
      renewing.withPermits(1)(Effect.gen(function*() {
        version = Math.max(version, made)
        const now = yield* Clock.currentTimeNanos
        // A process that may count as gone says what it runs before it judges its next write.
        if (!trusted(now)) return
        yield* Effect.matchEffect(say, {
          onFailure: () => Effect.void,
          onSuccess: () =>
            Effect.sync(() => {
              aliveAt = now
            })
        })
      })),
    confirmed: Effect.fn("BlacklistCache.confirmed")(function*(wanted: number) {
      const everyone = Effect.map(
        store.confirmations(GONE_MILLIS),
        (all) => all.every(({ version }) => version >= wanted)
      )
      return yield* everyone.pipe(
        Effect.orElseSucceed(() => false),
        Effect.repeat({ until: (all) => all, schedule: Schedule.spaced(CONFIRM_POLL) }),
        Effect.timeoutTo({ duration: CONFIRM_WITHIN, onSuccess: () => true, onTimeout: () => false })
      )
    })
  }
})

export const layer: Layer.Layer<BlacklistCache, never, BlacklistStore> = Layer.scoped(BlacklistCache, make)

/** Nothing is ever refused: for programs and tests without a blacklist. */
export const layerNone: Layer.Layer<BlacklistCache> = Layer.succeed(BlacklistCache, {
  matcher: () => Effect.succeed(nothing),
  advance: () => Effect.void,
  confirmed: () => Effect.succeed(true)
})
