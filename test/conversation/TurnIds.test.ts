/** Ids of turns: what is the same gets the same one, whoever asks and however often, and nothing else does. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { appendedIds, transcriptIds } from "../../src/conversation/TurnIds.ts"
import type { PlacedTurn } from "../../src/conversation/TurnIds.ts"
import type { TurnWriter } from "../../src/conversation/TurnModel.ts"

const writer: TurnWriter = { org: "acme", namespace: "eng", agent: "bot", user_id: "ada", session_id: "s1" }

// Few different words and times, so that alike turns come up.
const stated = FastCheck.record({
  role: FastCheck.constantFrom("user" as const, "assistant" as const),
  speaker: FastCheck.constantFrom("", "Mira"),
  content: FastCheck.constantFrom("yes", "no", "I moved to Berlin"),
  at: FastCheck.constantFrom(null, 1, 2)
})

const transcript = FastCheck.array(stated, { maxLength: 12 }).map((turns) =>
  turns.map((turn, place): PlacedTurn => ({ ...turn, place }))
)

const distinct = (ids: ReadonlyArray<unknown>): number => new Set(ids).size

describe("TurnIds", () => {
  it("gives a transcript the same ids each time, all different, and a longer one the same for its beginning", () => {
    FastCheck.assert(
      FastCheck.property(transcript, FastCheck.nat(12), (turns, cut) => {
        const ids = transcriptIds(writer, turns)
        assert.strictEqual(distinct(ids), turns.length)
        assert.deepStrictEqual(transcriptIds({ ...writer }, structuredClone(turns)), ids)
        assert.deepStrictEqual(transcriptIds(writer, turns.slice(0, cut)), ids.slice(0, cut))
      })
    )
  })

  it("names a dated turn by what it says: alone, in a transcript, and whatever undated turns stand beside it", () => {
    FastCheck.assert(
      FastCheck.property(transcript, (turns) => {
        const inTranscript = transcriptIds(writer, turns)
        const added = appendedIds(writer, turns, "")
        const alone = appendedIds(writer, turns.filter(({ at }) => at !== null), "")
        assert.deepStrictEqual(added.filter((id) => id !== null), alone)
        for (const [index, { at }] of turns.entries()) {
          assert.strictEqual(added[index], at === null ? null : inTranscript[index])
        }
      })
    )
  })

  it("names an undated turn by key and place, whatever it says, and a fresh key names others", () => {
    FastCheck.assert(
      FastCheck.property(transcript, (turns) => {
        const ids = appendedIds(writer, turns, "k1")
        assert.strictEqual(distinct(ids), turns.length)
        assert.notInclude(ids, null)
        const undated = turns.flatMap(({ at }, index) => at === null ? [index] : [])
        const other = appendedIds(writer, turns, "k2")
        for (const index of undated) assert.notStrictEqual(other[index], ids[index])
        const changed = turns.map((turn) => turn.at === null ? { ...turn, content: "something else" } : turn)
        assert.deepStrictEqual(appendedIds(writer, changed, "k1"), ids)
        // A message that was refused keeps its place.
        const later = undated.filter((index) => index > 0)
        assert.deepStrictEqual(
          appendedIds(writer, turns.filter(({ place }) => place > 0), "k1").filter((_, index) =>
            turns[index + 1]?.at === null
          ),
          later.map((index) => ids[index])
        )
      })
    )
  })

  it("tells everybody's turns apart", () => {
    const turn: PlacedTurn = { role: "user", speaker: "", content: "yes", at: 1, place: 0 }
    const writers: ReadonlyArray<TurnWriter> = [
      writer,
      { ...writer, org: "globex" },
      { ...writer, namespace: "ops" },
      { ...writer, agent: "" },
      { ...writer, user_id: "bob" },
      { ...writer, session_id: "s2" },
      // The same letters, cut elsewhere.
      { ...writer, agent: "bota", user_id: "da" }
    ]
    for (const at of [1, null]) {
      assert.strictEqual(distinct(writers.flatMap((one) => transcriptIds(one, [{ ...turn, at }]))), writers.length)
      assert.strictEqual(
        distinct(writers.flatMap((one) => appendedIds(one, [{ ...turn, at }], "k"))),
        writers.length
      )
    }
    const others: ReadonlyArray<PlacedTurn> = [
      turn,
      { ...turn, role: "assistant" },
      { ...turn, speaker: "Mira" },
      { ...turn, content: "yes " },
      { ...turn, at: 2 }
    ]
    assert.strictEqual(distinct(others.flatMap((one) => transcriptIds(writer, [one]))), others.length)
  })
})
