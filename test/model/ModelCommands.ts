/**
 * From an act to the command the actor is told, as the edge would make it: the row it is about is looked up as a plain read
 * sees it, its value is prepared. What was found is kept by name, so that the same command can be made for another house.
 */
import { sha256 } from "../../src/kernel/Json.ts"
import type {
  Assumed,
  SetItem,
  Statement,
  Target,
  Transition,
  TransitionItem,
  WriteCommand,
  WriteMeta
} from "../../src/memory/MemoryCommand.ts"
import { isExpired, isLive } from "../../src/memory/MemoryModel.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { claimIn, contentOf } from "./ModelClaims.ts"
import type { Claim } from "./ModelClaims.ts"
import { labelOf, placeOf, typeOf } from "./ModelSteps.ts"
import type { Act, Aim, Match, MovePart, SetPart, Slot, Stated } from "./ModelSteps.ts"

/** What a house knows of the memories in it, by label. */
export interface Known {
  readonly id: (label: string) => string | undefined
  /** Every version, oldest first. */
  readonly versions: (label: string) => ReadonlyArray<MemoryRow>
}

/** How many versions each memory had when an act was over. */
export type Counts = ReadonlyMap<string, number>

export interface Prepared {
  /** The memories that must be there before the command can be made. */
  readonly needs: ReadonlyArray<string>
  /** Whether the command needs the versions as they are just before it. */
  readonly exact: boolean
  readonly make: (known: Known, stamps: { readonly writeId: string; readonly idem: string }) => WriteCommand
}

export interface Sight {
  /** The heads by label. */
  readonly heads: ReadonlyMap<string, MemoryRow>
  readonly now: number
  /** Versions by label after each act so far. */
  readonly counts: ReadonlyArray<Counts>
}

const NOBODY = "mem_nobody"
const OTHER_HASH = sha256("something else")
const DAY = 86_400_000
export const validAtOf = (days: number | null): number | null =>
  days === null ? null : Date.UTC(2026, 0, 1) + days * DAY

const metaOf = (act: Act, stamps: { readonly writeId: string; readonly idem: string }): WriteMeta => ({
  write_id: stamps.writeId,
  idem_hash: stamps.idem === "" ? "" : sha256(stamps.idem),
  payload_hash: stamps.idem === "" ? "" : sha256(JSON.stringify(act)),
  actor: "human:ada",
  bound_user: null,
  source_class: "asserted",
  run_id: act.tag === "update" ? act.run : "",
  dry_run: act.dry,
  advisories: [],
  degraded: []
})

const statementOf = (stated: Stated, now: number): Statement => ({
  ...(stated.pinned === undefined ? {} : { pinned: stated.pinned }),
  ...(stated.tags === undefined ? {} : { tags: stated.tags }),
  ...(stated.valid_at === undefined ? {} : { valid_at: validAtOf(stated.valid_at) }),
  ...(stated.valid_to === undefined ? {} : { valid_to: stated.valid_to === null ? null : now + stated.valid_to }),
  ...(stated.expires_at === undefined
    ? {}
    : { expires_at: stated.expires_at === null ? null : now + stated.expires_at })
})

const matchOf = (match: Match, row: MemoryRow | undefined): string | null =>
  match === "none" ? null : match === "current" ? row?.content_sha256 ?? OTHER_HASH : OTHER_HASH

const itemOf = (part: SetPart, proposed: boolean, { heads, now }: Sight): SetItem => {
  const place = placeOf(part.slot)
  return {
    ...place,
    run_id: part.run,
    content: contentOf(part.claim, typeOf(place.memory_key)),
    statement: statementOf(part.stated, now),
    source_class: part.source,
    if_match_sha256: matchOf(part.match, heads.get(labelOf(place))),
    proposed,
    advisories: []
  }
}

/** The row that a plain read finds for a target. */
const found = (slot: Slot, aim: Aim, { heads }: Sight, isMeant: (row: MemoryRow) => boolean): MemoryRow | undefined => {
  const place = placeOf(slot)
  return [...heads.values()]
    .filter((row) => (aim === "key" ? row.memory_key === place.memory_key : labelOf(row) === labelOf(place)))
    .sort((left, right) => left.version > right.version ? -1 : 1)
    .find(isMeant)
}

const targetOf = (slot: Slot, aim: Aim, known: Known): Target => {
  const place = placeOf(slot)
  const nobody = { memory_key: null, memory_id: null, agent: null, user_id: null, session_id: null }
  return aim === "id"
    ? { ...nobody, memory_id: known.id(labelOf(place)) ?? NOBODY }
    : aim === "key"
    ? { ...nobody, memory_key: place.memory_key }
    : { ...nobody, ...place }
}

const assumedOf = (row: MemoryRow | undefined, known: Known, fromOldValue: boolean): Assumed => ({
  memory_id: row === undefined ? "" : known.id(labelOf(row)) ?? NOBODY,
  content_sha256: fromOldValue ? row?.content_sha256 ?? "" : "",
  memory_type: row?.memory_type ?? "",
  sensitivity: "none"
})

const stored = (row: MemoryRow) => contentOf(claimIn(row.value), row.memory_type)
const given = (claim: Claim | null, row: MemoryRow | undefined) =>
  claim === null || row === undefined ? null : contentOf(claim, row.memory_type)
const needing = (aim: Aim, slot: Slot, row: MemoryRow | undefined, { heads }: Sight): ReadonlyArray<string> => {
  const own = labelOf(placeOf(slot))
  return [...(row === undefined ? [] : [labelOf(row)]), ...(aim === "id" && heads.has(own) ? [own] : [])]
}

const transitionOf = (
  { move }: MovePart,
  row: MemoryRow | undefined,
  { now }: Sight,
  known: Known
): Transition => {
  switch (move.kind) {
    case "tombstone":
      return { _tag: "tombstone", change: move.change, rule: "model", reason: "" }
    case "reject":
      return { _tag: "reject", reason: "" }
    case "pin":
      return { _tag: "pin", pinned: move.pinned }
    case "lock":
      return {
        _tag: "lock",
        mode: move.mode,
        until: move.until === null ? null : now + move.until,
        reason: "",
        mayLoosen: move.mayLoosen
      }
    case "touch":
      return {
        _tag: "touch",
        expires_at: move.expires_at === null ? null : now + move.expires_at,
        on_expire: "",
        expire_reason: ""
      }
    case "label":
      return { _tag: "label", add_tags: move.add, remove_tags: move.remove }
    case "verify":
      return {
        _tag: "verify",
        kind: "human",
        by: "human:ada",
        content_sha256: move.matches ? row?.content_sha256 ?? OTHER_HASH : OTHER_HASH
      }
    case "accept":
      return { _tag: "accept" }
    case "allow":
      return { _tag: "allow", others: [known.id(labelOf(placeOf(move.other))) ?? NOBODY], reason: "" }
    case "retire":
      return { _tag: "retire", by: known.id(labelOf(placeOf(move.by))) ?? NOBODY, rule: "model", reason: "" }
    case "correct":
      return { _tag: "correct", assumed: assumedOf(row, known, false), statement: statementOf(move.stated, now) }
  }
}

const movesOf = (parts: ReadonlyArray<MovePart>, sight: Sight) => {
  const rows = parts.map(({ slot }) => sight.heads.get(labelOf(placeOf(slot))))
  const named = parts.flatMap(({ move }) =>
    move.kind === "allow" ? [move.other] : move.kind === "retire" ? [move.by] : []
  ).map((slot) => labelOf(placeOf(slot))).filter((label) => sight.heads.has(label))
  return {
    needs: [...rows.flatMap((row) => row === undefined ? [] : [labelOf(row)]), ...named],
    exact: parts.some(({ expected }) => expected !== "none"),
    items: (known: Known) =>
      parts.map((part, at): TransitionItem => {
        const row = rows[at]
        const versions = row === undefined ? [] : known.versions(labelOf(row))
        return {
          target: targetOf(part.slot, "writer", known),
          expected_version: part.expected === "none"
            ? null
            : part.expected === "current"
            ? versions.at(-1)?.version.toString() ?? "1"
            : "1",
          content: row === undefined
            ? null
            : part.move.kind === "accept"
            ? stored(row)
            : part.move.kind === "correct"
            ? given(part.move.claim, row)
            : null,
          transition: transitionOf(part, row, sight, known)
        }
      })
  }
}

/** The namespace as it was after an earlier act: every head back to its version of then. */
const revertsOf = (back: number, { counts, heads }: Sight) => {
  const then = counts[counts.length - 1 - back] ?? new Map<string, number>()
  return (known: Known): ReadonlyArray<TransitionItem> =>
    [...heads.keys()].sort().map((label): TransitionItem => ({
      target: { memory_key: null, memory_id: known.id(label) ?? NOBODY, agent: null, user_id: null, session_id: null },
      expected_version: null,
      content: null,
      transition: { _tag: "revert", to: known.versions(label)[(then.get(label) ?? 0) - 1] ?? null }
    }))
}

export const prepare = (act: Act, sight: Sight): Prepared => {
  const { now } = sight
  switch (act.tag) {
    case "set":
      return {
        needs: [],
        exact: false,
        make: (_, stamps) => ({
          _tag: "memory.set",
          meta: metaOf(act, stamps),
          item: itemOf(act.part, act.proposed, sight)
        })
      }
    case "bulk":
      return {
        needs: [],
        exact: false,
        make: (_, stamps) => ({
          _tag: "memory.bulk_set",
          meta: metaOf(act, stamps),
          items: act.parts.map((part) => itemOf(part, false, sight))
        })
      }
    case "update": {
      const row = found(act.slot, act.aim, sight, (one) => isLive(one, now))
      return {
        needs: needing(act.aim, act.slot, row, sight),
        exact: false,
        make: (known, stamps) => ({
          _tag: act.aim === "id" ? "memory.update_by_id" : "memory.update",
          meta: metaOf(act, stamps),
          target: targetOf(act.slot, act.aim, known),
          assumed: assumedOf(row, known, false),
          content: given(act.claim, row),
          statement: statementOf(act.stated, now),
          if_match_sha256: matchOf(act.match, row)
        })
      }
    }
    case "delete": {
      const row = found(act.slot, act.aim, sight, (one) => isLive(one, now)) ??
        found(act.slot, act.aim, sight, (one) => one.status !== "tombstoned" || isExpired(one))
      return {
        needs: needing(act.aim, act.slot, undefined, sight),
        exact: false,
        make: (known, stamps) => ({
          _tag: "memory.delete",
          meta: metaOf(act, stamps),
          target: targetOf(act.slot, act.aim, known),
          reason: "",
          if_match_sha256: matchOf(act.match, row)
        })
      }
    }
    case "restore": {
      const row = found(
        act.slot,
        act.aim,
        sight,
        (one) => (one.status === "tombstoned" && !isExpired(one)) || one.status === "superseded"
      )
      return {
        needs: needing(act.aim, act.slot, row, sight),
        exact: false,
        make: (known, stamps) => ({
          _tag: "memory.restore",
          meta: metaOf(act, stamps),
          target: targetOf(act.slot, act.aim, known),
          assumed: assumedOf(row, known, true),
          content: row === undefined ? null : stored(row)
        })
      }
    }
    case "move": {
      const { exact, items, needs } = movesOf(act.parts, sight)
      return {
        needs,
        exact,
        make: (known, stamps) => ({
          _tag: "memory.transition",
          meta: metaOf(act, stamps),
          items: items(known)
        })
      }
    }
    case "rollback": {
      const items = revertsOf(act.back, sight)
      return {
        needs: [],
        exact: true,
        make: (known, stamps) => ({
          _tag: "memory.transition",
          meta: metaOf(act, stamps),
          items: items(known)
        })
      }
    }
  }
}
