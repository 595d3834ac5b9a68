/**
 * What a group of fragments comes to, pure: the key and the terms of the row they are merged into, and the text. Without a
 * model only restatements of one claim have a text: the fullest of them, as it stands. A model's text counts when every
 * number and every name in it stands in the sources and it denies nothing that they do not deny.
 */
import type { ClaimCache } from "../memory/claims/ClaimCache.ts"
import { DEFAULT_TYPE } from "../memory/MemoryType.ts"
import { words } from "../platform/Analyzer.ts"
import { denial, formsIn, holds, namesIn, numbersIn } from "../platform/StatedThings.ts"
import type { Group } from "./ConsolidationGroups.ts"

// A short paragraph; what a memory's vector is made from is about twice as long.
export const LONGEST = 600

/** Where the row stands: one place for one subject, whatever is merged into it later. */
export const placeOf = ({ by, isOneOfSeveral, members, subject }: Group) => {
  const [oldest] = members
  const type = oldest?.memory_type ?? DEFAULT_TYPE
  const agents = new Set(members.map(({ agent }) => agent))
  return {
    // What several agents hold belongs to none of them, and what is merged belongs to no one session.
    agent: agents.size === 1 ? oldest?.agent ?? "" : "",
    user_id: oldest?.user_id ?? "",
    session_id: "",
    memory_key: [
      ...(by === "entity" ? ["entity"] : []),
      ...subject.split("/").map(segment),
      "summary",
      ...(type === DEFAULT_TYPE ? [] : [type]),
      // Of several groups about one subject each is called after its oldest member.
      ...(isOneOfSeveral && oldest !== undefined ? [oldest.memory_key.split("/").at(-1) ?? ""] : [])
    ].filter((one) => one !== "").join("/")
  }
}

/** An entity as a segment of a key. */
const segment = (text: string): string => {
  const plain = text.trim().replace(/\s+/g, "-")
  return plain === "." || plain === ".." ? "" : plain
}

const earliest = (ends: ReadonlyArray<number | null>): number | null => {
  const known = ends.filter((end) => end !== null)
  return known.length === 0 ? null : Math.min(...known)
}

// As many as a memory may reasonably be about.
const MOST_ENTITIES = 16

/** What is stated of the row beside key and value: no more than holds for every source. */
export const termsOf = ({ members }: Group) => {
  const dates = members.flatMap(({ valid_at }) => valid_at ?? [])
  const expires_at = earliest(members.map((row) => row.expires_at))
  const valid_to = earliest(members.map((row) => row.valid_to))
  const shared = members[0]?.tags.filter((tag) => members.every(({ tags }) => tags.includes(tag))) ?? []
  return {
    tags: shared,
    entities: [...new Set(members.flatMap(({ entities }) => entities))].slice(0, MOST_ENTITIES),
    confidence: Math.min(...members.map(({ confidence }) => confidence)),
    // All of it is true from the latest date on; undated where a source is.
    ...(dates.length === members.length ? { valid_at: Math.max(...dates) } : {}),
    ...(valid_to === null ? {} : { valid_to }),
    ...(expires_at === null ? {} : { expires_at, on_expire: "tombstone", expire_reason: "a source of it ends" })
  }
}

/** The fullest text of a group that says one thing in several ways; null when the group says several things. */
export const restatedBy = ({ members }: Group, claims: Pick<ClaimCache, "compare">): string | null => {
  const isOne = members.every((row, at) =>
    members.slice(at + 1).every((other) =>
      row.canonical_sha256 === other.canonical_sha256 || claims.compare(row.value, other.value, 1).relation === "same"
    )
  )
  if (!isOne) return null
  const [fullest] = [...members].sort((left, right) =>
    new Set(words(right.value)).size - new Set(words(left.value)).size || right.created_at - left.created_at
  )
  return fullest?.value ?? null
}

/** Why a model's text does not count; null when it does. */
export const textFault = (text: string, { members }: Group): "empty" | "too_long" | "not_borne" | null => {
  const plain = text.trim()
  if (!/[\p{L}\p{N}]/u.test(plain)) return "empty"
  if (plain.length > LONGEST) return "too_long"
  const evidence = members.flatMap(({ entities, value }) => [value, ...entities]).join("\n")
  const numbers = numbersIn(evidence)
  const forms = formsIn(evidence)
  const sentences = plain.split(/(?<=[.!?。！？])\s+/u)
  const names = sentences.flatMap((sentence) => namesIn(sentence))
  const isBorne = [...numbersIn(plain)].every((number) => numbers.has(number)) &&
    names.every((name) => words(name).every((word) => holds(forms, word))) &&
    (!denial.test(plain) || denial.test(evidence))
  return isBorne ? null : "not_borne"
}
