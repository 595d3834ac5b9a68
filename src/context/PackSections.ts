/**
 * Which memories each section wants, and in which order; each memory is wanted once, by the first section that may have
 * it. What came from outside unattested gives no rule, no preference and no procedure: it is told among what was found,
 * with its mark. Pure, and the same for the same memories in any order.
 */
import * as Order from "effect/Order"
import { isWhole } from "./ForFileModel.ts"
import * as Block from "./PackBlock.ts"
import { isUnverifiedExternal } from "./PackModel.ts"
import type { FoundMemory, PackMemory, SectionName, WorkingNote } from "./PackModel.ts"
import type { Item, Wanted } from "./PackPlan.ts"

/** Everything that a block may be made of. */
export interface Material {
  readonly working: ReadonlyArray<WorkingNote>
  readonly session: ReadonlyArray<PackMemory>
  readonly profile: ReadonlyArray<PackMemory>
  readonly decisions: ReadonlyArray<PackMemory>
  /** Found for the query; null when nothing was asked. */
  readonly memories: ReadonlyArray<FoundMemory> | null
  readonly procedures: ReadonlyArray<FoundMemory>
  readonly reflections: ReadonlyArray<FoundMemory>
  /** How many of a listed section were not read. */
  readonly unread: { readonly [Name in SectionName]?: number }
}

export interface Asked {
  /** The sections of the block in their order. */
  readonly order: ReadonlyArray<SectionName>
  /** How many found memories a section has at most. */
  readonly topK: number
  /** The user whose block it is. */
  readonly asker: string
}

/** A memory as an item; null for a note of the working memory. */
export interface PackItem extends Item {
  readonly memory: PackMemory | null
  /** Null when it was listed and not found. */
  readonly relevance: number | null
  readonly isPart: boolean
}

export interface PackSection extends Wanted<PackItem> {
  /** Found, and not relevant enough to be told. */
  readonly below: number
  /** From outside and unattested, in a section that such rows have no part in. */
  readonly unverified: ReadonlyArray<string>
}

const latest: Order.Order<PackMemory> = Order.combineAll([
  Order.mapInput(Order.reverse(Order.number), ({ updated_at }) => updated_at),
  Order.mapInput(Order.string, ({ memory_key }) => memory_key),
  Order.mapInput(Order.string, ({ memory_id }) => memory_id)
])

const best: Order.Order<FoundMemory> = Order.combineAll([
  Order.mapInput(Order.reverse(Order.number), ({ score }) => score),
  Order.mapInput(latest, ({ memory }) => memory)
])

const lasting: Order.Order<PackMemory> = Order.combine(
  Order.mapInput(Order.number, ({ memory_type }) => memory_type === "profile" ? 0 : 1),
  latest
)

const newestNote: Order.Order<WorkingNote> = Order.combineAll([
  Order.mapInput(Order.reverse(Order.number), ({ updated_at }) => updated_at),
  Order.mapInput(Order.string, ({ key }) => key),
  Order.mapInput(Order.string, ({ text }) => text)
])

/** Sections that speak with the authority of the house, of its user or of its experience. */
const TRUSTED: ReadonlyArray<SectionName> = ["session", "profile", "decisions", "procedures", "reflections"]

/** One of what a section may have: what was listed has no relevance. */
type Candidate = Pick<FoundMemory, "memory"> & Partial<FoundMemory>

const listed = (memories: ReadonlyArray<PackMemory>, order: Order.Order<PackMemory>): ReadonlyArray<Candidate> =>
  [...memories].sort(order).map((memory) => ({ memory }))

/** Rules that the query speaks of come first, then the latest. */
const rulesOf = ({ decisions, memories }: Material): ReadonlyArray<Candidate> => {
  const spoken = [...memories ?? []].sort(best).filter(({ isEnough, memory }) => isEnough && isWhole(memory))
  return [...spoken, ...listed(decisions, latest)]
}

const candidates = (section: SectionName, material: Material): ReadonlyArray<Candidate> => {
  switch (section) {
    case "session":
      return listed(material.session, latest)
    case "profile":
      return listed(material.profile, lasting)
    case "decisions":
      return rulesOf(material)
    case "procedures":
      return [...material.procedures].sort(best)
    case "memories":
      return [...material.memories ?? []].sort(best)
    case "reflections":
      return [...material.reflections].sort(best)
    default:
      return []
  }
}

const isFound = (section: SectionName): boolean =>
  section === "memories" || section === "procedures" || section === "reflections"

/** What the sections want, in their order. */
export const sectionsFor = (material: Material, asked: Asked): ReadonlyArray<PackSection> => {
  const taken = new Set<string>()
  const take = (section: SectionName): PackSection => {
    const found = isFound(section)
    const free: Array<Candidate> = []
    const unverified: Array<string> = []
    let below = 0
    for (const candidate of candidates(section, material)) {
      const { isEnough = true, memory } = candidate
      if (taken.has(memory.memory_id)) continue
      if (TRUSTED.includes(section) && isUnverifiedExternal(memory)) unverified.push(memory.memory_key)
      else if (!isEnough) below += 1
      else if (!found || free.length < asked.topK) {
        taken.add(memory.memory_id)
        free.push(candidate)
      }
    }
    return {
      section,
      items: section === "working_memory"
        ? [...material.working].sort(newestNote).map(noteItem)
        : free.map((candidate) => itemOf(candidate, asked.asker)),
      fill: found ? "value" : "order",
      unread: material.unread[section] ?? 0,
      note: section === "memories" && material.memories?.every(({ isEnough }) => !isEnough) === true
        ? Block.NOTHING_RELEVANT
        : null,
      below,
      unverified: [...new Set(unverified)]
    }
  }
  return asked.order.map(take)
}

const noteItem = (note: WorkingNote): PackItem => ({
  key: note.key,
  line: Block.noteLine(note),
  value: 0,
  memory: null,
  relevance: null,
  isPart: false
})

const itemOf = ({ excerpt, memory, relevance }: Candidate, asker: string): PackItem => {
  const line = Block.lineOf(memory, excerpt ?? null, asker)
  return {
    key: memory.memory_key,
    line: line?.line ?? null,
    value: relevance ?? 0,
    memory,
    relevance: relevance ?? null,
    isPart: line?.isPart ?? false
  }
}
