/**
 * What a batch must look up before it can be judged: the rows its commands name, the forms its new values may equal, and
 * the vectors whose peers are sought. Pure.
 */
import type { NamespaceRules } from "./ActorRules.ts"
import type { HeadView } from "./HeadView.ts"
import type { SetItem, Target, Transition, WriteCommand } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { named } from "./MemoryPlanTarget.ts"
import type { PeerQuery, Probes } from "./MemoryStore.ts"
import { isIndirect, nominationFloor } from "./WritePolicy.ts"

/** The claims a command states. */
export const itemsOf = (command: WriteCommand): ReadonlyArray<SetItem> =>
  command._tag === "memory.set"
    ? [command.item]
    : command._tag === "memory.bulk_set"
    ? command.items.flatMap((item) => "outcome" in item ? [] : [item])
    : []

interface Aimed {
  readonly target: Target
  /** The value that the target is to hold; null when it holds what it held. */
  readonly content: Content | null
  /** The tags it is to have; null when it keeps its own. */
  readonly tags: ReadonlyArray<string> | null
}

const anyone: Target = { memory_key: null, memory_id: null, agent: null, user_id: null, session_id: null }

/** The stored rows a command is about. */
const targetsOf = (command: WriteCommand): ReadonlyArray<Aimed> => {
  switch (command._tag) {
    case "memory.set":
    case "memory.bulk_set":
      return []
    case "memory.update":
    case "memory.update_by_id":
      return [{ ...command, tags: command.statement.tags ?? null }]
    case "memory.delete":
      return [{ ...command, content: null, tags: null }]
    case "memory.restore":
      return [
        { ...command, tags: null },
        ...(command.dependents ?? []).map(({ content, memory_id }) => ({
          target: { ...anyone, memory_id },
          content,
          tags: null
        }))
      ]
    case "memory.transition":
      return command.items.map((item) => ({
        ...item,
        tags: item.transition._tag === "correct" ? item.transition.statement.tags ?? null : null
      }))
  }
}

/** Claims that nobody states outright: they come in only when nobody took them away before. */
export const suspectsOf = (command: WriteCommand): Probes["canonical"] =>
  itemsOf(command).flatMap((item) => {
    const { content: { canonical_sha256, memory_type }, user_id } = item
    return canonical_sha256 === "" || !isIndirect(item) ? [] : [{ memory_type, user_id, sha256: canonical_sha256 }]
  })

/** What a batch must look up: keys and ids that targets name, and the canonical form and content of every new value. */
export const probesOf = (commands: ReadonlyArray<WriteCommand>, { rulesFor }: NamespaceRules): Probes => {
  const keys = new Set<string>()
  const ids = new Set<string>()
  const canonical: Array<Probes["canonical"][number]> = []
  const content: Array<Probes["content"][number]> = []
  for (const command of commands) {
    for (const item of itemsOf(command)) {
      const { canonical_sha256, content_sha256, memory_type } = item.content
      if (canonical_sha256 !== "") canonical.push({ memory_type, user_id: item.user_id, sha256: canonical_sha256 })
      content.push({ user_id: item.user_id, sha256: content_sha256 })
      const rules = rulesFor({ memory_type, tags: item.statement.tags ?? [] })
      if (rules.conflictPolicy === "newest_wins") keys.add(item.memory_key)
      for (const { memory_id } of item.rests_on ?? []) ids.add(memory_id)
    }
    for (const { target } of targetsOf(command)) {
      if (target.memory_id !== null) ids.add(target.memory_id)
      else if (target.memory_key !== null) keys.add(target.memory_key)
    }
    if (command._tag !== "memory.transition") continue
    for (const { transition } of command.items) {
      if (transition._tag === "retire") ids.add(transition.by)
      if (transition._tag === "flag") ids.add(transition.other)
    }
  }
  return { keys: [...keys], ids: [...ids], canonical, content, linked: [] }
}

/** The search for the peers of one value; none where nothing is judged. */
const queryOf = (
  content: Content,
  user_id: string,
  tags: ReadonlyArray<string>,
  { rulesFor }: NamespaceRules,
  open = false
) => {
  const { canonical_sha256, memory_type, searchable } = content
  const rules = rulesFor({ memory_type, tags })
  return searchable === null || canonical_sha256 === "" || (!open && rules.conflictPolicy === "append_only")
    ? []
    : [{ memory_type, user_id, vector: searchable.value_vector, threshold: nominationFloor(rules) }]
}

/** The searches for the peers of the claims a command states. */
export const queriesOf = (command: WriteCommand, rules: NamespaceRules): ReadonlyArray<PeerQuery> =>
  itemsOf(command).flatMap((item) => queryOf(item.content, item.user_id, item.statement.tags ?? [], rules))

/** The forms, peers and rows of the same key that the new values of targets may meet; null when no command has any. */
export const meetingsOf = (
  commands: ReadonlyArray<WriteCommand>,
  view: HeadView,
  rules: NamespaceRules,
  shared: boolean
) => {
  const canonical: Array<Probes["canonical"][number]> = []
  const keys: Array<string> = []
  const queries: Array<PeerQuery> = []
  for (const { content, tags, target } of commands.flatMap(targetsOf)) {
    if (content === null) continue
    for (const row of named(view, target)) {
      if (content.canonical_sha256 !== "") {
        canonical.push({ memory_type: content.memory_type, user_id: row.user_id, sha256: content.canonical_sha256 })
      }
      // A row's own tags, and the policy they bring, may be others by the time its turn comes.
      const open = shared && tags === null
      const { conflictPolicy } = rules.rulesFor({ memory_type: content.memory_type, tags: tags ?? row.tags })
      if (open || conflictPolicy === "newest_wins") keys.push(row.memory_key)
      queries.push(...queryOf(content, row.user_id, tags ?? row.tags, rules, open))
    }
  }
  return canonical.length + keys.length + queries.length === 0 ? null : { canonical, keys, queries }
}

/** The rows that commands take out of service or bring back: others may have been derived from them, or they from others. */
export const movedBy = (commands: ReadonlyArray<WriteCommand>, view: HeadView): ReadonlyArray<MemoryRow> => {
  const rows = new Map<string, MemoryRow>()
  const add = (row: MemoryRow) => rows.set(row.memory_id, row)
  for (const command of commands) {
    if (command._tag === "memory.delete" || command._tag === "memory.restore") {
      named(view, command.target).forEach(add)
    }
    if (command._tag !== "memory.transition") continue
    for (const { target, transition } of command.items) {
      if (!MOVING.includes(transition._tag)) continue
      for (const row of named(view, target)) {
        add(row)
        if (transition._tag === "reject") view.duplicatesOf(row.memory_id).forEach(add)
      }
    }
  }
  return [...rows.values()]
}

const MOVING: ReadonlyArray<Transition["_tag"]> = ["tombstone", "reject", "retire", "scrub"]

/** The versions that a rollback brings back. */
export const revertedBy = (command: WriteCommand): ReadonlyArray<MemoryRow> =>
  command._tag !== "memory.transition" ?
    [] :
    command.items.flatMap(({ transition }) =>
      transition._tag === "revert" && transition.to !== null ? [transition.to] : []
    )
