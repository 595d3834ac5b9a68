/**
 * The fence under the authority of Postgres: a commit of memory and the look at its owner are one statement there
 * (`MemoryCommitPostgres`), so there is nothing of it to reserve, to confirm or to settle. What writes nothing of memory (a
 * worker that moves its cursor) is asked about at the fence underneath, like taking.
 */
import * as Effect from "effect/Effect"
import { actorId } from "../kernel/Identity.ts"
import type { Authority } from "./AuthorityModel.ts"
import type { Fence, Intent, Tenancy } from "./Fence.ts"

type Pair = Tenancy & { readonly seq: bigint }

const keyOf = ({ epoch, scope, seq }: Pair): string => `${actorId(scope)} ${epoch} ${seq}`

const isOfMemory = ({ answers, links, rows }: Intent): boolean => rows.length + links.length + answers.length > 0

/** Asks the fence about those of a list that are its business, and takes the others for granted. */
const askedOf = <A, E>(
  all: ReadonlyArray<A>,
  isAsked: (one: A) => boolean,
  ask: (some: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<boolean>, E>
): Effect.Effect<ReadonlyArray<boolean>, E> => {
  // Looked at once: an answer may change what is asked about.
  const asked = all.map(isAsked)
  const some = all.filter((_, at) => asked[at])
  return some.length === 0
    ? Effect.succeed(all.map(() => true))
    : Effect.map(ask(some), (told) => {
      const answers = [...told]
      return asked.map((isOne) => !isOne || answers.shift() === true)
    })
}

/** A fence over that of Postgres; `under` tells under which authority an owner took his namespace. */
export const make = (fence: Fence["Type"], under: (owner: Tenancy) => Authority): Fence["Type"] => {
  /** What was reserved underneath and not yet confirmed. */
  const reserved = new Set<string>()
  return {
    ...fence,
    // What was left undecided of memory under the other authority is settled before that is left.
    take: (scope) =>
      Effect.map(fence.take(scope), (taken) =>
        taken.authority === "clickhouse"
          ? taken
          : { ...taken, open: taken.open.filter((intent) => !isOfMemory(intent)) }),
    reserve: (intents) =>
      askedOf(
        intents,
        (intent) => !isOfMemory(intent) || under(intent) === "clickhouse",
        (some) =>
          Effect.tap(
            fence.reserve(some),
            () => Effect.sync(() => some.forEach((intent) => reserved.add(keyOf(intent))))
          )
      ),
    confirm: (pairs) =>
      askedOf(
        pairs,
        (pair) => reserved.has(keyOf(pair)),
        (some) =>
          Effect.tap(fence.confirm(some), () => Effect.sync(() => some.forEach((pair) => reserved.delete(keyOf(pair)))))
      )
  }
}
