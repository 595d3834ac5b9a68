/** Turns for tests: one plain turn of which a test names only what it is about, indexed as the server does. */
import * as Effect from "effect/Effect"
import type { IndexedTurn, Turn } from "../../src/conversation/TurnModel.ts"
import type { TurnQuestion } from "../../src/conversation/TurnStore.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import { sha256 } from "../../src/kernel/Json.ts"
import { chunks, indexTerms, queryTerms } from "../../src/platform/Analyzer.ts"
import { make as makeEmbedder, testEmbedderId } from "../../src/platform/EmbedderTest.ts"
import { noon, versionAt } from "../memory/MemoryFixture.ts"

const embedder = makeEmbedder()

let count = 0

export const turnOf = (scope: Scope, changed: Partial<Turn> = {}): Turn => {
  const content = changed.content ?? "Deploys happen on Tuesdays"
  const place = ++count
  return {
    ...scope,
    agent: "",
    user_id: "-",
    session_id: "s1",
    turn_id: `turn_${sha256(`${scope.namespace} ${place}`).slice(0, 32)}`,
    position: versionAt(noon) + BigInt(place),
    role: "user",
    speaker: "",
    content,
    content_sha256: sha256(content),
    at: null,
    recorded_at: noon,
    sensitivity: "none",
    actor: "human:ada",
    run_id: "",
    source_resource_id: "",
    ...changed
  }
}

/** In parts of the size that the test asks for; a turn of high sensitivity has none. */
export const indexed = (turn: Turn, size = 1_200): Effect.Effect<IndexedTurn> =>
  Effect.gen(function*() {
    if (turn.sensitivity === "high") return { turn, embedder_id: "", chunks: [] }
    const parts = turn.content.length <= size
      ? [{ start: 0, end: turn.content.length, text: turn.content }]
      : chunks(turn.content, { size, overlap: 0 })
    const vectors = yield* Effect.orDie(embedder.embed(parts.map(({ text }) => text)))
    return {
      turn,
      embedder_id: testEmbedderId,
      chunks: parts.map(({ end, start, text }, index) => {
        const { lemmas, stems } = indexTerms(text)
        return { index, start, end, stems, lemmas, vector: vectors[index] ?? new Float32Array() }
      })
    }
  })

export const indexedAll = (turns: ReadonlyArray<Turn>, size?: number): Effect.Effect<ReadonlyArray<IndexedTurn>> =>
  Effect.forEach(turns, (turn) => indexed(turn, size))

/** A group for each word of a text. */
export const groupsOf = (text: string) => queryTerms(text).stems.map((stem) => ({ stem, lemmas: [] }))

export const questionOf = (text: string): Effect.Effect<TurnQuestion> =>
  Effect.map(Effect.orDie(embedder.embed([text])), ([numbers]) => ({
    vector: { embedderId: testEmbedderId, numbers: numbers ?? new Float32Array() },
    groups: groupsOf(text)
  }))
