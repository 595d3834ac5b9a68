/**
 * Voiding a commit in ClickHouse. History and journal keep the highest revision of each number, so a void revision laid down
 * for the commit's numbers outlasts rows that its owner inserts after it; heads keep the highest version, so the heads of
 * before are laid down again above it. In this order a run that is cut short leaves nothing that a later one does not set
 * right, and no reader meets a fresh number in the history.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { faultPoint } from "../kernel/FaultPoint.ts"
import { identityKey } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import { MAX_ROWS } from "./CommitMerge.ts"
import type { Intent, IntentRow } from "./Fence.ts"
import { answerRow, everyVersion, forget } from "./MemoryCommitClickhouse.ts"
import { laidDownAgain, noAnswer, voidRow } from "./MemoryDisowned.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { encodeRow, inPlaces, inScope, placesAtOnce, rowColumns, StoredRow } from "./MemoryRowsClickhouse.ts"

// Above every revision that redactions make, one at a time.
const VOID_REVISION = 1_000_000_000

const voidLink = ({ epoch, scope, seq }: Intent, position: bigint, memory_id: string) => ({
  ...scope,
  position,
  at: new Date(Number(position / 1_000_000n)),
  actor: "",
  action: "void",
  agent: "",
  user_id: "",
  session_id: "",
  memory_key: "",
  memory_id,
  content_sha256: "",
  status: "void",
  write_id: "",
  cause: "",
  prev_hash: "",
  hash: "",
  epoch,
  seq,
  revision: VOID_REVISION
})

/** The last version of each row's memory that stands in the history. */
const before = (clickhouse: Clickhouse["Type"], { rows, scope }: Intent) => {
  const places = new Map(rows.map((row) => [identityKey(row), row]))
  return Effect.map(
    Effect.forEach(Arr.chunksOf(places.values(), placesAtOnce), (turn) =>
      clickhouse.query(
        ch.sql("MemoryStore.disown")`SELECT ${rowColumns} FROM loom.memory_versions FINAL
          WHERE ${inScope(scope)} AND ${inPlaces(turn)} AND status != 'void'
          ORDER BY version DESC LIMIT 1 BY agent, user_id, session_id, memory_key`,
        StoredRow
      )),
    (found) => new Map(found.flat().map((row): [string, MemoryRow] => [identityKey(row), row]))
  )
}

export const disownIn = (clickhouse: Clickhouse["Type"]) =>
  Effect.fn("MemoryStore.disown")(function*(intent: Intent, fresh: bigint): Effect.fn.Return<void, StoreError> {
    const { answers, links, rows, scope } = intent
    const numbered = rows.map((row, index): readonly [IntentRow, bigint] => [row, fresh + BigInt(index)])
    const voided = [...rows.map((row): readonly [IntentRow, bigint] => [row, row.version]), ...numbered]
    yield* clickhouse.insert(
      "loom.journal",
      [
        ...voided.map(([row, version]) => voidLink(intent, version, row.memory_id)),
        ...links.map((position) => voidLink(intent, position, ""))
      ]
    )
    yield* clickhouse.insert(
      "loom.memory_versions",
      voided.map(([row, version]) => ({ ...encodeRow(voidRow(intent, row, version)), revision: VOID_REVISION }))
    )
    yield* clickhouse.insert(
      "loom.idempotency",
      answers.map((idem_hash) => answerRow({ ...noAnswer, scope, idem_hash, version: fresh }))
    )
    yield* faultPoint("disown.before_heads")
    const heads = yield* before(clickhouse, intent)
    const again = numbered.map(([row, version]) => laidDownAgain(intent, row, heads.get(identityKey(row)), version))
    yield* Effect.forEach(
      Arr.chunksOf(again, MAX_ROWS),
      (turn) => clickhouse.insert("loom.memory", turn.map(encodeRow), everyVersion),
      { discard: true }
    )
    // Its own delete may still come, and takes what is derived again from now on no more.
    yield* Effect.forEach(
      rows.filter(({ hides }) => hides),
      (row) => forget(clickhouse, { ...scope, ...row }, row.version),
      { discard: true }
    )
  })
