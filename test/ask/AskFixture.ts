/** Memories as evidence, for tests that name only what they are about. */
import type { Evidence } from "../../src/ask/EvidenceModel.ts"
import type { Head } from "../../src/retrieval/SearchModel.ts"
import { noon } from "../memory/MemoryFixture.ts"

let count = 0

export const evidence = (
  text: string,
  { head = {}, ...given }: Partial<Omit<Evidence, "head">> & { readonly head?: Partial<Head> } = {}
): Evidence => {
  const id = `mem_${++count}`
  return {
    text,
    offset: 0,
    conflict_with: [],
    relevance: 0.8,
    ...given,
    head: {
      agent: "",
      user_id: "-",
      session_id: "",
      memory_key: `key/${count}`,
      content_sha256: id,
      memory_id: id,
      memory_type: "semantic",
      tags: [],
      entities: [],
      status: "active",
      pinned: false,
      version: BigInt(count),
      created_at: noon + count,
      valid_at: null,
      source_class: "asserted",
      confidence: 1,
      canonical_sha256: id,
      duplicate_of: "",
      verified_kind: "",
      verified_sha256: "",
      sensitivity: "none",
      updated_at: noon + count,
      invalid_at: null,
      superseded_by: "",
      temporal_anchor: null,
      temporal_confidence: null,
      source_resource_id: "",
      reinforcement_count: 1,
      ...head
    }
  }
}
