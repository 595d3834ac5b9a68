/**
 * From messages to stored turns: each message is checked and answered on its own, named (`TurnIds`), judged for its
 * sensitivity, and indexed. A turn of high sensitivity never reaches the embedder or an index. When the embedder fails
 * nothing is written. The same request again gives the same ids and stores nothing twice.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { BlacklistCache } from "../blacklist/BlacklistCache.ts"
import { blacklisted } from "../blacklist/BlacklistModel.ts"
import { uuidv7 } from "../kernel/Ids.ts"
import { isWellFormed, sha256 } from "../kernel/Json.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { LoomError, Refusal } from "../kernel/LoomError.ts"
import { parseTime } from "../kernel/Time.ts"
import { payloadFault, UNSOUND_TEXT } from "../kernel/Verb.ts"
import { TimeText, Trace } from "../memory/MemoryFields.ts"
import { SensitivityPolicy } from "../memory/SensitivityPolicy.ts"
import { chunks, indexTerms, isBlank } from "../platform/Analyzer.ts"
import { Embedder } from "../platform/Embedder.ts"
import type { EmbedError } from "../platform/Embedder.ts"
import { appendedIds, transcriptIds } from "./TurnIds.ts"
import type { PlacedTurn } from "./TurnIds.ts"
import { TurnRole } from "./TurnModel.ts"
import type { IndexedTurn, Turn, TurnChunk, TurnWriter } from "./TurnModel.ts"
import { TurnStore } from "./TurnStore.ts"
import type { KnownTurn } from "./TurnStore.ts"

/** What one turn may hold; a larger text is a document and belongs to knowledge. */
export const MAX_TURN_BYTES = 1024 * 1024
/** What the turns of one request may hold together; a body over HTTP ends before that. */
export const MAX_REQUEST_BYTES = 16 * 1024 * 1024
// One vector is made from so many characters at most, as of memories; a longer turn is cut into passages.
const EXCERPT_CHARACTERS = 1_200
// The embedder puts the texts of all callers into batches; so many turns of one request wait in its line at once.
const AT_ONCE = 32

/** The name of who spoke, as people write it. */
export const Speaker = Schema.String.pipe(
  Schema.maxLength(256),
  Schema.filter((name) => !/\p{Cc}/u.test(name) || "holds a control character", { jsonSchema: { type: "string" } })
)

/** One message of a request. */
export const Message = Schema.Struct({
  role: TurnRole,
  content: Schema.String,
  speaker: Schema.optional(Speaker),
  at: Schema.optional(Schema.NullOr(TimeText)),
  source_resource_id: Schema.optional(Trace)
})
export type Message = typeof Message.Type

export interface IntakeRequest {
  readonly writer: TurnWriter
  /** As they came: each is checked by itself. */
  readonly messages: ReadonlyArray<unknown>
  readonly actor: string
  readonly run_id: string
  /** Whether the messages are the whole transcript, or are added to their session. */
  readonly are: "transcript" | "added"
  /** The hash under which the request's idempotency key is known, empty without one. */
  readonly idem_hash: string
}

/** What became of one message. */
export type Receipt =
  | { readonly outcome: "stored" | "known"; readonly turn: Turn }
  | { readonly outcome: "refused"; readonly error: Refusal }

export interface Taken {
  /** In the order of the messages. */
  readonly receipts: ReadonlyArray<Receipt>
  readonly advisories: ReadonlyArray<string>
}

export class TurnIntake extends Context.Tag("loom/conversation/TurnIntake")<TurnIntake, {
  /** What a request would store; nothing is written. */
  readonly prepare: (
    request: IntakeRequest
  ) => Effect.Effect<Taken & { readonly indexed: ReadonlyArray<IndexedTurn> }, LoomError>
  /** Stores what a request says that is not known yet. */
  readonly take: (request: IntakeRequest) => Effect.Effect<Taken, LoomError>
}>() {}

/** A message that can be a turn. */
interface Stated extends PlacedTurn {
  readonly naive: boolean
  readonly source_resource_id: string
}

const decode = Schema.decodeUnknown(Message, { onExcessProperty: "error", errors: "all" })

const statedOf = (raw: unknown, place: number): Effect.Effect<Stated, Refusal> =>
  Effect.gen(function*() {
    if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
      return yield* refuse("INVALID_ARGUMENT", "The message is not an object")
    }
    if (!isWellFormed(raw)) return yield* refuse("INVALID_ARGUMENT", `The message ${UNSOUND_TEXT}`)
    const message = yield* Effect.mapError(decode(raw), payloadFault)
    // A combining mark alone shows nothing either.
    if (isBlank(message.content.replace(/\p{M}+/gu, ""))) {
      return yield* refuse("INVALID_ARGUMENT", "`content` is blank: it holds nothing to find again", {
        field: "content"
      })
    }
    const bytes = Buffer.byteLength(message.content, "utf8")
    if (bytes > MAX_TURN_BYTES) {
      return yield* refuse("PAYLOAD_TOO_LARGE", `\`content\` is ${bytes} bytes; at most ${MAX_TURN_BYTES} are stored`, {
        field: "content",
        limit_bytes: MAX_TURN_BYTES
      })
    }
    const time = typeof message.at === "string" ? parseTime(message.at) : null
    return {
      place,
      role: message.role,
      speaker: message.speaker ?? "",
      content: message.content,
      at: time === null || typeof time === "string" ? null : time.millis,
      naive: time !== null && typeof time !== "string" && time.naive,
      source_resource_id: message.source_resource_id ?? ""
    }
  })

const bytesOf = (raw: unknown): number =>
  typeof raw === "object" && raw !== null && "content" in raw && typeof raw.content === "string"
    ? Buffer.byteLength(raw.content, "utf8")
    : 0

/** A turn that was deleted stays deleted, and a key that named another turn names no second one. */
const knownReceipt = (turn: Turn, known: KnownTurn): Receipt =>
  known.deleted
    ? {
      outcome: "refused",
      error: refuse("SUPPRESSED", "The turn was deleted; it is not stored again", { turn_id: turn.turn_id })
    }
    : known.content_sha256 === turn.content_sha256 && known.role === turn.role && known.speaker === turn.speaker
    ? { outcome: "known", turn }
    : {
      outcome: "refused",
      error: refuse("IDEMPOTENCY_CONFLICT", "The idempotency key was used with another message at this place", {
        turn_id: turn.turn_id
      })
    }

const isOneTextsFault = (error: EmbedError): error is Refusal =>
  error._tag === "Refusal" && error.code === "EMBEDDING_REFUSED"

export const layer: Layer.Layer<TurnIntake, never, TurnStore | Embedder | SensitivityPolicy | BlacklistCache> = Layer
  .effect(
    TurnIntake,
    Effect.gen(function*() {
      const store = yield* TurnStore
      const embedder = yield* Embedder
      const sensitivities = yield* SensitivityPolicy
      const blacklist = yield* BlacklistCache
      let last = 0n

      /** So many positions in a row, above all that this process gave. */
      const positions = (count: number): Effect.Effect<bigint> =>
        Effect.map(Clock.currentTimeMillis, (millis) => {
          const wall = BigInt(millis) * 1_000_000n
          const first = wall > last ? wall : last + 1n
          last = first + BigInt(count)
          return first
        })

      /** Every read shows these, a high turn's too. */
      const labelFault = ({ source_resource_id, speaker }: Stated): Refusal | undefined => {
        for (const [field, text] of Object.entries({ speaker, source_resource_id })) {
          const kind = sensitivities.labelKind(text)
          if (kind !== undefined) {
            return refuse("INVALID_ARGUMENT", `\`${field}\` looks like it holds ${kind}: every read shows it`, {
              field
            })
          }
        }
        return undefined
      }

      const indexed = (turn: Turn): Effect.Effect<IndexedTurn, EmbedError> => {
        if (turn.sensitivity === "high") return Effect.succeed({ turn, embedder_id: "", chunks: [] })
        const { content, speaker } = turn
        const parts = content.length <= EXCERPT_CHARACTERS
          ? [{ start: 0, end: content.length, text: content }]
          : chunks(content)
        // Who spoke is a part of what is asked for.
        const texts = parts.map(({ text }) => speaker === "" ? text : `${speaker}: ${text}`)
        return Effect.map(embedder.embed(texts), (vectors): IndexedTurn => ({
          turn,
          embedder_id: embedder.id,
          chunks: parts.map(({ end, start }, index): TurnChunk => {
            const { lemmas, stems } = indexTerms(texts[index] ?? "")
            return { index, start, end, stems, lemmas, vector: vectors[index] ?? new Float32Array(embedder.dimensions) }
          })
        }))
      }

      const prepare = Effect.fn("TurnIntake.prepare")(function*(request: IntakeRequest) {
        const { actor, are, idem_hash, messages, run_id, writer } = request
        const bytes = messages.reduce<number>((sum, raw) => sum + bytesOf(raw), 0)
        if (bytes > MAX_REQUEST_BYTES) {
          return yield* refuse(
            "PAYLOAD_TOO_LARGE",
            `The messages hold ${bytes} bytes; at most ${MAX_REQUEST_BYTES} are taken in one request`,
            { field: "messages", limit_bytes: MAX_REQUEST_BYTES }
          )
        }
        const receipts: Array<Receipt | undefined> = messages.map(() => undefined)
        const stated: Array<Stated> = []
        for (const [place, raw] of messages.entries()) {
          const one = yield* Effect.either(statedOf(raw, place))
          if (one._tag === "Right") stated.push(one.right)
          else receipts[place] = { outcome: "refused", error: one.left }
        }

        // Named before the rules of the house are asked: they may change, and the names of the others may not.
        const ids = are === "transcript" ? transcriptIds(writer, stated) : appendedIds(writer, stated, idem_hash)
        const now = yield* Clock.currentTimeMillis
        const first = yield* positions(messages.length)
        const turns = stated.map((one, index): Turn => ({
          org: writer.org,
          namespace: writer.namespace,
          agent: writer.agent,
          user_id: writer.user_id,
          session_id: writer.session_id,
          turn_id: ids[index] ?? `turn_${uuidv7(now, randomBytes(10))}`,
          position: first + BigInt(one.place),
          role: one.role,
          speaker: one.speaker,
          content: one.content,
          content_sha256: sha256(one.content),
          at: one.at,
          recorded_at: now,
          sensitivity: sensitivities.judge({ memory_key: "", value: one.content }).sensitivity,
          actor,
          run_id,
          source_resource_id: one.source_resource_id
        }))

        const matcher = yield* blacklist.matcher(writer)
        const known = yield* store.known(writer, ids.flatMap((id) => id ?? []))
        const fresh: Array<{ readonly place: number; readonly turn: Turn }> = []
        for (const [index, one] of stated.entries()) {
          const turn = turns[index]
          if (turn === undefined) continue
          const before = known.get(turn.turn_id)
          const pattern = matcher.match(turn.content)
          const fault = labelFault(one) ?? (pattern === undefined ? undefined : blacklisted(pattern))
          if (before !== undefined) receipts[one.place] = knownReceipt(turn, before)
          else if (fault !== undefined) receipts[one.place] = { outcome: "refused", error: fault }
          else fresh.push({ place: one.place, turn })
        }

        const made = yield* Effect.forEach(
          fresh,
          ({ place, turn }) =>
            indexed(turn).pipe(
              Effect.map((one) => {
                receipts[place] = { outcome: "stored", turn }
                return [one]
              }),
              Effect.catchIf(isOneTextsFault, (error) =>
                Effect.sync((): ReadonlyArray<IndexedTurn> => {
                  receipts[place] = { outcome: "refused", error }
                  return []
                }))
            ),
          { concurrency: AT_ONCE }
        )
        return {
          receipts: receipts.flatMap((receipt) => receipt ?? []),
          indexed: made.flat(),
          advisories: advisoriesOf(stated, turns)
        }
      })

      return {
        prepare,
        take: Effect.fn("TurnIntake.take")(function*(request) {
          const { indexed, ...taken } = yield* prepare(request)
          if (indexed.length > 0) yield* store.append(indexed)
          return taken
        })
      }
    })
  )

const listed = (places: ReadonlyArray<number>): string =>
  places.length <= 5 ? places.join(", ") : `${places.slice(0, 5).join(", ")} and ${places.length - 5} more`

const advisoriesOf = (stated: ReadonlyArray<Stated>, turns: ReadonlyArray<Turn>): ReadonlyArray<string> => {
  const naive = stated.filter(({ naive }) => naive).map(({ place }) => place)
  const high = stated.filter((_, index) => turns[index]?.sensitivity === "high").map(({ place }) => place)
  return [
    ...(naive.length === 0 ? [] : [`at named no offset and was read as UTC (messages ${listed(naive)})`]),
    ...(high.length === 0
      ? []
      : [`sensitivity was set to high: no search finds and no list shows the content of messages ${listed(high)}`])
  ]
}
