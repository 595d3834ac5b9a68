import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ImportItem } from "../../services/cli/ImportItem.ts"
import { fromLine } from "../../services/cli/ImportItem.ts"
import * as ImportPlan from "../../services/cli/ImportPlan.ts"
import type { ImportReceipt, Outcome } from "../../services/cli/ImportReceipt.ts"
import { summarise } from "../../services/cli/ImportReceipt.ts"
import * as ImportSource from "../../services/cli/ImportSource.ts"
import * as ImportState from "../../services/cli/ImportState.ts"
import * as ProgressBar from "../../services/cli/ProgressBar.ts"
import { Streams } from "../../services/cli/Streams.ts"
import { tempFolder } from "./CliHouse.ts"

const now = Date.UTC(2026, 0, 1)

const item = (line: unknown, namespace?: string): ImportItem =>
  Either.getOrThrow(fromLine("line 1", typeof line === "string" ? line : JSON.stringify(line), namespace, now))

const fault = (line: string): string =>
  Either.match(fromLine("line 1", line, undefined, now), { onLeft: ({ code }) => code, onRight: () => "none" })

const source = (...lines: ReadonlyArray<unknown>) =>
  ImportSource.jsonl(
    Buffer.from(lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n")),
    undefined,
    now
  )

const write = (memory_key: string, more: object = {}) => ({ memory_key, value: memory_key, ...more })

describe("ImportItem", () => {
  it("is a payload as it stands, stamped as imported", () => {
    const { alone, fields, scope } = item({ namespace: "n", org: "o", ...write("a/b/c", { tags: ["T"], value: null }) })
    assert.deepStrictEqual(scope, { org: "o", namespace: "n" })
    assert.deepStrictEqual(fields, { memory_key: "a/b/c", value: null, tags: ["T"], source_class: "imported" })
    assert.isFalse(alone)
    assert.deepStrictEqual(item(write("a/b/c", { namespace: "n" }), "other").scope, { namespace: "other" })
    // What no import may declare is left to the server to refuse.
    assert.strictEqual(item(write("a/b/c", { source_class: "asserted" })).fields["source_class"], "asserted")
    assert.isTrue(item(write("a/b/c", { dry_run: true })).alone)
  })

  it("states of a stored row what its writer could have stated", () => {
    const row = {
      ...write("a/b/c", { value: { n: 1 } }),
      memory_id: "mem_1",
      version_text: "7",
      status: "active",
      agent: "bot",
      user_id: "-",
      session_id: "",
      tags: [],
      entities: ["x"],
      confidence: 0.5,
      pinned: false,
      sensitivity: "none",
      valid_at: null,
      source_class: "asserted",
      expires_at: "2026-01-02T00:00:00.000Z"
    }
    assert.deepStrictEqual(item(row).fields, {
      memory_key: "a/b/c",
      value: { n: 1 },
      agent: "bot",
      user_id: "-",
      entities: ["x"],
      confidence: 0.5,
      source_class: "imported",
      ttl_seconds: 86_400
    })
    assert.strictEqual(item({ ...row, source_class: "derived" }).fields["source_class"], "derived")
  })

  it("names the fault of a line that is nothing to send", () => {
    assert.strictEqual(fault("{"), "BAD_JSON")
    assert.strictEqual(fault("[1]"), "INVALID_ARGUMENT")
    assert.strictEqual(fault(`{"memory_key":"a","value":1,"value":2}`), "INVALID_ARGUMENT")
    assert.strictEqual(fault(`{"memory_key":"a","value":1,"namespace":7}`), "INVALID_ARGUMENT")
    assert.strictEqual(fault(`{"memory_key":"a","value":null,"value_withheld":true}`), "VALUE_WITHHELD")
  })
})

describe("ImportSource", () => {
  it("numbers lines as an editor does and passes over blank ones and a byte order mark", () => {
    const lines = source(`\ufeff${JSON.stringify(write("a/b/c"))}`, "", "  \r", write("a/b/d"))
    assert.strictEqual(lines.size, 2)
    assert.deepStrictEqual([0, 1].map((at) => Either.getOrThrow(lines.at(at)).id), ["line 1", "line 4"])
  })

  it("refuses a line that is not UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from(`{"memory_key":"a","value":"`), Buffer.from([0xff]), Buffer.from(`"}`)])
    const at = ImportSource.jsonl(bytes, undefined, now).at(0)
    assert.isTrue(Either.isLeft(at) && at.left.message === "The line is not UTF-8")
  })
})

describe("ImportPlan", () => {
  const limits = { items: 2, bytes: 10_000 }
  const shape = ({ lanes }: ImportPlan.Plan) => lanes.map((lane) => lane.map(({ items }) => items))

  it("batches each namespace by count and sends batches side by side", () => {
    const lines = [
      write("a/b/1"),
      write("a/b/2", { namespace: "n" }),
      write("a/b/3"),
      write("a/b/4"),
      write("a/b/5", { namespace: "n" })
    ]
    assert.deepStrictEqual(shape(ImportPlan.make(source(...lines), limits)), [[[0, 2]], [[3]], [[1, 4]]])
  })

  it("keeps the order of the file where a key comes again in another batch", () => {
    const lines = [write("a/b/1"), write("a/b/2"), write("a/b/1"), write("a/b/3")]
    assert.deepStrictEqual(shape(ImportPlan.make(source(...lines), limits)), [[[0, 1], [2, 3]]])
    const others = lines.map((line, at) => ({ ...line, agent: `agent-${at}` }))
    assert.deepStrictEqual(shape(ImportPlan.make(source(...others), limits)), [[[0, 1]], [[2, 3]]])
  })

  it("closes a batch before it grows too large, and sends what memory.set alone takes alone", () => {
    const long = "x".repeat(6_000)
    const lines = [write("a/b/1", { value: long }), write("a/b/2", { value: long }), write("a/b/3", { dry_run: true })]
    const plan = ImportPlan.make(source(...lines), limits)
    assert.deepStrictEqual(shape(plan), [[[0]], [[1]], [[2]]])
    assert.deepStrictEqual(plan.lanes.flat().map(({ alone }) => alone), [false, false, true])
  })

  it("keeps faults apart", () => {
    const plan = ImportPlan.make(source(write("a/b/1"), "{", write("a/b/2")), limits)
    assert.deepStrictEqual(shape(plan), [[[0, 2]]])
    assert.deepStrictEqual(plan.faults.map(({ code, index }) => [index, code]), [[1, "BAD_JSON"]])
  })
})

const receipt = (index: number, outcome: Outcome): ImportReceipt => ({
  index,
  id: `line ${index}`,
  namespace: null,
  memory_key: null,
  outcome,
  code: null,
  message: null,
  memory_id: null,
  version_text: null,
  content_sha256: null,
  answered_by: null
})

describe("ImportState", () => {
  const head = { source: "abc", target: "there" }

  it.scoped("goes on where an earlier run broke off, whatever a crash tore", () =>
    Effect.gen(function*() {
      const folder = yield* tempFolder
      const [file, receipts] = [join(folder, "p"), join(folder, "r")]
      const first = yield* ImportState.open({ head, file, receipts, fresh: false })
      yield* first.record([receipt(0, "stored"), receipt(1, "refused")])
      yield* first.record([receipt(3, "merged")])
      appendFileSync(file, `{"done":[[4,"sto`)
      appendFileSync(receipts, JSON.stringify(receipt(4, "stored")).slice(0, 20))

      const second = yield* ImportState.open({ head, file, receipts, fresh: false })
      assert.deepStrictEqual([...second.done], [[0, "stored"], [3, "merged"]])
      yield* second.record([receipt(1, "stored"), receipt(4, "stored")])
      const kept = readFileSync(receipts, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(kept.map(({ index, outcome }) => [index, outcome]), [
        [0, "stored"],
        [3, "merged"],
        [1, "stored"],
        [4, "stored"]
      ])
      const third = yield* ImportState.open({ head, file, receipts, fresh: false })
      assert.strictEqual(third.done.size, 4)
      yield* third.finish
      assert.isFalse(existsSync(file))
      assert.isTrue(existsSync(receipts))
    }))

  it.scoped("begins anew for another file, another place or when told to", () =>
    Effect.gen(function*() {
      const file = join(yield* tempFolder, "p")
      const openWith = (options: object) =>
        Effect.map(
          ImportState.open({ head, file, receipts: undefined, fresh: false, ...options }),
          ({ done }) => done.size
        )
      const begin = Effect.flatMap(ImportState.open({ head, file, receipts: undefined, fresh: true }), (state) =>
        state.record([receipt(0, "stored")]))
      yield* begin
      assert.strictEqual(yield* openWith({}), 1)
      assert.strictEqual(yield* openWith({ head: { ...head, source: "other" } }), 0)
      yield* begin
      assert.strictEqual(yield* openWith({ head: { ...head, target: "other" } }), 0)
      yield* begin
      assert.strictEqual(yield* openWith({ fresh: true }), 0)
    }))

  it("summarises one outcome an item", () => {
    assert.deepStrictEqual(summarise(["stored", "merged", "duplicate", "refused", "failed", "stored"], 1), {
      total: 6,
      stored: 2,
      merged: 1,
      duplicates: 1,
      refused: 1,
      failed: 1,
      resumed: 1
    })
  })
})

describe("ProgressBar", () => {
  const options = { label: "import", total: 200, before: 50 }
  const drawn = (isTTY: boolean) => {
    const parts: Array<string> = []
    const stream = { isTTY, write: (text: string | Uint8Array) => parts.push(String(text)) }
    const streams = { stdin: process.stdin, stdout: stream, stderr: stream }
    return { parts, bar: Effect.provideService(ProgressBar.make(options), Streams, streams) }
  }

  it("tells rate and rest by this run alone", () => {
    assert.strictEqual(ProgressBar.words(options, 100, 5_000), "import 100 of 200 (50 %), 10/s, 10 s left")
    assert.strictEqual(ProgressBar.words(options, 200, 90_000), "import 200 of 200 (100 %), 2/s, in 1 min 30 s")
    assert.strictEqual(ProgressBar.words({ ...options, total: 0, before: 0 }, 0, 0), "import 0 of 0 (100 %), in 0 s")
  })

  it.effect("writes plain lines now and then where no terminal is", () =>
    Effect.gen(function*() {
      const { bar: make, parts } = drawn(false)
      const bar = yield* make
      yield* bar.advance(10)
      assert.deepStrictEqual(parts, [])
      yield* TestClock.adjust("5 seconds")
      yield* bar.advance(40)
      assert.deepStrictEqual(parts, ["import 100 of 200 (50 %), 10/s, 10 s left\n"])
      yield* bar.end
      assert.strictEqual(parts.length, 2)
    }))

  it.effect("draws over itself on a terminal", () =>
    Effect.gen(function*() {
      const { bar: make, parts } = drawn(true)
      const bar = yield* make
      yield* TestClock.adjust("1 second")
      yield* bar.advance(50)
      assert.match(parts.join(""), /^\r\[#{12}-{12}\] import 100 of 200[^\n]*$/)
      yield* bar.say("line 7: refused")
      assert.strictEqual(parts.at(-1), "\r\u001b[Kline 7: refused\n")
    }))
})
