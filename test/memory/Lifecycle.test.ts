/**
 * The lifecycle verbs over the in-process house: every verb on rows of every status, what a lock and a pin change, whose
 * rows a bound token reaches, and what each request refuses.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { sha256 } from "../../src/kernel/Json.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { call, layer } from "../support/ActorHouse.ts"
import { commitOf, noon, rowOf, versionAt } from "./MemoryFixture.ts"

const scope = { org: "dev", namespace: "local" }
const key = "k/one"
const writer: Caller = { ...localCaller, actor: "human:writer", role: "write" }
const robot: Caller = { ...localCaller, actor: "process:robot", role: "write" }
const bound = (user: string): Caller => ({ ...writer, actor: `human:${user}`, boundUser: user })

let stored = 0
/** Puts rows into the store before the actor wakes up. */
const put = (...rows: ReadonlyArray<Partial<MemoryRow>>) =>
  Effect.flatMap(
    MemoryStore,
    (store) =>
      store.commit(
        commitOf(rows.map((row) => rowOf(scope, { memory_key: key, version: versionAt(noon + ++stored), ...row })))
      )
  )

const head = (memory_key = key) =>
  Effect.flatMap(
    MemoryStore,
    (store) => Effect.map(store.rows(scope, [{ agent: "", user_id: "-", session_id: "", memory_key }]), ([row]) => row)
  )

const codeOf = <A, R>(
  attempt: Effect.Effect<A, { readonly _tag: string; readonly code?: unknown; readonly facts?: unknown }, R>
) => Effect.map(Effect.either(attempt), (done) => done._tag === "Left" ? String(done.left.code) : "none")

const statuses = [
  "active",
  "conflicted",
  "duplicate",
  "proposed",
  "superseded",
  "rejected",
  "tombstoned",
  "void"
] as const
type Status = typeof statuses[number]

const rowIn = (status: Status): Partial<MemoryRow> => ({
  status,
  ...(status === "duplicate" ? { duplicate_of: "mem_other" } : {}),
  ...(status === "tombstoned" ? { tombstoned_at: noon, change: "delete" } : {}),
  ...(status === "superseded" ? { superseded_by: "mem_other", invalid_at: noon } : {})
})

const live: ReadonlyArray<Status> = ["active", "conflicted", "duplicate", "proposed"]

interface Case {
  readonly verb: string
  readonly body: object
  /** Rows that the verb changes. */
  readonly changes: ReadonlyArray<Status>
  /** Rows that already are as asked. */
  readonly leaves?: ReadonlyArray<Status>
  readonly after: (row: MemoryRow, before: Status) => void
}

const cases: ReadonlyArray<Case> = [
  {
    verb: "memory.pin",
    body: {},
    changes: live,
    after: (row) => assert.deepInclude(row, { pinned: true, change: "pin" })
  },
  {
    verb: "memory.pin",
    body: { pinned: false },
    changes: [],
    leaves: live,
    after: (row) => assert.isFalse(row.pinned)
  },
  {
    verb: "memory.lock",
    body: { reason: "audit" },
    changes: live,
    after: (row) => assert.deepInclude(row, { lock_mode: "read_only", lock_reason: "audit", locked_by: "human:local" })
  },
  { verb: "memory.lock", body: { mode: "none" }, changes: [], leaves: live, after: () => {} },
  {
    verb: "memory.touch",
    body: { ttl_seconds: 60 },
    changes: live,
    after: (row) => {
      assert.deepInclude(row, { change: "touch", on_expire: "tombstone" })
      assert.isAbove(row.expires_at ?? 0, noon)
    }
  },
  { verb: "memory.touch", body: { clear_expiry: true }, changes: [], leaves: live, after: () => {} },
  {
    verb: "memory.reject",
    body: { reason: "wrong" },
    changes: [...live, "superseded"],
    leaves: ["rejected"],
    after: (row) => {
      assert.deepInclude(row, { status: "rejected", conflict_with: [], duplicate_of: "" })
      assert.include(row.cause, "wrong")
    }
  },
  {
    verb: "memory.verify",
    body: {},
    changes: [...live, "superseded"],
    after: (row, before) =>
      assert.deepInclude(row, {
        status: before,
        verified_kind: "human",
        verified_by: "human:local",
        verified_sha256: row.content_sha256
      })
  },
  {
    verb: "memory.proposal_decide",
    body: { decision: "accept" },
    changes: ["proposed"],
    after: (row) => assert.deepInclude(row, { status: "active", change: "accept" })
  },
  {
    verb: "memory.proposal_decide",
    body: { decision: "reject", reason: "no" },
    changes: ["proposed"],
    after: (row) => assert.deepInclude(row, { status: "rejected", change: "reject" })
  },
  {
    verb: "memory.apply",
    body: { action: "delete", filter: { prefix: key }, dry_run: false },
    changes: ["active", "conflicted"],
    after: (row) => assert.deepInclude(row, { status: "tombstoned", change: "delete" })
  },
  {
    verb: "memory.clear",
    body: { user_id: "-" },
    changes: [...live, "superseded"],
    after: (row) => assert.deepInclude(row, { status: "tombstoned", change: "delete" })
  }
]

const bulk: ReadonlyArray<string> = ["memory.apply", "memory.clear"]

describe("lifecycle verbs", () => {
  for (const { after, body, changes, leaves = [], verb } of cases) {
    describe(`${verb} ${JSON.stringify(body)}`, () => {
      for (const status of statuses) {
        const outcome = changes.includes(status) ? "changes" : leaves.includes(status) ? "leaves" : "does not find"
        const asked = bulk.includes(verb) ? body : { memory_key: key, ...body }
        it.live(`${outcome} a row that is ${status}`, () =>
          Effect.gen(function*() {
            yield* put(rowIn(status))
            const before = yield* head()
            const tried = yield* call(verb, { ...asked, dry_run: true })
            assert.deepStrictEqual(yield* head(), before, "a dry run writes nothing")
            const answer = yield* call(verb, asked)
            const row = yield* head()
            if (bulk.includes(verb)) {
              assert.strictEqual(answer["matched"], outcome === "changes" ? 1 : 0)
              assert.strictEqual(tried["matched"], answer["matched"])
              assert.strictEqual(tried["changed"], answer["changed"])
            } else assert.strictEqual(answer["found"], outcome !== "does not find")
            assert.strictEqual(tried["found"], answer["found"])
            if (row === undefined || before === undefined) return assert.fail("the row is gone")
            if (outcome !== "changes") return assert.deepStrictEqual(row, before)
            assert.isTrue(row.version > before.version)
            after(row, status)
          }).pipe(Effect.provide(layer())))
      }
    })
  }

  const locked = { lock_mode: "read_only", lock_reason: "audit", lock_until: null } as const
  const underLock: ReadonlyArray<readonly [verb: string, body: object, readOnly: string, noDelete: string]> = [
    ["memory.pin", {}, "none", "none"],
    ["memory.pin", { value: "Another value" }, "LOCKED", "none"],
    ["memory.touch", { ttl_seconds: 60 }, "LOCKED", "LOCKED"],
    ["memory.touch", { clear_expiry: true }, "LOCKED", "none"],
    ["memory.reject", {}, "LOCKED", "LOCKED"],
    ["memory.verify", {}, "none", "none"],
    ["memory.delete", {}, "LOCKED", "LOCKED"],
    ["memory.update", { value: "Another value" }, "LOCKED", "none"],
    ["memory.update", { value: "Another value", ttl_seconds: 60 }, "LOCKED", "LOCKED"],
    ["memory.update", { ttl_seconds: 60 }, "LOCKED", "LOCKED"],
    ["memory.update", { valid_to: "2020-01-01T00:00:00Z" }, "LOCKED", "LOCKED"],
    ["memory.update", { valid_at: "2099-01-01T00:00:00Z" }, "LOCKED", "none"],
    ["memory.update", { confidence: 0.5 }, "LOCKED", "none"],
    ["memory.update", { pinned: true }, "LOCKED", "none"],
    ["memory.update", { tags: ["hack"] }, "LOCKED", "none"],
    ["memory.update", { entities: ["hack"] }, "LOCKED", "none"],
    ["memory.update", { memory_type: "reflection" }, "LOCKED", "none"],
    ["memory.update", { sensitivity: "high" }, "LOCKED", "none"],
    ["memory.update", { on_expire: "keep" }, "LOCKED", "none"],
    ["memory.set", { value: "Another value", valid_to: "2020-01-01T00:00:00Z" }, "LOCKED", "LOCKED"],
    // The same lock again; a stricter one; a later end; what loosens.
    ["memory.lock", { mode: "read_only", reason: "audit" }, "none", "none"],
    ["memory.lock", { mode: "no_delete", reason: "audit" }, "LOCKED", "none"],
    ["memory.lock", { mode: "none" }, "LOCKED", "LOCKED"],
    ["memory.lock", { mode: "read_only", reason: "audit", ttl_seconds: 60 }, "LOCKED", "LOCKED"]
  ]
  for (const [verb, body, readOnly, noDelete] of underLock) {
    for (const [lock_mode, code] of [["read_only", readOnly], ["no_delete", noDelete]] as const) {
      it.live(`${verb} ${JSON.stringify(body)} under ${lock_mode} is refused with ${code}`, () =>
        Effect.gen(function*() {
          yield* put({ ...locked, lock_mode })
          const before = yield* head()
          assert.strictEqual(yield* codeOf(call(verb, { memory_key: key, ...body }, writer)), code)
          if (code === "LOCKED") assert.deepStrictEqual(yield* head(), before)
          if (verb === "memory.lock") yield* call(verb, { memory_key: key, ...body })
        }).pipe(Effect.provide(layer())))
    }
  }

  it.live("a lock that has run out guards nothing", () =>
    Effect.gen(function*() {
      yield* put({ ...locked, lock_until: noon - 1 })
      assert.strictEqual((yield* call("memory.reject", { memory_key: key }, writer))["rejected"], true)
    }).pipe(Effect.provide(layer())))

  it.live("pin with a value stores it under the key, over a pinned value too", () =>
    Effect.gen(function*() {
      const first = yield* call("memory.pin", { memory_key: key, value: "Deploys are on Tuesdays", tags: ["ops"] })
      assert.deepInclude(first, { found: true, pinned: true, conflict_verdict: "clear" })
      assert.strictEqual(
        yield* codeOf(call("memory.set", { memory_key: key, value: "Deploys are on Mondays" })),
        "PINNED_CONFLICT"
      )
      const second = yield* call("memory.pin", { memory_key: key, value: "Deploys are on Mondays" })
      assert.deepInclude(second, { pinned: true, memory_id: first["memory_id"] })
      assert.strictEqual((yield* head())?.value, "Deploys are on Mondays")
      assert.deepInclude(yield* call("memory.pin", { memory_key: key, pinned: false }), { found: true, pinned: false })
      assert.strictEqual(
        (yield* call("memory.set", { memory_key: key, value: "Deploys are on Fridays" }))["pinned"],
        false
      )
    }).pipe(Effect.provide(layer())))

  it.live("touch answers each of several in its place, and keeps what it does not name", () =>
    Effect.gen(function*() {
      yield* put(
        { memory_key: "a", expires_at: noon - 1, on_expire: "demote", expire_reason: "old" },
        { memory_key: "b", ...locked },
        { memory_key: "c", agent: "one" },
        { memory_key: "c", agent: "two" }
      )
      const answer = yield* call("memory.touch", { memory_keys: ["a", "none", "b", "c"], ttl_seconds: 60 })
      const results = Array.isArray(answer["results"]) ? answer["results"] : []
      assert.deepStrictEqual(
        results.map(({ code, index, memory_key, outcome }) => [index, memory_key, outcome, code]),
        [
          [0, "a", "changed", null],
          [1, "none", "not_found", null],
          [2, "b", "refused", "LOCKED"],
          [3, "c", "refused", "AMBIGUOUS_KEY"]
        ]
      )
      assert.deepInclude(answer, { found: true, changed: 1, not_found: 1, refused: 2, ok: false })
      assert.deepInclude(yield* head("a"), { on_expire: "demote", expire_reason: "old" })
      assert.strictEqual((yield* call("memory.get", { memory_key: "a" }))["found"], true)
      assert.strictEqual(yield* codeOf(call("memory.touch", { memory_key: "b", ttl_seconds: 60 })), "LOCKED")
      yield* call("memory.touch", { memory_key: "a", on_expire: "keep" })
      assert.isAbove((yield* head("a"))?.expires_at ?? 0, noon)
      yield* call("memory.touch", { memory_key: "a", ttl_seconds: null })
      assert.deepInclude(yield* head("a"), { expires_at: null, on_expire: "", expire_reason: "" })
    }).pipe(Effect.provide(layer())))

  it.live("verify binds to the hash, is stamped from the token, and goes stale with an edit", () =>
    Effect.gen(function*() {
      yield* call("memory.set", { memory_key: key, value: "Deploys are on Tuesdays" })
      const other = sha256("something else")
      assert.strictEqual(
        yield* codeOf(call("memory.verify", { memory_key: key, content_sha256: other })),
        "PRECONDITION_FAILED"
      )
      const done = yield* call("memory.verify", { memory_key: key }, robot)
      assert.deepInclude(done, { verified: true, verification: "process", verified_by: "process:robot" })
      assert.strictEqual((yield* call("memory.get", { memory_key: key }))["verification"], "process")
      yield* call("memory.update", { memory_key: key, value: "Deploys are on Mondays" })
      assert.strictEqual((yield* call("memory.get", { memory_key: key }))["verification"], "stale")
      yield* call("memory.update", { memory_key: key, value: "Deploys are on Tuesdays" })
      assert.strictEqual((yield* call("memory.get", { memory_key: key }))["verification"], "process")
    }).pipe(Effect.provide(layer())))

  it.live("a refused change may be tried again under its key; a carried out one is answered once", () =>
    Effect.gen(function*() {
      yield* put(locked)
      const reject = call("memory.reject", { memory_key: key, idempotency_key: "once" }, writer)
      assert.strictEqual(yield* codeOf(reject), "LOCKED")
      yield* call("memory.lock", { memory_key: key, mode: "none" })
      const first = yield* reject
      assert.deepInclude(first, { found: true, rejected: true, noop: false })
      assert.deepStrictEqual(yield* reject, first)
      const decide = call("memory.proposal_decide", { memory_key: "p", decision: "accept", idempotency_key: "two" })
      yield* call("memory.set", { memory_key: "p", value: "A proposed fact", proposed: true })
      const accepted = yield* decide
      assert.deepInclude(accepted, { decided: true, status: "active" })
      assert.deepStrictEqual(yield* decide, accepted)
    }).pipe(Effect.provide(layer())))

  it.live("a bound token reaches its user's rows alone; another's are like none", () =>
    Effect.gen(function*() {
      yield* put(
        { memory_key: "x", user_id: "ada", memory_id: "mem_ada" },
        { memory_key: "p", user_id: "ada", status: "proposed", memory_id: "mem_adap" }
      )
      const calls: ReadonlyArray<readonly [string, object, string]> = [
        ["memory.pin", {}, "x"],
        ["memory.lock", { reason: "mine" }, "x"],
        ["memory.touch", { ttl_seconds: 60 }, "x"],
        ["memory.reject", {}, "x"],
        ["memory.verify", {}, "x"],
        ["memory.proposal_decide", { decision: "accept" }, "p"],
        ["memory.proposal_decide", { decision: "reject" }, "p"]
      ]
      const told = (answer: unknown) => JSON.stringify(answer).replaceAll(/"expires_at":"[^"]*"/g, "")
      for (const [verb, body, memory_key] of calls) {
        const memory_id = memory_key === "x" ? "mem_ada" : "mem_adap"
        for (const target of [{ memory_key }, { memory_id }]) {
          const nowhere = Object.fromEntries(Object.keys(target).map((name) => [name, "none"]))
          const there = told(yield* call(verb, { ...target, ...body }, bound("bob")))
          const absent = told(yield* call(verb, { ...nowhere, ...body }, bound("bob")))
          assert.strictEqual(
            there.replaceAll(`"${memory_key}"`, "\"none\"").replaceAll(memory_id, "none"),
            absent,
            verb
          )
        }
      }
      const sweeps: ReadonlyArray<object> = [{ all: true }, { filter: { user_id: "ada" } }, { filter: { prefix: "x" } }]
      for (const body of sweeps) {
        const answer = yield* call("memory.apply", { action: "delete", dry_run: false, ...body }, bound("bob"))
        assert.deepInclude(answer, { matched: 0, results: [] })
      }
      assert.deepInclude(
        yield* call("memory.clear", { user_id: "ada" }, { ...bound("bob"), role: "admin" }),
        { cleared: 0 }
      )
      assert.deepStrictEqual((yield* call("memory.proposals", {}, bound("bob")))["proposals"], [])
      assert.strictEqual((yield* call("memory.list", { include_proposed: true }))["total"], 2)
      assert.deepInclude(yield* call("memory.pin", { memory_key: "x" }, bound("ada")), { found: true, pinned: true })
    }).pipe(Effect.provide(layer())))

  const refusals: ReadonlyArray<readonly [verb: string, body: object, code: string, caller?: Caller]> = [
    ["memory.pin", {}, "INVALID_ARGUMENT"],
    ["memory.pin", { memory_id: "m", value: "v" }, "INVALID_ARGUMENT"],
    ["memory.pin", { memory_key: "k", value: "v", pinned: false }, "INVALID_ARGUMENT"],
    ["memory.pin", { memory_key: "k", tags: ["t"] }, "INVALID_ARGUMENT"],
    ["memory.pin", { memory_key: "k", colour: "red" }, "UNKNOWN_FIELD"],
    ["memory.lock", { memory_key: "k" }, "INVALID_ARGUMENT"],
    ["memory.lock", { memory_key: "k", reason: "r", until: "2020-01-01" }, "INVALID_ARGUMENT"],
    ["memory.lock", { memory_key: "k", reason: "r", until: "2999-01-01" }, "INVALID_ARGUMENT"],
    ["memory.lock", { memory_key: "k", reason: "r", until: "2099-01-01", ttl_seconds: 5 }, "INVALID_ARGUMENT"],
    ["memory.lock", { memory_key: "k", mode: "none", ttl_seconds: 5 }, "INVALID_ARGUMENT"],
    ["memory.lock", { memory_key: "k", reason: "r", mode: "hard" }, "INVALID_ARGUMENT"],
    ["memory.touch", { memory_key: "k" }, "INVALID_ARGUMENT"],
    ["memory.touch", { ttl_seconds: 5 }, "INVALID_ARGUMENT"],
    ["memory.touch", { memory_key: "k", memory_keys: ["a"], ttl_seconds: 5 }, "INVALID_ARGUMENT"],
    ["memory.touch", { memory_key: "k", ttl_seconds: 5, clear_expiry: true }, "INVALID_ARGUMENT"],
    ["memory.reject", {}, "INVALID_ARGUMENT"],
    ["memory.verify", { memory_key: "k", kind: "human" }, "UNKNOWN_FIELD"],
    ["memory.verify", { memory_key: "k", content_sha256: "short" }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "delete" }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "delete", filter: {} }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "delete", filter: { tags: [], prefix: "" } }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "delete", filter: { statuses: ["active"] } }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "delete", user_id: "u" }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "delete", user_id: "u", filter: { user_id: "v" } }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "delete", filter: { colour: "red" } }, "UNKNOWN_FIELD"],
    ["memory.apply", { action: "delete", filter: { statuses: ["tombstoned"] } }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "pin", all: true, filter: { statuses: ["superseded"] } }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "pin", all: true, ttl_seconds: 5 }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "lock", all: true }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "touch", all: true }, "INVALID_ARGUMENT"],
    ["memory.apply", { action: "add_tags", all: true }, "INVALID_ARGUMENT"],
    ["memory.clear", {}, "INVALID_ARGUMENT"],
    ["memory.clear", { agent: "" }, "INVALID_ARGUMENT"],
    ["memory.clear", { user_id: "" }, "INVALID_ARGUMENT"],
    ["memory.clear", { user_id: "u" }, "FORBIDDEN", writer],
    ["memory.proposal_decide", { decision: "accept" }, "INVALID_ARGUMENT"],
    ["memory.proposal_decide", { memory_key: "k", decision: "maybe" }, "INVALID_ARGUMENT"],
    ["memory.proposals", { only: "all" }, "INVALID_ARGUMENT"],
    ["memory.proposals", { cursor: "nonsense" }, "INVALID_ARGUMENT"]
  ]
  for (const [verb, body, code, caller] of refusals) {
    it.live(`${verb} ${JSON.stringify(body)} is ${code}`, () =>
      Effect.map(codeOf(call(verb, body, caller)), (told) => assert.strictEqual(told, code)).pipe(
        Effect.provide(layer())
      ))
  }
})
