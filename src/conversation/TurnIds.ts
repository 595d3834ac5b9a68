/**
 * What turns are called, so that the same turn given to us again is known. A turn that states its time is named after what
 * it says of itself; in a request under an idempotency key one without a time is named after the key and its place, else it
 * gets a fresh id. In a whole transcript it is named after the turn before it, so that the transcript always gets the same
 * ids, and a longer one the same for what it begins with. Pure; docs/adr/0023 says why.
 */
import { canonical, sha256 } from "../kernel/Json.ts"
import type { Json } from "../kernel/Json.ts"
import type { TurnRole, TurnWriter } from "./TurnModel.ts"

/** What a turn says of itself. */
export interface StatedTurn {
  readonly role: TurnRole
  readonly speaker: string
  readonly content: string
  /** Milliseconds; null when nobody knows. */
  readonly at: number | null
}

// 128 bits: nobody can look for two turns of one id.
const named = (facts: ReadonlyArray<Json>): string => `turn_${sha256(canonical(facts)).slice(0, 32)}`

const placeOf = ({ agent, namespace, org, session_id, user_id }: TurnWriter): ReadonlyArray<Json> => [
  org,
  namespace,
  agent,
  user_id,
  session_id
]

const saidOf = ({ at, content, role, speaker }: StatedTurn): ReadonlyArray<Json> => [role, speaker, at, content]

/** A turn with its place among what was sent, refused messages included. */
export interface PlacedTurn extends StatedTurn {
  readonly place: number
}

/** How many turns before each one are the same in all that they say of themselves. */
const repeats = (turns: ReadonlyArray<StatedTurn>): ReadonlyArray<number> => {
  const seen = new Map<string, number>()
  return turns.map((turn) => {
    const said = sha256(canonical(saidOf(turn)))
    const before = seen.get(said) ?? 0
    seen.set(said, before + 1)
    return before
  })
}

const dated = (writer: TurnWriter, turn: StatedTurn, before: number): string =>
  named(["at", ...placeOf(writer), ...saidOf(turn), before])

/**
 * The ids of turns that are added to a session, in their order; null for one that is to get a fresh id. `key` is the hash
 * under which the request's idempotency key is known, empty without one.
 */
export const appendedIds = (
  writer: TurnWriter,
  turns: ReadonlyArray<PlacedTurn>,
  key: string
): ReadonlyArray<string | null> => {
  const before = repeats(turns)
  return turns.map((turn, index) =>
    turn.at !== null
      ? dated(writer, turn, before[index] ?? 0)
      : key === ""
      ? null
      : named(["key", ...placeOf(writer), key, turn.place])
  )
}

/** The ids of a whole transcript, in its order. A dated turn has the id that it would have by itself. */
export const transcriptIds = (writer: TurnWriter, turns: ReadonlyArray<StatedTurn>): ReadonlyArray<string> => {
  const before = repeats(turns)
  const ids: Array<string> = []
  for (const [index, turn] of turns.entries()) {
    ids.push(
      turn.at !== null
        ? dated(writer, turn, before[index] ?? 0)
        : named(["after", ...placeOf(writer), ids[index - 1] ?? "", ...saidOf(turn)])
    )
  }
  return ids
}
