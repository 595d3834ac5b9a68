import type { Turn } from "../../src/conversation/TurnModel.ts"
import type { Transcript } from "../../src/extraction/FactModel.ts"

// A Wednesday.
export const SAID = Date.parse("2023-05-24T14:30:00Z")

const scope = { org: "acme", namespace: "eng" }

/** A turn of the user, said on that Wednesday. */
export const turn = (content: string, fields: Partial<Turn> = {}): Turn => ({
  ...scope,
  agent: "",
  user_id: "-",
  session_id: "s1",
  turn_id: `turn_${content.slice(0, 12)}`,
  position: 0n,
  role: "user",
  speaker: "",
  content,
  content_sha256: "",
  at: SAID,
  recorded_at: SAID,
  sensitivity: "none",
  actor: "human:nadia",
  run_id: "",
  source_resource_id: "",
  ...fields
})

export const transcript = (turns: ReadonlyArray<Turn>, fields: Partial<Transcript> = {}): Transcript => ({
  scope,
  turns: turns.map((one, at) => ({
    ...one,
    position: BigInt(at),
    turn_id: `turn_${at}`
  })),
  user: "",
  observed_at: null,
  ...fields
})
