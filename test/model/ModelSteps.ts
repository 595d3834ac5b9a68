/**
 * The steps of a history, abstract: who does what to which slot (a writer and a key), never by id, version or hash. Those are
 * looked up when a step is carried out, so that one history means the same in every house it is played in.
 */
import type { ConflictPolicy } from "../../src/namespace/NamespaceModel.ts"
import type { Claim } from "./ModelClaims.ts"
import { textOf } from "./ModelClaims.ts"

export const WRITERS = [
  { agent: "ann", user_id: "-", session_id: "" },
  { agent: "bob", user_id: "-", session_id: "" },
  { agent: "ann", user_id: "-", session_id: "s2" },
  { agent: "ann", user_id: "uma", session_id: "" }
] as const

/** The type of a memory goes by its key; what is under `log` is not searched. */
export const KEYS = ["a", "b", "c", "log"] as const
export const typeOf = (key: string): string => key === "log" ? "episodic" : "semantic"

export interface Slot {
  readonly writer: number
  readonly key: number
}

export const placeOf = ({ key, writer }: Slot) => ({
  ...(WRITERS[writer] ?? WRITERS[0]),
  memory_key: KEYS[key] ?? KEYS[0]
})

/** The name of a slot's memory, in every house. */
export const labelOf = (
  place: { readonly agent: string; readonly user_id: string; readonly session_id: string; readonly memory_key: string }
): string => [place.agent, place.user_id, place.session_id, place.memory_key].join(" ")

/** What a memory under this tag is judged by, whatever the namespace's policy: append_only. */
export const APPENDING = "journal"

/** How long until an end or a lock lapses (milliseconds). */
export const SOON = 60_000
export const WAITS = [1, 1_000, SOON, 25 * 3_600_000, 13 * 86_400_000, 15 * 86_400_000] as const

/** What a write states beside its claim; times by name, so that they mean the same whenever the step is done. */
export interface Stated {
  readonly pinned?: boolean
  /** Days since the beginning of 2026. */
  readonly valid_at?: number | null
  /** Milliseconds from now. */
  readonly valid_to?: number | null
  readonly expires_at?: number | null
  readonly tags?: ReadonlyArray<string>
}

/** The hash that a write expects: none, of the row as it is, or another. */
export type Match = "none" | "current" | "other"

export interface SetPart {
  readonly slot: Slot
  readonly claim: Claim
  readonly stated: Stated
  readonly run: string
  readonly match: Match
  readonly source: "asserted" | "imported" | "extracted" | "derived"
}

export type MoveKind =
  | { readonly kind: "tombstone"; readonly change: "delete" | "expire" }
  | { readonly kind: "reject" }
  | { readonly kind: "pin"; readonly pinned: boolean }
  | {
    readonly kind: "lock"
    readonly mode: "" | "read_only" | "no_delete"
    readonly until: number | null
    readonly mayLoosen: boolean
  }
  | { readonly kind: "touch"; readonly expires_at: number | null }
  | { readonly kind: "label"; readonly add: ReadonlyArray<string>; readonly remove: ReadonlyArray<string> }
  | { readonly kind: "verify"; readonly matches: boolean }
  | { readonly kind: "accept" }
  | { readonly kind: "allow"; readonly other: Slot }
  | { readonly kind: "retire"; readonly by: Slot }
  | { readonly kind: "correct"; readonly claim: Claim; readonly stated: Stated }

export interface MovePart {
  readonly slot: Slot
  readonly move: MoveKind
  readonly expected: Match
}

/** `narrow`: the target names the writer too, or the memory by id; else the key alone. */
export type Aim = "key" | "writer" | "id"

export type Act =
  | { readonly tag: "set"; readonly part: SetPart; readonly proposed: boolean; readonly dry: boolean }
  | { readonly tag: "bulk"; readonly parts: ReadonlyArray<SetPart>; readonly dry: boolean }
  | {
    readonly tag: "update"
    readonly slot: Slot
    readonly aim: Aim
    readonly claim: Claim | null
    readonly stated: Stated
    readonly match: Match
    readonly run: string
    readonly dry: boolean
  }
  | { readonly tag: "delete"; readonly slot: Slot; readonly aim: Aim; readonly match: Match; readonly dry: boolean }
  | { readonly tag: "restore"; readonly slot: Slot; readonly aim: Aim; readonly dry: boolean }
  | { readonly tag: "move"; readonly parts: ReadonlyArray<MovePart>; readonly dry: boolean }
  /** Every head back to where it stood `back` acts ago. */
  | { readonly tag: "rollback"; readonly back: number; readonly dry: boolean }

export type Step =
  | { readonly tag: "act"; readonly act: Act; readonly idem: string }
  /** The act of `back` steps ago once more, under the same idempotency key. */
  | { readonly tag: "again"; readonly back: number }
  | { readonly tag: "wait"; readonly millis: number }

/** A read of the past: what is read, on which axis, and when, as numbers among the moments there are. */
export interface Ask {
  readonly what: "list" | "all" | "get" | "timeline"
  readonly axis: "valid" | "knowledge" | "both"
  readonly key: number
  readonly at: number
  readonly known: number
  /** After which act it is asked first. */
  readonly after: number
}

export interface History {
  readonly policy: ConflictPolicy
  /** Whether one subject's predicate holds several values. */
  readonly many: boolean
  readonly steps: ReadonlyArray<Step>
  /** Where it is played a second time. */
  readonly again: "state" | "queries"
  /** Sizes of batches, used in turn. */
  readonly cuts: ReadonlyArray<number>
  /** After which batches the state is thrown away, used in turn. */
  readonly restarts: ReadonlyArray<boolean>
  /** What the commits of batches meet, used in turn. */
  readonly faults: ReadonlyArray<"none" | "before" | "after" | "torn">
  readonly asks: ReadonlyArray<Ask>
}

// ---- as text -----------------------------------------------------------------------------------------------------

const slotText = (slot: Slot) => `<${labelOf(placeOf(slot))}>`
const facts = (stated: object) => JSON.stringify(stated).slice(1, -1).replaceAll("\"", "")
const words = (...parts: ReadonlyArray<string>) => parts.filter((part) => part !== "").join(" ")

const partText = ({ claim, match, run, slot, source, stated }: SetPart): string =>
  words(
    `${slotText(slot)} "${textOf(claim)}"`,
    facts(stated),
    run === "" ? "" : `run:${run}`,
    match === "none" ? "" : `if_match:${match}`,
    source === "asserted" ? "" : source
  )

const movePartText = ({ expected, move, slot }: MovePart): string => {
  const { kind, ...rest } = move
  const said = JSON.stringify(rest, (_, value) =>
    typeof value !== "object" || value === null
      ? value
      : "subject" in value
      ? textOf(value)
      : "writer" in value
      ? slotText(value)
      : value)
  return words(
    kind,
    slotText(slot),
    said.slice(1, -1).replaceAll("\"", ""),
    expected === "none" ? "" : `version:${expected}`
  )
}

export const actText = (act: Act): string => {
  const dry = act.dry ? " (dry run)" : ""
  switch (act.tag) {
    case "set":
      return `set${act.proposed ? " proposed" : ""} ${partText(act.part)}${dry}`
    case "bulk":
      return `bulk_set${dry}: ${act.parts.map(partText).join("; ")}`
    case "update":
      return words(
        `update${dry} by ${act.aim} ${slotText(act.slot)}`,
        act.claim === null ? "" : `"${textOf(act.claim)}"`,
        facts(act.stated),
        act.match === "none" ? "" : `if_match:${act.match}`,
        act.run === "" ? "" : `run:${act.run}`
      )
    case "delete":
      return `delete${dry} by ${act.aim} ${slotText(act.slot)}${act.match === "none" ? "" : ` if_match:${act.match}`}`
    case "restore":
      return `restore${dry} by ${act.aim} ${slotText(act.slot)}`
    case "move":
      return `transition${dry}: ${act.parts.map(movePartText).join("; ")}`
    case "rollback":
      return `rollback${dry} to ${act.back} acts before`
  }
}

export const stepText = (step: Step): string =>
  step.tag === "wait"
    ? `wait ${step.millis} ms`
    : step.tag === "again"
    ? `again the act of ${step.back} steps before`
    : words(actText(step.act), step.idem === "" ? "" : `idempotency_key:${step.idem}`)
