/**
 * The nouns of `memory.for_file`: a repository path as it is compared, a memory about a file, and what kind of memory it
 * is. Paths are compared by their segments, so `./src\\a.ts` and `src/a.ts/` are one file.
 */
import type { Writer } from "../kernel/Identity.ts"
import { isVerified } from "../memory/MemoryModel.ts"
import type { MemoryRow } from "../memory/MemoryModel.ts"

/** The kinds that a line names, in the order in which it names them. */
export const KINDS = ["constraint", "gotcha", "decision"] as const
export type Kind = typeof KINDS[number]

/** A memory whose files name the path. */
export interface FileMemory
  extends Writer, Pick<MemoryRow, "status" | "source_class" | "content_sha256" | "verified_kind" | "verified_sha256">
{
  readonly namespace: string
  readonly memory_key: string
  readonly memory_id: string
  readonly memory_type: string
  readonly tags: ReadonlyArray<string>
  readonly pinned: boolean
  /** memory_ids of its namespace that the conflict check linked it to. */
  readonly conflict_with: ReadonlyArray<string>
  readonly source_resource_id: string
  /** Milliseconds since 1970. */
  readonly updated_at: number
  /** From an extra namespace. */
  readonly isTeam: boolean
  /** Who first stated what it says now, as `human:<subject>`, and when. */
  readonly statedBy: string
  readonly statedAt: number
  /** The value as text, or the beginning of it; null when it was not read since too much comes before it. */
  readonly text: string | null
  /** Whether the value goes on behind `text`. */
  readonly isCut: boolean
}

/** A memory without its value. */
export type FileHead = Omit<FileMemory, "text" | "isCut" | "isTeam">

const isKind = ({ memory_type, tags }: Pick<FileMemory, "memory_type" | "tags">, kind: Kind): boolean =>
  memory_type === kind || tags.includes(kind) || tags.includes(`kind:${kind}`)

/** By type, by a tag of that name or by a tag `kind:<name>`. */
export const kindsOf = (memory: Pick<FileMemory, "memory_type" | "tags">): ReadonlyArray<Kind> =>
  KINDS.filter((kind) => isKind(memory, kind))

export const isDecision = (memory: Pick<FileMemory, "memory_type" | "tags">): boolean => isKind(memory, "decision")

/** Whether a memory is a rule: decisions and constraints. */
export const isWhole = (memory: Pick<FileMemory, "memory_type" | "tags">): boolean =>
  isKind(memory, "constraint") || isDecision(memory)

/** Where a memory comes from whose words are not its writer's own. */
export const OUTSIDE = ["external", "imported"] as const

/** Whether a memory came from outside and nobody vouched for what it says now: an attestation gone stale is none. */
export const isUnvouched = (
  memory: Pick<FileMemory, "source_class" | "content_sha256" | "verified_kind" | "verified_sha256">
): boolean => OUTSIDE.some((outside) => outside === memory.source_class) && !isVerified(memory)

/** Whether a memory prints whole: a rule that somebody of the house stated or vouched for. */
export const printsWhole = (memory: FileHead): boolean => isWhole(memory) && !isUnvouched(memory)

/** Whether the store holds a memory that says otherwise. */
export const isDisputed = ({ status }: Pick<FileMemory, "status">): boolean => status === "conflicted"

/** One string for a memory among several namespaces. */
export const idOf = ({ memory_id, namespace }: Pick<FileMemory, "memory_id" | "namespace">): string =>
  `${namespace}\u0000${memory_id}`

/** A path by its segments, forward slashes between them; empty when it names nothing. Case counts. */
export const repositoryPath = (path: string): string =>
  path.normalize("NFC").replaceAll("\\", "/").split("/").filter((segment) => segment !== "" && segment !== ".").join(
    "/"
  )
