/**
 * Sums up sessions. Of every session that was quiet for some minutes and changed since its digest was made, it makes the
 * digest: from the sentences of its memories that say most, or in the words of the language model where there is one and it keeps to
 * them. It is made anew under its id when a memory changes or goes, and ended when fewer than two are left. Values of high
 * sensitivity are in none. Made twice, a digest is the same; what is cut short is made at the next look. ADR 0026.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import type { LoomError } from "../src/kernel/LoomError.ts"
import { Unavailable } from "../src/kernel/LoomError.ts"
import type { Embedder } from "../src/platform/Embedder.ts"
import { LanguageModel } from "../src/platform/LanguageModel.ts"
import { DigestSessions } from "../src/retrieval/DigestSessions.ts"
import type { ChangedSession, KeptDigest, SessionMemory, SessionPlace } from "../src/retrieval/DigestSessions.ts"
import { copiesOf, DigestStore } from "../src/retrieval/DigestStore.ts"
import { promptFor } from "./DigestPrompt.ts"
import { digestOf, faithful } from "./DigestText.ts"
import * as Worker from "./Worker.ts"

export const NAME = "digests"

/** How long a session must be quiet: longer than an agent thinks between two writes. */
export const QUIET: Duration.DurationInput = "5 minutes"

// Two memories say no more together than apart; a digest that is there goes on with two.
const LEAST_MADE = 3
const LEAST_KEPT = 2
// A text of 1,200 characters tells of some fifteen; so many give it the choice.
const MOST_MEMORIES = 200
const SESSIONS = 100
// A writer's clock may be behind.
const SLACK_NANOS = 10n * 60n * 1_000_000_000n

type Needs = DigestSessions | DigestStore | Embedder | LanguageModel

const nanos = (millis: number): bigint => BigInt(Math.floor(millis)) * 1_000_000n

/** The id of a session's digest: whoever makes it makes the same one. */
export const digestIdOf = ({ agent, namespace, org, session_id, user_id }: SessionPlace): string =>
  `dig_${
    createHash("sha256").update([org, namespace, agent, user_id, session_id].join("\u0000")).digest("hex").slice(0, 32)
  }`

/** Looks at all sessions whose last change lies between two versions. */
export const look = (since: bigint, until: bigint): Effect.Effect<void, LoomError, Needs> =>
  Effect.gen(function*() {
    const sessions = yield* DigestSessions
    let after: ChangedSession | null = null
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const page: ReadonlyArray<ChangedSession> = yield* sessions.changed({
        since,
        until,
        members: LEAST_MADE,
        now,
        after,
        limit: SESSIONS
      })
      for (const session of page) yield* sumUp(session)
      after = page[page.length - 1] ?? null
      if (page.length < SESSIONS) return
    }
  })

const sumUp = ({ latest: _, ...place }: ChangedSession) =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const digest_id = digestIdOf(place)
    const { digest, latest, memories } = yield* (yield* DigestSessions).state(place, digest_id, {
      now,
      most: MOST_MEMORIES
    })
    const store = yield* DigestStore
    const stands = digest !== null && !digest.ended
    // Above whatever it was written with, so that it takes its place.
    const version = digest === null || latest > digest.version ? latest : digest.version + 1n
    if (memories.length < (stands ? LEAST_KEPT : LEAST_MADE)) {
      if (!stands) return
      yield* faultPoint("digests.before_end")
      return yield* store.end([{ ...place, digest_id, at: now, version }])
    }
    const { text: sentences, used } = digestOf(memories)
    // Values without a word, such as signs alone, say nothing together.
    if (used.length < LEAST_KEPT) {
      return stands ? yield* store.end([{ ...place, digest_id, at: now, version }]) : undefined
    }
    if (stands && tellsOf(digest, used)) return
    const text = yield* wordsFor(place, used, sentences)
    const [copies] = yield* Effect.mapError(
      copiesOf([text]),
      (error) => error._tag === "Overloaded" ? error : new Unavailable({ operation: NAME })
    )
    if (copies === undefined) return yield* new Unavailable({ operation: NAME })
    yield* faultPoint("digests.before_put")
    yield* store.put([{
      digest: {
        ...place,
        digest_id,
        text,
        members: used.map(({ content_sha256, memory_key }) => ({ memory_key, content_sha256 })),
        created_at: now,
        version
      },
      copies
    }])
    yield* faultPoint("digests.after_put")
  })

/** Whether a digest was made from just these memories as they are. */
const tellsOf = ({ members }: KeptDigest, used: ReadonlyArray<SessionMemory>): boolean =>
  members.length === used.length &&
  members.every(({ content_sha256, memory_key }, at) =>
    memory_key === used[at]?.memory_key && content_sha256 === used[at]?.content_sha256
  )

/** The model's words where there is a model and they can be trusted; else the sentences themselves. Nothing waits for a model. */
const wordsFor = ({ namespace, org }: SessionPlace, used: ReadonlyArray<SessionMemory>, sentences: string) =>
  Effect.gen(function*() {
    const { generate, model } = yield* LanguageModel
    if (model === null) return sentences
    return yield* generate(promptFor({ org, namespace }, used)).pipe(
      Effect.map(({ text }) => faithful(text, used) ?? sentences),
      Effect.catchAll(() => Effect.succeed(sentences))
    )
  })

/** The worker: one for an installation. `quiet` is how long a session must have been left alone. */
export const make = (
  { quiet = QUIET, ...pace }: Partial<Worker.Pace> & { readonly quiet?: Duration.DurationInput } = {}
) => {
  /** Up to where sessions were looked at; a process that starts looks at all of them, and again once a day for ends that came. */
  let since = 0n
  let wholeAt = 0
  return Worker.makeScheduled({
    name: NAME,
    // A look costs one query over what changed; it is short beside the time for which a session must be quiet.
    every: "15 seconds",
    run: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const isWhole = now - wholeAt >= Duration.toMillis("24 hours")
      const until = nanos(now - Duration.toMillis(quiet))
      yield* look(isWhole ? 0n : since, until)
      if (isWhole) wholeAt = now
      since = until > SLACK_NANOS ? until - SLACK_NANOS : 0n
    }),
    pace: { idle: "5 seconds", limit: "1 hour", ...pace }
  })
}
