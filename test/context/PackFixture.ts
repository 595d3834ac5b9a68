/**
 * Memories of a block for tests that name only what they are about.
 */
import type { FoundMemory, PackMemory } from "../../src/context/PackModel.ts"
import type { Material } from "../../src/context/PackSections.ts"
import { noon } from "../memory/MemoryFixture.ts"

export const packed = (memory_key: string, given: Partial<PackMemory> = {}): PackMemory => ({
  agent: "",
  user_id: "-",
  session_id: "",
  memory_key,
  memory_id: `mem_${memory_key}`,
  memory_type: "semantic",
  tags: [],
  status: "active",
  source_class: "asserted",
  source_resource_id: "",
  content_sha256: "a".repeat(64),
  verified_kind: "",
  verified_sha256: "",
  created_at: noon,
  updated_at: noon,
  valid_at: null,
  temporal_anchor: null,
  text: "Deploys happen on Tuesdays",
  isCut: false,
  ...given
})

export const found = (memory: PackMemory, given: Partial<FoundMemory> = {}): FoundMemory => ({
  memory,
  excerpt: { text: memory.text, start: 0, end: memory.text.length },
  score: 1,
  relevance: 0.5,
  isEnough: true,
  ...given
})

export const material = (given: Partial<Material> = {}): Material => ({
  working: [],
  session: [],
  profile: [],
  decisions: [],
  memories: null,
  procedures: [],
  reflections: [],
  unread: {},
  ...given
})
