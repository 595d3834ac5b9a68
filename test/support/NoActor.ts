/**
 * The way to the actor for tests of reads, none of which may go it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryClient } from "../../src/memory/MemoryClient.ts"

const none = () => Effect.dieMessage("A read went to the actor")

export const layer = Layer.succeed(MemoryClient, {
  set: none,
  bulkSet: none,
  update: none,
  updateById: none,
  delete: none,
  restore: none,
  transition: none,
  answer: none,
  auditRead: none,
  activate: none
})
