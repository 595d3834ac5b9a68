/**
 * The handler of entity.list: a page of names in their order. The user a token is bound to bounds what is counted.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { Cursors } from "../platform/Cursors.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { EntityList } from "./NamedThingVerbs.ts"

const DEFAULT_PAGE = 50

const Place = Schema.Tuple(Schema.String)

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, MemoryReader | Cursors> = Effect.gen(function*() {
  const reader = yield* MemoryReader
  const cursors = yield* Cursors

  const list = (request: Payload<typeof EntityList>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, user } = readableUser(caller, request.user_id)
      const writer = { agent: request.agent ?? null, user_id: user, session_id: request.session_id ?? null }
      // Names are kept in small letters.
      const prefix = (request.prefix ?? "").normalize("NFKC").toLowerCase()
      const listing = { verb: EntityList.tag, caller, filter: { ...scope, ...writer, prefix } }
      const [after = null] = request.cursor === undefined ? [] : yield* cursors.take(listing, Place, request.cursor)
      if (none) return { entities: [], next_cursor: null, degraded: [] }
      const limit = request.limit ?? DEFAULT_PAGE
      const now = yield* Clock.currentTimeMillis
      const found = yield* reader.namedThings(scope, writer, { prefix, after, limit: limit + 1 }, now)
      const entities = found.slice(0, limit)
      const last = entities[entities.length - 1]
      return {
        entities,
        next_cursor: found.length > limit && last !== undefined ? yield* cursors.give(listing, [last.entity]) : null,
        degraded: []
      }
    })

  return [bind(EntityList, list)]
})
