/**
 * Memories about a file for tests that name only what they are about, and the counter of tokens they share.
 */
import * as Effect from "effect/Effect"
import type { FileMemory } from "../../src/context/ForFileModel.ts"
import * as Tokens from "../../src/platform/Tokens.ts"
import { noon } from "../memory/MemoryFixture.ts"

export const about = (memory_key: string, given: Partial<FileMemory> = {}): FileMemory => ({
  namespace: "home",
  agent: "",
  user_id: "-",
  session_id: "",
  memory_key,
  memory_id: `mem_${memory_key}`,
  memory_type: "semantic",
  tags: [],
  pinned: false,
  conflict_with: [],
  status: "active",
  source_class: "asserted",
  content_sha256: "said",
  verified_kind: "",
  verified_sha256: "",
  source_resource_id: "",
  updated_at: noon,
  isTeam: false,
  statedBy: "human:ada",
  statedAt: noon,
  text: "Deploys happen on Tuesdays",
  isCut: false,
  ...given
})

export const counter = Effect.flatMap(Tokens.Tokens, (tokens) => tokens.counter).pipe(Effect.provide(Tokens.layer))
