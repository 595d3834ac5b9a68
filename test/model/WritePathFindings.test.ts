/**
 * Histories in which the write path and its model once disagreed, as short as they were found. Each is played as the random
 * ones are; what was wrong is in its name.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Claim, Form } from "./ModelClaims.ts"
import { playInMemory } from "./ModelRun.ts"
import { APPENDING, SOON } from "./ModelSteps.ts"
import type { Act, Ask, History, MoveKind, SetPart, Slot, Stated, Step } from "./ModelSteps.ts"

const ann = (key: number): Slot => ({ writer: 0, key })
const bob = (key: number): Slot => ({ writer: 1, key })
const annLater = (key: number): Slot => ({ writer: 2, key })
const uma = (key: number): Slot => ({ writer: 3, key })

const says = (subject: number, object: number, form: Form = "plain"): Claim => ({ subject, object, form })

const part = (slot: Slot, claim: Claim, more: Partial<SetPart> = {}): SetPart => ({
  slot,
  claim,
  stated: {},
  run: "",
  match: "none",
  source: "asserted",
  ...more
})

const step = (act: Act, idem = ""): Step => ({ tag: "act", act, idem })
const set = (slot: Slot, claim: Claim, more: Partial<SetPart> = {}, dry = false, idem = "") =>
  step({ tag: "set", part: part(slot, claim, more), proposed: false, dry }, idem)
const bulk = (...parts: ReadonlyArray<SetPart>) => step({ tag: "bulk", parts, dry: false })
const update = (slot: Slot, claim: Claim, more: Partial<Extract<Act, { readonly tag: "update" }>> = {}) =>
  step({ tag: "update", slot, aim: "writer", claim, stated: {}, match: "none", run: "", dry: false, ...more })
const move = (...parts: ReadonlyArray<readonly [Slot, MoveKind]>) =>
  step({ tag: "move", parts: parts.map(([slot, one]) => ({ slot, move: one, expected: "none" as const })), dry: false })
const wait: Step = { tag: "wait", millis: SOON }

const dated = (valid_at: number): { readonly stated: Stated } => ({ stated: { valid_at } })

// Every moment of a short history, by each clock.
const asks: ReadonlyArray<Ask> = Array.from(
  { length: 40 },
  (_, at) =>
    (["valid", "knowledge", "both"] as const).map((axis): Ask => ({
      what: "list",
      axis,
      key: 0,
      at,
      known: 39 - at,
      after: 0
    }))
).flat().concat([0, 1, 2].map((key) => ({ what: "timeline", axis: "valid", key, at: 0, known: 0, after: 0 })))

const history = (steps: ReadonlyArray<Step>, more: Partial<History> = {}): History => ({
  policy: "auto_reinforce",
  many: false,
  again: "state",
  cuts: [8],
  restarts: [false],
  faults: ["none"],
  asks: [],
  steps,
  ...more
})

const newest = { policy: "newest_wins" } as const

const findings: Readonly<Record<string, History>> = {
  "a dry run under a key that its batch used is no retry": history([
    set(ann(0), says(0, 0), {}, false, "i1"),
    set(ann(1), says(1, 1), {}, true, "i1")
  ]),
  "the twin under the key is not retired for its own duplicate": history([
    bulk(part(bob(2), says(0, 1)), part(ann(2), says(0, 1, "turned")))
  ], newest),
  "nothing is retired for a row that is not there": history([
    set(ann(0), says(0, 0)),
    move([ann(0), { kind: "retire", by: bob(2) }])
  ]),
  "the answer shows what a duplicate that came back made of the row": history([
    set(ann(0), says(0, 0, "turned")),
    set(annLater(0), says(0, 0, "turned"), { run: "r1" }),
    set(ann(0), says(0, 2, "turned"))
  ]),
  "a key whose row had ended keeps no old link": history([
    set(bob(0), says(0, 2, "odd")),
    set(annLater(1), says(0, 0), { stated: { valid_to: SOON } }),
    wait,
    set(annLater(1), says(2, 0))
  ]),
  "what waits behind a row waits no more when its own time is over too": history([
    set(bob(0), says(0, 0, "dressed")),
    set(bob(1), says(0, 0, "turned"), { stated: { expires_at: SOON } }),
    wait,
    step({ tag: "delete", slot: bob(0), aim: "writer", match: "none", dry: false }),
    move([bob(1), { kind: "touch", expires_at: null }])
  ]),
  "a contradiction made and ended by one write is gone from both": history([
    set(annLater(0), says(2, 2)),
    set(bob(0), says(0, 0), { stated: { tags: [APPENDING] } }),
    bulk(part(annLater(0), says(0, 0, "dressed"))),
    bulk(part(bob(0), says(0, 2)))
  ], newest),
  "what is rolled back in a batch is a peer for the rest of it": history([
    set(ann(0), says(0, 2, "odd")),
    set(ann(0), says(1, 2)),
    step({ tag: "rollback", back: 1, dry: false }),
    set(bob(0), says(0, 1, "turned"))
  ]),
  "what waited behind a deleted row is a peer for the rest of its batch": history([
    set(ann(0), says(0, 0)),
    set(bob(1), says(0, 0, "turned")),
    step({ tag: "delete", slot: ann(0), aim: "writer", match: "none", dry: false }),
    set(ann(2), says(0, 1))
  ], { cuts: [2, 8] }),
  "a row that goes on standing after a backfill is a peer for the rest of the batch": history([
    set(ann(0), says(0, 0), dated(2)),
    set(ann(0), says(0, 1), dated(1)),
    set(ann(1), says(0, 2))
  ], newest),
  "peers of equal closeness have one order": history([
    bulk(part(ann(1), says(0, 1, "turned"), { stated: { valid_to: SOON }, run: "r1" })),
    set(ann(0), says(0, 1, "turned")),
    set(bob(0), says(0, 2, "dressed"), {}, true)
  ], { again: "queries", cuts: [1, 8] }),
  "an update is refused for the blacklist before the hash": history([
    bulk(part(annLater(0), says(2, 1, "turned"))),
    update(annLater(0), says(1, 3), { match: "other" })
  ]),
  "an update is refused for the lock before the hash": history([
    set(ann(0), says(0, 0)),
    move([ann(0), { kind: "lock", mode: "read_only", until: null, mayLoosen: false }]),
    update(ann(0), says(0, 1), { match: "other" })
  ]),
  "a correction of value and date is no backfill of the row itself": history([
    set(ann(0), says(0, 0), dated(2)),
    update(ann(0), says(0, 1), dated(1))
  ], newest),
  "an update to a date before another writer's row is superseded by that": history([
    set(ann(0), says(1, 0), { stated: { pinned: true } }),
    move([ann(0), { kind: "pin", pinned: false }]),
    step({ tag: "set", part: part(bob(0), says(0, 0), dated(2)), proposed: true, dry: false }),
    update(ann(0), says(1, 1), dated(1))
  ], newest),
  "a value sought for rows of two users meets each user's own": history([
    set(uma(1), says(0, 0)),
    set(ann(1), says(0, 0, "far")),
    set(ann(1), says(0, 0, "far")),
    step({ tag: "restore", slot: ann(1), aim: "key", dry: true })
  ], newest),
  "the answer of a merge shows what its retirements made of the row": history([
    set(bob(0), says(0, 1)),
    set(annLater(2), says(0, 1, "odd")),
    set(ann(2), says(0, 1))
  ], newest),
  "an update meets peers by the tags its row has by then": history([
    bulk(part(annLater(1), says(0, 0), { stated: { tags: [APPENDING] } }), part(bob(0), says(0, 2, "dressed"))),
    set(annLater(1), says(0, 0, "odd")),
    update(bob(1), says(0, 0, "dressed"), { aim: "key" })
  ], { cuts: [1, 2] }),
  "what is not compared is taken away under its own key alone": history([
    set(bob(3), says(1, 2)),
    step({ tag: "rollback", back: 1, dry: false }),
    step({ tag: "set", part: part(bob(3), says(1, 1), { source: "imported" }), proposed: true, dry: false })
  ], { cuts: [1, 2] }),
  "update_by_id retires the older rows of its key": history([
    set(bob(0), says(0, 2, "turned"), { run: "r2" }),
    set(ann(0), says(0, 2)),
    update(ann(0), says(2, 0, "turned"), { aim: "id" })
  ], newest),
  "what is not searched is not suppressed for another that its batch deleted": history([
    set(ann(3), says(1, 0)),
    step({ tag: "delete", slot: ann(3), aim: "writer", match: "none", dry: false }),
    set(ann(3), says(0, 1), { source: "imported" })
  ]),
  "a proposal under a key whose row had ended takes over no contradiction": history([
    set(ann(1), says(0, 0, "far"), { stated: { expires_at: SOON } }),
    set(bob(1), says(0, 2, "odd")),
    wait,
    step({ tag: "set", part: part(ann(1), says(0, 2, "turned")), proposed: true, dry: false })
  ]),
  "a memory rolled back twice belongs to the claim it says": history([
    set(ann(1), says(2, 1)),
    set(ann(1), says(2, 0)),
    ...[1, 1, 1].map((back) => step({ tag: "rollback", back, dry: false }))
  ], { asks }),
  "an expiry does not bring back, for its time, what was replaced before": history([
    set(ann(1), says(1, 1)),
    set(ann(0), says(1, 0)),
    move([ann(1), { kind: "tombstone", change: "expire" }])
  ], { ...newest, asks }),
  "a proposal whose end is moved is not served for that": history([
    step({ tag: "set", part: part(bob(1), says(0, 0)), proposed: true, dry: false }),
    move([bob(1), { kind: "tombstone", change: "expire" }]),
    move([bob(1), { kind: "touch", expires_at: null }])
  ], { asks }),
  "a memory that ran out is deleted by its hash, and not restored": history([
    set(bob(1), says(0, 0)),
    move([bob(1), { kind: "tombstone", change: "expire" }]),
    step({ tag: "restore", slot: bob(1), aim: "writer", dry: false }),
    step({ tag: "delete", slot: bob(1), aim: "writer", match: "current", dry: false })
  ], { asks })
}

describe("found by the model", () => {
  for (const [name, found] of Object.entries(findings)) {
    it(name, () => {
      for (const again of [found.again, "state", "queries"] as const) {
        assert.deepStrictEqual(playInMemory({ ...found, again }), [])
      }
    })
  }
})
