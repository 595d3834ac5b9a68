/**
 * The handler of memory.redact. A row out of service is scrubbed by its actor, as a new version; the past is then scrubbed
 * in the store, which no write touches again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { Answer, BoundVerb, Payload } from "../kernel/Verb.ts"
import { once } from "./FirstAnswer.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { WriteMeta } from "./MemoryCommand.ts"
import { lookupOne } from "./MemoryLookup.ts"
import { isRedacted } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { idTarget, metaOf, refusedItem } from "./MemoryRequest.ts"
import { MemoryReview } from "./MemoryReview.ts"
import { MemoryRedact } from "./RedactVerbs.ts"
import { isLocked, lockedFault } from "./WritePolicy.ts"

type Redact = Payload<typeof MemoryRedact>

const nothing = { redacted: false, versions: 0, vectors: 0, chunks: 0, head: false, remaining: 0 }

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, MemoryClient | MemoryReader | MemoryReview> = Effect
  .gen(function*() {
    const client = yield* MemoryClient
    const reader = yield* MemoryReader
    const review = yield* MemoryReview

    /** The hash of the value that is meant; undefined when the memory never held it. */
    const contentOf = (request: Redact, scope: Scope, row: MemoryRow) =>
      Effect.gen(function*() {
        if ((request.version_text === undefined) === (request.content_sha256 === undefined)) {
          return yield* refuse("INVALID_ARGUMENT", "Either `version_text` or `content_sha256` is needed", {
            field: "version_text"
          })
        }
        if (request.version_text === undefined) {
          const past = yield* review.versions(scope, row, MAX_VERSIONS)
          return past.find(({ content_sha256 }) => content_sha256 === request.content_sha256)?.content_sha256
        }
        const version = BigInt(request.version_text)
        const [one] = yield* reader.history(scope, [row], { before: version + 1n, limit: 1 })
        return one?.version === version ? one.content_sha256 : undefined
      })

    const scrubHead = (scope: Scope, meta: WriteMeta, row: MemoryRow, content_sha256: string) =>
      Effect.gen(function*() {
        if (row.status !== "tombstoned" && row.status !== "superseded" && row.status !== "rejected") {
          return yield* refuse(
            "INVALID_ARGUMENT",
            "The memory still stands with this value: revise it (memory.update) or delete it (memory.delete) first",
            { field: "content_sha256", memory_key: row.memory_key, status: row.status }
          )
        }
        if (isRedacted(row)) return false
        const { results } = yield* client.transition(scope, {
          _tag: "memory.transition",
          meta,
          items: [{
            target: idTarget(row),
            expected_version: row.version.toString(),
            content: null,
            transition: { _tag: "scrub", content_sha256 }
          }]
        })
        for (const result of results) {
          const refusal = refusedItem(result)
          if (refusal !== undefined) return yield* refusal
        }
        return true
      })

    const redact = (request: Redact, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const meta = yield* metaOf(MemoryRedact.tag, request, caller, "asserted")
        // What is left undone is done by the same request.
        const isFinal = ({ remaining }: Answer<typeof MemoryRedact>) => remaining === 0
        return yield* once(client, { scope, meta, verb: MemoryRedact, isFinal }, scrub(request, caller, scope, meta))
      })

    const scrub = (request: Redact, caller: Caller, scope: Scope, whole: WriteMeta) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const row = yield* lookupOne(reader, scope, caller, request, () => true)
        if (row === undefined) {
          return { ...nothing, found: false, reason: "not_found", memory_id: null, content_sha256: null }
        }
        const about = { found: true, memory_id: row.memory_id }
        const content_sha256 = yield* contentOf(request, scope, row)
        if (content_sha256 === undefined) return { ...nothing, ...about, reason: "no_such_value", content_sha256: null }
        if (isLocked(row, now)) return yield* lockedFault(row)
        // The store's part can be done again; under a key the actor would answer the second call without doing its own.
        const meta = { ...whole, idem_hash: "", payload_hash: "" }
        const head = row.content_sha256 === content_sha256
          ? yield* scrubHead(scope, meta, row, content_sha256)
          : false
        const scrubbed = yield* review.scrub(scope, row, content_sha256)
        yield* Effect.logInfo("A value was redacted").pipe(
          Effect.annotateLogs({ memory_id: row.memory_id, write_id: meta.write_id, actor: caller.actor, ...scrubbed })
        )
        return { ...about, reason: null, content_sha256, ...scrubbed, head, redacted: scrubbed.remaining === 0 }
      })

    return [bind(MemoryRedact, redact)]
  })

// A value is looked for in as many versions as a row may reasonably have.
const MAX_VERSIONS = 100_000
