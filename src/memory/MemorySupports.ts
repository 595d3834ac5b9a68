/**
 * What was derived from what, as one batch needs it: for each content of a derived memory all that it was derived from.
 * Read from `BeliefSources` before the batch is planned; `MemoryDependents` says what follows from it. Pure.
 */
import type { Identity } from "../kernel/Identity.ts"
import { identityKey, identityOf } from "../kernel/Identity.ts"
import type { BeliefSource } from "./BeliefSources.ts"
import type { MemoryRow } from "./MemoryModel.ts"

/** The tag of a derived memory that lacks a source: it stays contested as long as it has it. */
export const SOURCE_LOST = "source-lost"

/** One content of one memory, and all that it was derived from. */
export interface Support {
  readonly identity: Identity
  readonly content_sha256: string
  readonly sources: ReadonlyArray<{ readonly memory_id: string; readonly content_sha256: string }>
}

export interface Supports {
  /** Every support, each once. */
  readonly all: ReadonlyArray<Support>
  /** What rests on a memory. */
  readonly restingOn: (memoryId: string) => ReadonlyArray<Support>
  /** What a row's content rests on; undefined when it was not derived. */
  readonly of: (row: MemoryRow) => Support | undefined
}

export const noSupports: Supports = { all: [], restingOn: () => [], of: () => undefined }

const contentOf = (link: Identity & { readonly content_sha256: string }): string =>
  `${identityKey(link)}\u0000${link.content_sha256}`

export const supportsIn = (links: ReadonlyArray<BeliefSource>): Supports => {
  const contents = new Map<string, Array<BeliefSource>>()
  for (const link of links) {
    const known = contents.get(contentOf(link))
    if (known === undefined) contents.set(contentOf(link), [link])
    else known.push(link)
  }
  const supports = new Map<string, Support>()
  const bySource = new Map<string, Set<Support>>()
  for (const [content, group] of contents) {
    const [first] = group
    if (first === undefined) continue
    const sources = group.map(({ source_content_sha256, source_memory_id }) => ({
      memory_id: source_memory_id,
      content_sha256: source_content_sha256
    }))
    const support: Support = { identity: identityOf(first), content_sha256: first.content_sha256, sources }
    supports.set(content, support)
    for (const { memory_id } of sources) {
      const known = bySource.get(memory_id)
      if (known === undefined) bySource.set(memory_id, new Set([support]))
      else known.add(support)
    }
  }
  return {
    all: [...supports.values()],
    restingOn: (memoryId) => [...bySource.get(memoryId) ?? []],
    of: (row) => supports.get(contentOf(row))
  }
}
