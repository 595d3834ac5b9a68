/**
 * Feedback over HTTP, in team mode: runs that end with what they relied on, outcomes of decisions as a file's block shows
 * them, what a thousand reports of one caller come to, and the queue of what waits for a person.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { MemoryForFile } from "../../src/context/ForFileVerbs.ts"
import { MemoryVerify } from "../../src/memory/LifecycleVerbs.ts"
import { MemoryGet, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceReview } from "../../src/memory/ReviewQueueVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { MemoryOutcome } from "../../src/run/OutcomeVerbs.ts"
import { RunBegin, RunComplete, RunGet, RunList } from "../../src/run/RunVerbs.ts"
import { ships } from "../support/Facts.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import { layerTeam, Tokens } from "./Tokens.ts"

const file = "src/api/client.ts"

layer(layerTeam, { excludeTestServices: true, timeout: 90_000 })("Feedback", (it) => {
  describe("a run", () => {
    it.effect("credits what it relied on, keeps its lesson, and ends once", () =>
      Effect.gen(function*() {
        const { ada, bob, reader, writer } = yield* Tokens
        const namespace = freshNamespace()
        const fact = yield* ok(MemorySet, { namespace, memory_key: "d/day", value: "Deploys happen on Tuesdays" }, {
          token: ada
        })
        const begun = yield* ok(RunBegin, { namespace, goal: "Deploy", agent: "bot", idempotency_key: "b1" }, {
          token: ada
        })
        const { run_id } = begun
        assert.deepStrictEqual(
          yield* ok(RunBegin, { namespace, goal: "Deploy", agent: "bot", idempotency_key: "b1" }, { token: ada }),
          begun
        )
        const end = {
          namespace,
          run_id,
          outcome: "success",
          memories_used: ["d/day", "d/none"],
          final_response: "Deployed on Tuesday.",
          reflection: "The calendar knew it first."
        }
        assert.strictEqual((yield* refusal("run.complete", end, { token: reader })).code, "FORBIDDEN")
        const foreign = yield* post("run.complete", end, { token: bob })
        const nowhere = yield* post("run.complete", { ...end, run_id: "run_none" }, { token: bob })
        assert.strictEqual(foreign.text, nowhere.text.replace("run_none", run_id))
        const ended = yield* ok(RunComplete, end, { token: ada })
        assert.deepStrictEqual([ended.memories_used, ended.unknown], [[fact.memory_id], ["d/none"]])
        assert.deepStrictEqual(yield* ok(RunComplete, end, { token: ada }), ended)
        const other = yield* refusal("run.complete", { ...end, outcome: "failure" }, { token: ada })
        assert.deepInclude(other, { status: 409, code: "RUN_CONFLICT" })
        const lesson = yield* ok(MemoryGet, { namespace, memory_key: `run/${run_id}/reflection` }, { token: ada })
        assert.deepInclude(lesson, { memory_type: "reflection", user_id: "ada", run_id })
        // A lesson about a process is no claim about the world.
        const found = yield* ok(MemorySearch, { namespace, query: "The calendar knew it first" }, { token: ada })
        assert.notInclude(found.results.map(({ memory_key }) => memory_key), `run/${run_id}/reflection`)
        assert.strictEqual((yield* ok(RunGet, { namespace, run_id }, { token: reader })).run?.outcome, "success")
        assert.deepStrictEqual(yield* ok(RunGet, { namespace, run_id }, { token: bob }), { found: false, run: null })
        assert.strictEqual((yield* ok(RunList, { namespace }, { token: writer })).runs.length, 1)
        assert.strictEqual((yield* ok(RunList, { namespace }, { token: bob })).runs.length, 0)
        const long = yield* refusal("run.complete", { ...end, final_response: "x".repeat(65_537) }, { token: ada })
        assert.deepInclude(long, { status: 422, code: "INVALID_ARGUMENT" })
      }))

    it.effect("is paged through, newest first", () =>
      Effect.gen(function*() {
        const { writer: token } = yield* Tokens
        const namespace = freshNamespace()
        const ids = yield* Effect.forEach([1, 2, 3], (n) =>
          Effect.map(ok(RunBegin, { namespace, goal: `Run ${n}` }, { token }), ({ run_id }) => run_id))
        const first = yield* ok(RunList, { namespace, limit: 2 }, { token })
        assert.isNotNull(first.next_cursor)
        const rest = yield* ok(RunList, { namespace, limit: 2, cursor: first.next_cursor }, { token })
        assert.deepStrictEqual(
          [...first.runs, ...rest.runs].map(({ run_id }) =>
            run_id
          ).sort(),
          [...ids].sort()
        )
        assert.isNull(rest.next_cursor)
      }))
  })

  describe("an outcome", () => {
    it.effect("of a decision that failed is printed for its file, until it works after all", () =>
      Effect.gen(function*() {
        const { ada, writer } = yield* Tokens
        const namespace = freshNamespace()
        const decided = { namespace, memory_key: "d/retries", value: "Retries belong in the client", files: [file] }
        yield* ok(MemorySet, { ...decided, memory_type: "decision" }, { token: writer })
        const block = Effect.map(ok(MemoryForFile, { namespace, file }, { token: writer }), ({ block }) => block)
        const say = (outcome: string) =>
          ok(MemoryOutcome, { namespace, memory_key: "d/retries", outcome }, { token: writer })
        assert.notInclude(yield* block, "(outcome: failed)")
        assert.deepInclude(yield* say("failure"), { found: true, decision: true, failed: true, vote: "harm" })
        assert.include(yield* block, "(outcome: failed)")
        assert.isFalse((yield* say("partial")).failed)
        assert.notInclude(yield* block, "(outcome: failed)")
        const foreign = yield* ok(MemoryOutcome, { namespace, memory_key: "d/retries", outcome: "failure" }, {
          token: ada
        })
        assert.isFalse(foreign.found)
        assert.notInclude(yield* block, "(outcome: failed)")
      }))

    it.effect(
      "reported hundreds of times by one caller is one vote of his, and takes nothing out of service",
      () =>
        Effect.gen(function*() {
          const { admin, writer } = yield* Tokens
          const namespace = freshNamespace()
          const fact = yield* ok(MemorySet, { namespace, memory_key: "d/day", value: "Deploys happen on Tuesdays" }, {
            token: writer
          })
          const say = (outcome: string, run_id: string, token: string) =>
            ok(MemoryOutcome, { namespace, memory_id: fact.memory_id, outcome, run_id }, { token })
          yield* Effect.forEach(
            Array.from({ length: 200 }, (_, n) => n),
            (n) => say("failure", `r${n}`, writer),
            { concurrency: 16, discard: true }
          )
          yield* say("success", "mine", admin)
          const read = ok(MemoryGet, { namespace, memory_key: "d/day", include_usage: true }, { token: writer })
          // The worker folds within a minute or two of the report.
          const folded = yield* read.pipe(
            Effect.filterOrFail((row) => row.used_count === 201, (row) => `still ${row.used_count}`),
            Effect.retry(Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(150))))
          )
          assert.deepInclude(folded, { found: true, harm_count: 200, status: "active" })
          const found = yield* ok(MemorySearch, { namespace, query: "when do deploys happen" }, { token: writer })
          assert.strictEqual(found.results[0]?.memory_key, "d/day")
        }),
      200_000
    )
  })

  describe("the queue of a namespace", () => {
    const setUp = (namespace: string) =>
      Effect.gen(function*() {
        const { ada, writer } = yield* Tokens
        yield* ok(MemorySet, { namespace, memory_key: "orion/a", value: ships(15) }, { token: ada })
        yield* ok(MemorySet, { namespace, memory_key: "orion/b", value: ships(16) }, { token: ada })
        yield* ok(MemorySet, { namespace, memory_key: "p/one", value: "The lab moves in May", proposed: true }, {
          token: writer
        })
        yield* ok(MemorySet, { namespace, memory_key: "v/one", value: "The gate opens at nine" }, { token: writer })
        yield* ok(MemoryVerify, { namespace, memory_key: "v/one" }, { token: writer })
        yield* ok(MemoryUpdate, { namespace, memory_key: "v/one", value: "The gate opens at ten" }, { token: writer })
      })

    it.effect("counts each kind, shows both sides and the requests that settle it, to whom they are", () =>
      Effect.gen(function*() {
        const { ada, admin, bob, other, reader, writer } = yield* Tokens
        const namespace = freshNamespace()
        yield* setUp(namespace)
        const queue = yield* ok(NamespaceReview, { namespace }, { token: reader })
        assert.deepStrictEqual(queue.kinds.map(({ count, kind }) => [kind, count]), [
          ["conflicts", 1],
          ["proposals", 1],
          ["stale_attestations", 1],
          ["failed_extractions", 0]
        ])
        assert.strictEqual(queue.total, 3)
        const [conflict] = queue.kinds[0]?.items ?? []
        assert.deepStrictEqual(conflict?.sides.map(({ value }) => value), [ships(15), ships(16)])
        assert.include(conflict?.why, "conflict.")
        assert.isAtLeast(queue.kinds[0]?.oldest_age_seconds ?? -1, 0)
        const admins = yield* ok(NamespaceReview, { namespace, limit: 0 }, { token: admin })
        assert.deepStrictEqual(admins.kinds.map(({ items, kind }) => [kind, items.length]), [
          ["conflicts", 0],
          ["proposals", 0],
          ["stale_attestations", 0],
          ["failed_extractions", 0],
          ["dead_letters", 0]
        ])
        const own = yield* ok(NamespaceReview, { namespace }, { token: ada })
        assert.deepStrictEqual(own.kinds.map(({ count }) => count), [1, 0, 0, 0])
        assert.strictEqual((yield* ok(NamespaceReview, { namespace }, { token: bob })).total, 0)
        assert.strictEqual(
          (yield* refusal("namespace.review", { namespace, org: "acme" }, { token: other })).code,
          "FORBIDDEN"
        )
        assert.strictEqual(
          (yield* refusal("namespace.review", { namespace, kind: "nope" }, { token: reader })).code,
          "INVALID_ARGUMENT"
        )
        // Every step is a request that can be sent as it stands, and settles its item.
        const steps = ["allow", "accept", "verify"]
        for (const { items } of queue.kinds.filter(({ count }) => count > 0)) {
          const step = items[0]?.steps.find(({ action }) => steps.includes(action))
          assert.isDefined(step)
          const reply = yield* post(step.verb, step.request, { token: writer })
          assert.strictEqual(reply.status, 200, reply.text)
        }
        const left = yield* ok(NamespaceReview, { namespace }, { token: reader })
        assert.deepInclude(left, { total: 0 })
        assert.isTrue(left.kinds.every(({ oldest_at }) => oldest_at === null))
      }))
  })
})
