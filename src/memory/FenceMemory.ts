/**
 * The fence in this process: for tests, and to say in few lines what every fence does. Each call is one step that no other
 * comes between.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { Fence } from "./Fence.ts"
import type { Intent, OpenIntent, Tenancy } from "./Fence.ts"

interface Kept {
  readonly intent: Intent
  state: "open" | "done" | "doomed" | "void"
}

interface Place {
  epoch: bigint
  /** The last commit that was reserved under the epoch. */
  seq: bigint
  version: bigint
  /** In the order in which they were reserved. */
  intents: Array<Kept>
}

type Pair = Tenancy & { readonly seq: bigint }

export const layerMemory: Layer.Layer<Fence> = Layer.sync(Fence, () => {
  const places = new Map<string, Place>()

  const placeOf = (scope: Scope): Place => {
    const found = places.get(actorId(scope)) ?? { epoch: 0n, seq: 0n, version: 0n, intents: [] }
    places.set(actorId(scope), found)
    return found
  }

  const isOwner = ({ epoch, scope }: Tenancy): boolean => placeOf(scope).epoch === epoch

  const keptOf = ({ epoch, scope, seq }: Pair): Kept | undefined =>
    placeOf(scope).intents.find(({ intent }) => intent.epoch === epoch && intent.seq === seq)

  const reserveOne = (intent: Intent): boolean => {
    const place = placeOf(intent.scope)
    if (place.epoch !== intent.epoch || intent.seq < place.seq) return false
    const before = keptOf(intent)
    if (before !== undefined && !isSame(before.intent, intent)) return false
    if (before === undefined) {
      place.seq = intent.seq
      place.version = place.version > intent.top ? place.version : intent.top
      place.intents.push({ intent, state: "open" })
    }
    // What lies decided before it is not asked for again.
    place.intents = place.intents.filter((kept) => isUndecided(kept) || !isEarlier(kept.intent, intent))
    return true
  }

  /** Decides an intent in one of some states; one that is decided so already may be decided so again. */
  const decide = (owner: Tenancy, pair: Pair, from: Kept["state"], to: Kept["state"]): boolean => {
    const kept = keptOf(pair)
    if (!isOwner(owner) || kept === undefined || (kept.state !== from && kept.state !== to)) return false
    kept.state = to
    return true
  }

  return {
    take: Effect.fn("Fence.take")((scope: Scope) =>
      Effect.sync(() => {
        const place = placeOf(scope)
        place.epoch += 1n
        place.seq = 0n
        const open = place.intents.flatMap(({ intent, state }): ReadonlyArray<OpenIntent> =>
          state === "open" || state === "doomed" ? [{ ...intent, state }] : []
        )
        return { scope, epoch: place.epoch, version: place.version, open }
      })
    ),
    reserve: Effect.fn("Fence.reserve")((intents: ReadonlyArray<Intent>) => Effect.sync(() => intents.map(reserveOne))),
    confirm: Effect.fn("Fence.confirm")((pairs: ReadonlyArray<Pair>) =>
      Effect.sync(() => pairs.map((pair) => decide(pair, pair, "open", "done")))
    ),
    adopt: Effect.fn("Fence.adopt")((owner: Tenancy, intent: OpenIntent) =>
      Effect.sync(() => decide(owner, intent, "open", "done"))
    ),
    doom: Effect.fn("Fence.doom")((owner: Tenancy, intent: OpenIntent, versions: number) =>
      Effect.sync(() => {
        if (!decide(owner, intent, "open", "doomed")) return Option.none()
        const place = placeOf(owner.scope)
        const first = place.version + 1n
        place.version += BigInt(versions)
        return Option.some(first)
      })
    ),
    bury: Effect.fn("Fence.bury")((owner: Tenancy, intent: OpenIntent) =>
      Effect.sync(() => decide(owner, intent, "doomed", "void"))
    )
  }
})

const isUndecided = ({ state }: Kept): boolean => state === "open" || state === "doomed"

const isEarlier = (one: Intent, other: Intent): boolean =>
  one.epoch < other.epoch || (one.epoch === other.epoch && one.seq < other.seq)

/** Whether an intent is the one that was reserved under its pair. */
const isSame = (kept: Intent, intent: Intent): boolean => plain(kept) === plain(intent)

/** One text for everything an intent says. */
const plain = ({ answers, links, rows, top }: Intent): string =>
  JSON.stringify([
    String(top),
    links.map(String),
    answers,
    rows.map((
      row
    ) => [row.agent, row.user_id, row.session_id, row.memory_key, row.memory_id, String(row.version), row.hides])
  ])
