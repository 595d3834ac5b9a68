/**
 * The nouns of `context.pack`: the sections of a block, the memories they are filled from, and what a search brought of
 * them. A memory stands in one section at most, whichever comes first.
 */
import type { Writer } from "../kernel/Identity.ts"
import type { MemoryRow } from "../memory/MemoryModel.ts"
import { isVerified } from "../memory/MemoryModel.ts"

/** In the order in which they stand unless the caller orders them. An agent sees its own state first. */
export const SECTIONS = [
  "working_memory",
  "session",
  "profile",
  "decisions",
  "procedures",
  "memories",
  "reflections",
  "knowledge",
  "conversations",
  "runs"
] as const
export type SectionName = typeof SECTIONS[number]

/** Sections whose part of the server does not exist yet: asked for, they are told as unavailable. */
export const UNAVAILABLE: ReadonlyArray<SectionName> = ["knowledge", "conversations", "runs"]

/** What the block is for: someone about to do something, or someone who talks with a user. */
export const MODES = ["task", "chat"] as const
export type Mode = typeof MODES[number]

/** Sections that a mode has unless the request adds or takes away. */
export const sectionsOf: Readonly<Record<Mode, ReadonlyArray<SectionName>>> = {
  task: ["working_memory", "profile", "decisions", "procedures", "memories"],
  chat: ["working_memory", "profile", "memories"]
}

/** A served memory with the beginning of its value. */
export interface PackMemory extends
  Writer,
  Pick<
    MemoryRow,
    | "memory_key"
    | "memory_id"
    | "memory_type"
    | "tags"
    | "status"
    | "source_class"
    | "source_resource_id"
    | "content_sha256"
    | "verified_kind"
    | "verified_sha256"
    | "created_at"
    | "updated_at"
    | "valid_at"
    | "temporal_anchor"
  >
{
  readonly text: string
  /** Whether the value goes on behind `text`. */
  readonly isCut: boolean
}

/** Parts of a value, and where they begin and end in it: UTF-16 offsets [start, end). */
export interface Excerpt {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A memory that a search brought, with its place there. */
export interface FoundMemory {
  readonly memory: PackMemory
  /** The parts of the value that speak to the question; null when it was changed since. */
  readonly excerpt: Excerpt | null
  /** Orders what was found, best first. */
  readonly score: number
  /** 0 to 1. */
  readonly relevance: number
  /** Whether it is relevant enough to answer with. */
  readonly isEnough: boolean
}

/** A note of the working memory; it is no memory and has no source. */
export interface WorkingNote {
  readonly key: string
  readonly text: string
  /** Milliseconds since 1970. */
  readonly updated_at: number
}

/** Whether a memory came from outside and nobody vouched for what it says now. */
export const isUnverifiedExternal = (memory: PackMemory): boolean =>
  memory.source_class === "external" && !isVerified(memory)
