/**
 * The handler of memory.digests. A digest whose memories do not all stand as they were is left out: its text would tell what
 * was deleted, corrected or withheld since. The heads say so, not their copies.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { identityKey } from "../kernel/Identity.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { isServed } from "../memory/MemoryModel.ts"
import { MemoryStore } from "../memory/MemoryStore.ts"
import { Cursors } from "../platform/Cursors.ts"
import { DigestSessions } from "./DigestSessions.ts"
import type { KeptDigest } from "./DigestSessions.ts"
import { MemoryDigests } from "./DigestVerbs.ts"

const DEFAULT_PAGE = 50

const Place = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  digest_id: Schema.String
})

const placesOf = ({ agent, members, session_id, user_id }: KeptDigest) =>
  members.map(({ content_sha256, memory_key }) => ({ agent, user_id, session_id, memory_key, content_sha256 }))

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, DigestSessions | MemoryStore | Cursors> = Effect.gen(
  function*() {
    const sessions = yield* DigestSessions
    const store = yield* MemoryStore
    const cursors = yield* Cursors

    const digests = (request: Payload<typeof MemoryDigests>, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const { none, user } = readableUser(caller, request.user_id)
        const filter = { agent: request.agent ?? null, user_id: user, session_id: request.session_id ?? null }
        const listing = { verb: MemoryDigests.tag, caller, filter: { ...scope, ...filter } }
        const after = request.cursor === undefined ? null : yield* cursors.take(listing, Place, request.cursor)
        if (none) return { digests: [], next_cursor: null, degraded: [] }
        const limit = request.limit ?? DEFAULT_PAGE
        const found = yield* sessions.list(scope, filter, { after, limit: limit + 1 })
        const page = found.slice(0, limit)
        const now = yield* Clock.currentTimeMillis
        const heads = new Map(
          (yield* store.rows(scope, page.flatMap(placesOf))).map((row) => [identityKey(row), row])
        )
        const stands = (digest: KeptDigest) =>
          placesOf(digest).every((place) => {
            const row = heads.get(identityKey(place))
            return row !== undefined && row.content_sha256 === place.content_sha256 && isServed(row, now) &&
              row.sensitivity !== "high"
          })
        const last = page[page.length - 1]
        return {
          digests: page.filter(stands).map(({ agent, created_at, digest_id, members, session_id, text, user_id }) => ({
            digest_id,
            agent,
            user_id,
            session_id,
            memory_keys: members.map(({ memory_key }) => memory_key),
            text,
            source_class: "derived" as const,
            created_at: new Date(created_at).toISOString()
          })),
          next_cursor: found.length > limit && last !== undefined
            ? yield* cursors.give(listing, {
              agent: last.agent,
              user_id: last.user_id,
              session_id: last.session_id,
              digest_id: last.digest_id
            })
            : null,
          degraded: []
        }
      })

    return [bind(MemoryDigests, digests)]
  }
)
