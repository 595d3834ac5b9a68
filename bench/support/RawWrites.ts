/**
 * The raw side of the write benches: commits that the house made, made once more in a scratch namespace, through the same
 * store and the same committer, in the same sizes. Nothing is judged, prepared or answered.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../../src/kernel/Identity.ts"
import * as Committer from "../../src/memory/Committer.ts"
import * as Fence from "../../src/memory/Fence.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import type { Commit } from "../../src/memory/MemoryStore.ts"

/** The same commit in another namespace. */
export const moved = (commit: Commit, scope: Scope): Commit => ({
  rows: commit.rows.map((row) => ({ ...row, ...scope })),
  derived: commit.derived.map((item) => ({ ...item, identity: { ...item.identity, ...scope } })),
  entities: commit.entities.map((item) => ({ ...item, identity: { ...item.identity, ...scope } })),
  ceilings: commit.ceilings.map((item) => ({ ...item, scope })),
  answers: commit.answers.map((item) => ({ ...item, scope })),
  audits: commit.audits.map((item) => ({ ...item, ...scope })),
  hidden: commit.hidden.map((item) => ({ ...item, ...scope }))
})

/** A committer of its own over the store without a watch. */
export const committer = (store: MemoryStore["Type"]) =>
  Effect.map(
    Layer.build(Layer.provide(Committer.layer, [Layer.succeed(MemoryStore, store), Fence.layerNone])),
    (context) => Committer.Committer.pipe(Effect.provide(context))
  ).pipe(Effect.flatten)
