/**
 * Sweeps over the in-process house: every matching row is reached and counted whatever their number, linked rows among
 * them, what changed in between is reported, and a sweep that broke off goes on under its key.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import type { TransitionCommand } from "../../src/memory/MemoryCommand.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { MemoryReader } from "../../src/memory/MemoryReader.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { gather, sweep } from "../../src/memory/MemorySweep.ts"
import { call, layer } from "../support/ActorHouse.ts"
import { FaultScript } from "../support/FaultyStore.ts"
import { commitOf, everything, noon, rowOf, versionAt } from "./MemoryFixture.ts"

const scope = { org: "dev", namespace: "local" }

const put = (rows: ReadonlyArray<Partial<MemoryRow>>) =>
  Effect.flatMap(
    MemoryStore,
    (store) =>
      store.commit(commitOf(rows.map((row, index) => rowOf(scope, { version: versionAt(noon + index), ...row }))))
  )

/** Rows of a type that is not embedded, so that none is judged. */
const many = (count: number): ReadonlyArray<Partial<MemoryRow>> =>
  Array.from({ length: count }, (_, index) => ({
    memory_key: `many/${String(index).padStart(5, "0")}`,
    value: `Event ${index}`,
    memory_type: "episodic",
    canonical_sha256: ""
  }))

const total = (filter: object = {}) =>
  Effect.map(call("memory.list", { count_only: true, ...filter }), ({ total }) => total)

const rowsOf = (answer: Record<string, unknown>): ReadonlyArray<Record<string, unknown>> =>
  Array.isArray(answer["results"]) ? answer["results"] : []

describe("memory.apply", () => {
  it.live("tries first, then reaches all of 2,345 rows; a second run finds none", () =>
    Effect.gen(function*() {
      yield* put(many(2_345))
      const body = { action: "delete", filter: { prefix: "many/" }, reason: "too many" }
      const tried = yield* call("memory.apply", body)
      assert.deepInclude(tried, { dry_run: true, matched: 2_345, changed: 2_345, refused: 0, ok: true })
      assert.deepInclude(tried, { results_truncated: true })
      assert.strictEqual(rowsOf(tried).length, 1_000)
      assert.strictEqual(yield* total(), 2_345)
      const done = yield* call("memory.apply", { ...body, dry_run: false })
      assert.deepInclude(done, { dry_run: false, matched: 2_345, changed: 2_345, refused: 0, failed: 0, ok: true })
      assert.strictEqual(yield* total(), 0)
      assert.deepInclude(yield* call("memory.apply", { ...body, dry_run: false }), { matched: 0, changed: 0 })
      const restored = yield* call("memory.restore", { memory_key: "many/00777" })
      assert.strictEqual(restored["restored"], true)
    }).pipe(Effect.provide(layer())))

  it.live("matches tags exactly and shows what was not carried out first", () =>
    Effect.gen(function*() {
      yield* put([
        { memory_key: "a", tags: ["Ops"] },
        { memory_key: "b", tags: ["ops"], memory_type: "episodic" },
        { memory_key: "c", tags: ["ops", "x"], lock_mode: "no_delete", lock_reason: "audit", memory_type: "profile" }
      ])
      const done = yield* call("memory.apply", { action: "delete", filter: { tags: ["ops"] }, dry_run: false })
      assert.deepInclude(done, { matched: 2, changed: 1, refused: 1, ok: false, results_truncated: false })
      assert.deepStrictEqual(rowsOf(done).map(({ code, memory_key, status }) => [memory_key, code, status]), [
        ["c", "LOCKED", "active"],
        ["b", null, "tombstoned"]
      ])
      assert.deepInclude(rowsOf(done)[0]?.["facts"], { lock_mode: "no_delete", reason: "audit" })
      assert.strictEqual(yield* total(), 2)
    }).pipe(Effect.provide(layer())))

  const filters: ReadonlyArray<readonly [object, Array<string>]> = [
    [{ agent: "one" }, ["a"]],
    [{ agent: "" }, ["b", "c", "d"]],
    [{ session_id: "s", run_id: "r" }, ["a"]],
    [{ prefix: "b" }, ["b"]],
    [{ memory_type: "preference" }, ["b"]],
    [{ tags_every: ["t", "u"] }, ["c"]],
    [{ tags: ["t", "none"] }, ["b", "c"]],
    [{ source_trace: "import/1" }, ["c"]],
    [{ entity_filter: ["The Rye Mill's"] }, ["d"]],
    [{ contains: "tuesDAYS" }, ["a", "b", "c", "d"]],
    [{ contains: "sunday" }, []],
    [{ statuses: ["proposed"], prefix: "", all: true }, ["e"]]
  ]
  for (
    const [{ all, ...filter }, keys] of filters.map(([filter, keys]) => [{ all: false, ...filter }, keys] as const)
  ) {
    it.live(`filters by ${JSON.stringify(filter)}`, () =>
      Effect.gen(function*() {
        yield* put([
          { memory_key: "a", agent: "one", session_id: "s", run_id: "r" },
          { memory_key: "b", memory_type: "preference", tags: ["t"] },
          { memory_key: "c", tags: ["t", "u"], source_trace: "import/1" },
          { memory_key: "d", entities: ["rye mill"] },
          { memory_key: "e", status: "proposed" }
        ])
        const tried = yield* call("memory.apply", { action: "add_tags", tags: ["seen"], filter, all })
        assert.deepStrictEqual(rowsOf(tried).map(({ memory_key }) => memory_key), keys)
      }).pipe(Effect.provide(layer())))
  }

  const actions: ReadonlyArray<readonly [object, Partial<MemoryRow>]> = [
    [{ action: "pin" }, { pinned: true }],
    [{ action: "lock", reason: "audit", mode: "no_delete" }, { lock_mode: "no_delete", lock_reason: "audit" }],
    [{ action: "touch", ttl_seconds: 60, on_expire: "demote" }, { on_expire: "demote" }],
    [{ action: "add_tags", tags: ["x", "t"] }, { tags: ["t", "x"] }],
    [{ action: "remove_tags", tags: ["t"] }, { tags: [] }],
    [{ action: "reject", reason: "wrong" }, { status: "rejected" }],
    [{ action: "unpin" }, { pinned: false }],
    [{ action: "unlock" }, { lock_mode: "" }]
  ]
  for (const [body, columns] of actions) {
    it.live(`carries out ${JSON.stringify(body)}`, () =>
      Effect.gen(function*() {
        const before = "action" in body && body.action === "unpin" ? { pinned: true } : {}
        const lock = "action" in body && body.action === "unlock" ? { lock_mode: "read_only" as const } : {}
        yield* put([{ memory_key: "a", tags: ["t"], ...before, ...lock }])
        assert.deepInclude(yield* call("memory.apply", { ...body, all: true, dry_run: false }), {
          changed: 1,
          ok: true
        })
        const store = yield* MemoryStore
        const [row] = yield* store.rows(scope, [{ agent: "", user_id: "-", session_id: "", memory_key: "a" }])
        assert.deepInclude(row, columns)
      }).pipe(Effect.provide(layer())))
  }

  it.live("does not start when more rows match than max_rows", () =>
    Effect.gen(function*() {
      yield* put(many(30))
      const body = { action: "delete", all: true, dry_run: false }
      const refused = yield* Effect.flip(call("memory.apply", { ...body, max_rows: 29 }))
      assert.deepInclude(refused._tag === "Refusal" ? refused.facts : {}, { matched: 30, max_rows: 29 })
      assert.strictEqual(yield* total(), 30)
      assert.deepInclude(yield* call("memory.apply", { ...body, max_rows: 30 }), { changed: 30 })
    }).pipe(Effect.provide(layer())))

  it.live("reports a row that changed after it was seen, and leaves it", () =>
    Effect.gen(function*() {
      yield* put(many(3))
      const client = yield* MemoryClient.MemoryClient
      const reader = yield* MemoryReader
      const rows = yield* gather(reader, scope, everything, () => true)
      yield* call("memory.update", { memory_key: "many/00001", tags: ["new"] })
      const done = yield* sweep(client, {
        scope,
        meta,
        rows,
        transition: { _tag: "tombstone", change: "delete", rule: "memory.apply", reason: "" }
      })
      assert.deepInclude(done, { matched: 3, changed: 2, refused: 1, ok: false })
      assert.deepInclude(done.results[0], { memory_key: "many/00001", code: "STALE_VERSION" })
      assert.strictEqual(yield* total(), 1)
    }).pipe(Effect.provide(layer())))

  it.live("names a row that went meanwhile, to the retry as well", () =>
    Effect.gen(function*() {
      yield* put(many(3).map((row, at) => ({ ...row, memory_id: `mem_${at}` })))
      const [client, reader] = [yield* MemoryClient.MemoryClient, yield* MemoryReader]
      const rows = yield* gather(reader, scope, everything, () => true)
      yield* call("memory.delete", { memory_key: "many/00001" })
      const again = sweep(client, {
        scope,
        meta: { ...meta, idem_hash: "sweep", payload_hash: "p" },
        rows,
        transition: { _tag: "pin", pinned: true }
      })
      const first = yield* again
      assert.deepInclude(first, { matched: 3, changed: 2, not_found: 1 })
      assert.deepInclude(first.results[0], { memory_id: "mem_1", outcome: "not_found" })
      assert.deepStrictEqual(yield* again, first)
      // A retry that finds other rows than the first call did: the row is gone by now, and so not among them.
      const retried = yield* sweep(client, {
        scope,
        meta: { ...meta, idem_hash: "sweep", payload_hash: "p" },
        rows: rows.filter(({ memory_id }) => memory_id !== "mem_1"),
        transition: { _tag: "pin", pinned: true }
      })
      assert.deepStrictEqual(retried, first)
    }).pipe(Effect.provide(layer())))

  it.live("is not taken aback by what it did itself to linked rows", () =>
    Effect.gen(function*() {
      const twins = ["b", "c", "d"].map((
        memory_key
      ) => ({ memory_key, status: "duplicate", duplicate_of: "mem_a" } as const))
      yield* put([
        { memory_key: "a", memory_id: "mem_a" },
        ...twins,
        { memory_key: "x", memory_id: "mem_x", status: "conflicted", conflict_with: ["mem_y"] },
        { memory_key: "y", memory_id: "mem_y", status: "conflicted", conflict_with: ["mem_x"] }
      ])
      const body = {
        action: "delete",
        all: true,
        dry_run: false,
        filter: { statuses: ["active", "conflicted", "duplicate"] }
      }
      assert.deepInclude(yield* call("memory.apply", body), { matched: 6, changed: 6, refused: 0, ok: true })
      assert.strictEqual(yield* total({ include_duplicates: true }), 0)
      const store = yield* MemoryStore
      const { heads } = yield* Effect.map(store.entries(scope), (heads) => ({ heads }))
      for (const head of heads) assert.deepInclude(head, { status: "tombstoned", duplicate_of: "", conflict_with: [] })
      // A duplicate that goes first is brought back by nobody.
      const history = yield* call("memory.history", { memory_key: "b" })
      assert.strictEqual(Array.isArray(history["versions"]) ? history["versions"].length : -1, 2)
    }).pipe(Effect.provide(layer())))

  it.live("under a key gives its first answer again, whatever was written since", () =>
    Effect.gen(function*() {
      yield* put(many(1_200))
      const body = { action: "delete", filter: { prefix: "many/" }, dry_run: false, idempotency_key: "once" }
      const first = yield* call("memory.apply", body)
      assert.deepInclude(first, { matched: 1_200, changed: 1_200 })
      yield* call("memory.set", { memory_key: "many/new", value: "A new event", memory_type: "episodic" })
      assert.deepStrictEqual(yield* call("memory.apply", body), first)
      assert.strictEqual(yield* total(), 1)
      const other = yield* Effect.flip(call("memory.apply", { ...body, reason: "other" }))
      assert.strictEqual(other._tag === "Refusal" ? other.code : other._tag, "IDEMPOTENCY_CONFLICT")
    }).pipe(Effect.provide(layer())))

  it.live("tells what it did not reach when the store stops answering, and goes on under its key", () =>
    Effect.gen(function*() {
      yield* put(many(1_200))
      const script = yield* FaultScript
      script.next.push("none", "after")
      script.blind.value = true
      const body = { action: "delete", filter: { prefix: "many/" }, dry_run: false, idempotency_key: "once" }
      const broken = yield* call("memory.apply", body)
      assert.deepInclude(broken, { matched: 1_200, changed: 500, failed: 700, ok: false })
      assert.deepInclude(rowsOf(broken)[0], { outcome: "failed", code: "UNAVAILABLE" })
      script.blind.value = false
      const whole = yield* call("memory.apply", body)
      assert.deepInclude(whole, { matched: 1_200, changed: 1_200, failed: 0, ok: true })
      assert.strictEqual(yield* total(), 0)
    }).pipe(Effect.provide(layer())))

  it.live("sends commands of a bounded size and fails when the first one does", () =>
    Effect.gen(function*() {
      yield* put(many(1_001))
      const reader = yield* MemoryReader
      const rows = yield* gather(reader, scope, everything, () => true)
      const sizes: Array<number> = []
      const client = yield* MemoryClient.MemoryClient
      const counting = {
        ...client,
        transition: (at: typeof scope, command: TransitionCommand) => {
          sizes.push(command.items.length)
          return client.transition(at, command)
        }
      }
      yield* sweep(counting, { scope, meta, rows, transition: { _tag: "pin", pinned: true } })
      assert.deepStrictEqual(sizes, [500, 500, 1])
      const script = yield* FaultScript
      script.next.push("after")
      script.blind.value = true
      const failed = yield* Effect.flip(call("memory.apply", { action: "unpin", all: true, dry_run: false }))
      assert.strictEqual(failed._tag, "Unavailable")
    }).pipe(Effect.provide(layer())))
})

const meta = {
  write_id: "wr_sweep",
  idem_hash: "",
  payload_hash: "",
  actor: "human:local",
  bound_user: null,
  source_class: "asserted",
  run_id: "",
  dry_run: false,
  advisories: [],
  degraded: []
} as const

describe("memory.clear", () => {
  it.live("takes everything of one writer out of service, and nothing of others", () =>
    Effect.gen(function*() {
      yield* put([
        { memory_key: "a", user_id: "u9" },
        { memory_key: "b", user_id: "u9", status: "proposed" },
        { memory_key: "c", user_id: "u9", status: "superseded", superseded_by: "mem_a" },
        { memory_key: "d", user_id: "u9", expires_at: noon - 1 },
        { memory_key: "e", user_id: "u9", pinned: true, agent: "one" },
        { memory_key: "f", user_id: "u9", lock_mode: "no_delete", lock_reason: "audit" },
        { memory_key: "g", user_id: "u9", status: "rejected" },
        { memory_key: "h", user_id: "u8" }
      ])
      assert.deepInclude(yield* call("memory.clear", { user_id: "u9", dry_run: true }), { cleared: 5, dry_run: true })
      assert.deepInclude(yield* call("memory.clear", { user_id: "u9", agent: "one" }), { matched: 1, cleared: 1 })
      const done = yield* call("memory.clear", { user_id: "u9" })
      assert.deepInclude(done, { matched: 5, cleared: 4, refused: 1, ok: false })
      assert.deepInclude(rowsOf(done)[0], { memory_key: "f", code: "LOCKED" })
      assert.deepInclude(yield* call("memory.clear", { user_id: "u9" }), { cleared: 0, refused: 1 })
      const left = yield* call("memory.list", {
        include_proposed: true,
        include_superseded: true,
        fields: ["memory_key"]
      })
      assert.sameDeepMembers(Array.isArray(left["memories"]) ? left["memories"] : [], [
        { memory_key: "f" },
        { memory_key: "h" }
      ])
      assert.strictEqual((yield* call("memory.restore", { memory_key: "e" }))["restored"], true)
    }).pipe(Effect.provide(layer())))
})

describe("memory.proposals", () => {
  // Many words alike, so that the test embedder finds the two dates close.
  const launch = "The Orion satellite of the northern weather mission starts from the eastern desert platform on"

  const listed = (body: object) =>
    Effect.map(call("memory.proposals", body), (answer) => {
      const rows: ReadonlyArray<{ memory_key: string; contradicts: ReadonlyArray<Record<string, unknown>> }> =
        Array.isArray(answer["proposals"]) ? answer["proposals"] : []
      return { rows, next: answer["next_cursor"], keys: rows.map(({ memory_key }) => memory_key) }
    })

  it.live("shows what waits, page by page, with what it contradicts", () =>
    Effect.gen(function*() {
      yield* put([
        { memory_key: "s", memory_id: "mem_s" },
        ...Array.from({ length: 7 }, (_, index) => ({
          memory_key: `p/${index}`,
          status: "proposed" as const,
          created_at: noon - 60_000 + index,
          tags: index === 3 ? ["Review"] : [],
          conflict_with: index % 2 === 0 ? ["mem_s", "mem_gone"] : []
        }))
      ])
      const first = yield* listed({ limit: 4 })
      assert.deepStrictEqual(first.keys, ["p/6", "p/5", "p/4", "p/3"])
      assert.deepStrictEqual(first.rows[0]?.contradicts, [{ memory_key: "s", memory_id: "mem_s", status: "active" }])
      const second = yield* listed({ limit: 4, cursor: first.next })
      assert.deepStrictEqual([second.keys, second.next], [["p/2", "p/1", "p/0"], null])
      assert.deepStrictEqual((yield* listed({ only: "open" })).keys, ["p/5", "p/3", "p/1"])
      const some = yield* listed({ only: "contradicted", limit: 3 })
      assert.deepStrictEqual(some.keys, ["p/6", "p/4", "p/2"])
      assert.deepStrictEqual((yield* listed({ only: "contradicted", limit: 3, cursor: some.next })).keys, ["p/0"])
      assert.deepStrictEqual((yield* listed({ tags: ["review"] })).keys, ["p/3"])
      assert.deepStrictEqual((yield* listed({ prefix: "p/1" })).keys, ["p/1"])
      const strange = yield* Effect.flip(call("memory.proposals", { only: "open", cursor: some.next }))
      assert.strictEqual(strange._tag === "Refusal" ? strange.code : strange._tag, "INVALID_ARGUMENT")
    }).pipe(Effect.provide(layer())))

  it.live("an accepted one that contradicts stands conflicted, both sides linked; one that repeats is a duplicate", () =>
    Effect.gen(function*() {
      const stored = yield* call("memory.set", {
        memory_key: "ops/window",
        value: `${launch} 15 October`
      })
      const other = { memory_key: "ops/hours", value: `${launch} 16 October`, proposed: true }
      const trial = yield* call("memory.set", other)
      assert.deepInclude(trial, { status: "proposed", conflict_verdict: "conflict" })
      const { rows } = yield* listed({ only: "contradicted" })
      assert.deepStrictEqual(rows[0]?.contradicts.map((one) => one["memory_key"]), ["ops/window"])
      const tried = yield* call("memory.proposal_decide", {
        memory_key: "ops/hours",
        decision: "accept",
        dry_run: true
      })
      assert.deepInclude(tried, { found: true, decided: false, status: "conflicted", conflict_verdict: "conflict" })
      const accepted = yield* call("memory.proposal_decide", { memory_id: trial["memory_id"], decision: "accept" })
      assert.deepInclude(accepted, {
        found: true,
        decided: true,
        status: "conflicted",
        conflict_with: [stored["memory_id"]]
      })
      const back = yield* call("memory.get", { memory_key: "ops/window" })
      assert.deepInclude(back, { status: "conflicted", conflict_with: [trial["memory_id"]] })
      assert.deepInclude(yield* call("memory.proposal_decide", { memory_key: "ops/hours", decision: "accept" }), {
        found: false,
        decided: false
      })
      const said = { memory_key: "ops/first", value: "Rain falls on the northern harbour" }
      yield* call("memory.set", { ...said, memory_key: "ops/twin", proposed: true })
      const first = yield* call("memory.set", said)
      const twin = yield* call("memory.proposal_decide", { memory_key: "ops/twin", decision: "accept" })
      assert.deepInclude(twin, { decided: true, status: "duplicate", duplicate_of: first["memory_id"] })
    }).pipe(Effect.provide(layer())))

  it.live("decides about the proposal under a key, not about the live row of another writer", () =>
    Effect.gen(function*() {
      yield* put([
        { memory_key: "k", agent: "one", value: "Something stored", memory_id: "mem_live" },
        { memory_key: "k", agent: "two", status: "proposed", memory_id: "mem_two" }
      ])
      const done = yield* call("memory.proposal_decide", { memory_key: "k", decision: "reject", reason: "no" })
      assert.deepInclude(done, { decided: true, memory_id: "mem_two", status: "rejected" })
      assert.deepInclude(yield* call("memory.get", { memory_key: "k" }), { found: true, memory_id: "mem_live" })
      assert.strictEqual(yield* total({ include_proposed: true }), 1)
    }).pipe(Effect.provide(layer())))

  it.live("two of several writers are told apart, and two decisions at once are one", () =>
    Effect.gen(function*() {
      yield* put([
        { memory_key: "k", agent: "one", status: "proposed" },
        { memory_key: "k", agent: "two", status: "proposed", value: "Another proposal of two" }
      ])
      const ambiguous = yield* Effect.flip(call("memory.proposal_decide", { memory_key: "k", decision: "accept" }))
      assert.strictEqual(ambiguous._tag === "Refusal" ? ambiguous.code : ambiguous._tag, "AMBIGUOUS_KEY")
      const both = yield* Effect.forEach(["accept", "reject"], (decision) =>
        call("memory.proposal_decide", { memory_key: "k", agent: "one", decision }), { concurrency: 2 })
      assert.strictEqual(
        both.filter(({ decided }) =>
          decided === true
        ).length,
        1
      )
    }).pipe(Effect.provide(layer())))
})
