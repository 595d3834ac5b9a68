/**
 * Replies as they are compared: in brief with what the model expects, and whole, with ids by label and without versions, with
 * the replies of another house.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Reply } from "../../src/memory/ActorBatch.ts"
import { none, refused } from "./ReferenceOutcome.ts"
import type { Outcome, Told } from "./ReferenceOutcome.ts"
import type { Sighted } from "./ReferenceWorld.ts"

type Name = (id: string) => string | undefined

interface Answered {
  readonly memory_key: string
  readonly status: string
  readonly conflict_verdict: string
  readonly merged_into_key: string | null
  readonly duplicate_of: string | null
  readonly superseded_by: string | null
  readonly conflict_with: ReadonlyArray<string>
  readonly reinforcement_count: number
  readonly pinned: boolean
  readonly retired: ReadonlyArray<{ readonly memory_id: string }>
  readonly peers: ReadonlyArray<{ readonly memory_id: string; readonly verdict: string }>
}

// A row that a dry run alone would make has no id to be known by.
const UNMADE = "?"

const told = (answer: Answered, name: Name): Told => {
  const by = (id: string) => name(id) ?? UNMADE
  return {
    key: answer.memory_key,
    status: answer.status,
    verdicts: [answer.conflict_verdict],
    merged: answer.merged_into_key,
    duplicateOf: answer.duplicate_of === null ? null : by(answer.duplicate_of),
    supersededBy: answer.superseded_by === null ? null : by(answer.superseded_by),
    conflicts: answer.conflict_with.map(by),
    count: answer.reinforcement_count,
    pinned: answer.pinned,
    retired: answer.retired.map((row) => by(row.memory_id)),
    peers: answer.peers.map((peer) => `${by(peer.memory_id)} ${peer.verdict}`)
  }
}

/** A reply in brief. */
export const outcomeOf = (reply: Reply, name: Name): Outcome => {
  if (Exit.isFailure(reply)) {
    const failure = Option.getOrUndefined(Cause.failureOption(reply.cause))
    return refused(failure?._tag === "Refusal" ? failure.code : failure?._tag ?? Cause.pretty(reply.cause))
  }
  const answer = reply.value
  if (answer === undefined) return none("no answer")
  if ("stored" in answer) {
    return {
      tag: "each",
      results: answer.results.map((one) =>
        one.answer === null ? refused(one.code ?? "?") : { tag: "told", told: told(one.answer, name) }
      )
    }
  }
  if ("results" in answer) {
    return {
      tag: "each",
      results: answer.results.map((one) =>
        one.outcome === "refused"
          ? refused(one.code ?? "?")
          : one.outcome !== "changed" || one.answer === null
          ? none(one.outcome)
          : { tag: "told", told: told(one.answer, name) }
      )
    }
  }
  if ("tombstoned" in answer) {
    const [id] = answer.memory_ids
    return answer.found && id !== undefined ? { tag: "deleted", label: name(id) ?? UNMADE } : none("not_found")
  }
  if ("reason" in answer && answer.reason !== null) return none(answer.reason)
  return "memory_key" in answer && isAnswered(answer) ? { tag: "told", told: told(answer, name) } : none("no answer")
}

const isAnswered = (answer: object): answer is Answered =>
  "conflict_verdict" in answer && answer.conflict_verdict !== undefined

/** What the model takes from a reply where it leaves a choice: the row that answers for a write. */
export const sightedIn = (outcome: Outcome, served: (label: string) => boolean): ReadonlyArray<Sighted> => {
  const one = (part: Outcome): Sighted => ({
    answered: part.tag !== "told"
      ? undefined
      : part.told.duplicateOf ?? (part.told.status === "superseded" ? part.told.supersededBy : null) ??
        part.told.peers[0]?.split(" ").slice(0, -1).join(" "),
    served
  })
  return outcome.tag === "each" ? outcome.results.map(one) : [one(outcome)]
}

const sorted = (texts: ReadonlyArray<string>) => [...texts].sort()

/** What differs between what was expected and what was answered; empty when nothing does. */
export const differences = (
  expected: Outcome,
  seen: Outcome,
  isKnown: (label: string) => boolean
): ReadonlyArray<string> => {
  if (expected.tag !== seen.tag) return [`expected ${brief(expected)}, was answered ${brief(seen)}`]
  if (expected.tag === "each" && seen.tag === "each") {
    return expected.results.length === seen.results.length
      ? expected.results.flatMap((one, at) => {
        const other = seen.results[at]
        return other === undefined ? [] : differences(one, other, isKnown).map((text) => `item ${at}: ${text}`)
      })
      : [`expected ${expected.results.length} results, got ${seen.results.length}`]
  }
  if (expected.tag !== "told" || seen.tag !== "told") {
    return brief(expected) === brief(seen) ? [] : [`expected ${brief(expected)}, was answered ${brief(seen)}`]
  }
  const made = (label: string) => isKnown(label) ? label : UNMADE
  const madePeer = (peer: string) => `${made(peer.split(" ").slice(0, -1).join(" "))} ${peer.split(" ").at(-1)}`
  const [left, right] = [expected.told, seen.told]
  const faults: Array<string> = []
  const same = (name: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other)) {
      faults.push(`${name}: expected ${JSON.stringify(one)}, was answered ${JSON.stringify(other)}`)
    }
  }
  same("key", left.key, right.key)
  same("status", left.status, right.status)
  same("merged", left.merged, right.merged)
  same("duplicate_of", left.duplicateOf === null ? null : made(left.duplicateOf), right.duplicateOf)
  same("superseded_by", left.supersededBy === null ? null : made(left.supersededBy), right.supersededBy)
  same("conflict_with", sorted(left.conflicts.map(made)), sorted(right.conflicts))
  same("reinforcement_count", left.count, right.count)
  same("pinned", left.pinned, right.pinned)
  same("retired", sorted(left.retired.map(made)), sorted(right.retired))
  if (!left.verdicts.some((verdict) => right.verdicts.includes(verdict))) {
    same("verdict", left.verdicts.join(" or "), right.verdicts.join())
  }
  // Up to five peers are shown.
  const peers = left.peers.map(madePeer)
  if (right.peers.length !== Math.min(5, peers.length) || right.peers.some((peer) => !peers.includes(peer))) {
    same("peers", sorted(peers), sorted(right.peers))
  }
  return faults
}

const brief = (outcome: Outcome): string => JSON.stringify(outcome)

const ID = /mem_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

// What two houses need not have alike.
const UNLIKE = ["version", "version_text", "similarity", "namespace"]

/** A whole reply with ids by label, without versions and rounded cosines. */
export const comparable = (reply: Reply, name: Name): string => {
  const value = Exit.match(reply, {
    onFailure: (cause) => ({ failure: Option.getOrNull(Cause.failureOption(cause)) }),
    onSuccess: (answer) => ({ answer: answer ?? null })
  })
  const plain = (_: string, inner: unknown): unknown =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
        Object.entries(inner).filter(([name]) => !UNLIKE.includes(name)).sort(([left], [right]) =>
          left < right ? -1 : 1
        )
      )
      : inner
  return JSON.stringify(value, plain)
    .replaceAll(ID, (id) => `<${name(id) ?? UNMADE}>`)
}
