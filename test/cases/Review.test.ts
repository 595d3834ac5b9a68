/**
 * Review and administration over HTTP, in team mode: contradictions resolved, promotion with lineage, redaction down to the
 * tables, rollback there and back, and T16 for the verbs that tell of one memory.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { BlacklistAdd } from "../../src/blacklist/BlacklistVerbs.ts"
import { ConflictsList, ConflictsResolve } from "../../src/memory/ConflictVerbs.ts"
import {
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceAudit, NamespaceRollback, NamespaceValidate } from "../../src/memory/NamespaceReviewVerbs.ts"
import { MemoryPromote } from "../../src/memory/PromoteVerbs.ts"
import { MemoryInspect, MemoryLineage, MemoryProvenance } from "../../src/memory/ProvenanceVerbs.ts"
import { MemoryRedact } from "../../src/memory/RedactVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { ships } from "../support/Facts.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import { layerTeam, Tokens } from "./Tokens.ts"

layer(layerTeam, { excludeTestServices: true, timeout: 90_000 })("Review", (it) => {
  const contradiction = (namespace: string, token: string) =>
    Effect.gen(function*() {
      const a = yield* ok(MemorySet, { namespace, memory_key: "orion/a", value: ships(15) }, { token })
      const b = yield* ok(MemorySet, { namespace, memory_key: "orion/b", value: ships(16) }, { token })
      assert.strictEqual(b.conflict_verdict, "conflict")
      return { a, b }
    })

  describe("conflicts", () => {
    it.effect("are listed with both values and decided in each of three ways", () =>
      Effect.gen(function*() {
        const { ada, bob, writer } = yield* Tokens
        const expected = {
          revise: ["active", "tombstoned"],
          allow: ["active", "active"],
          contract: ["tombstoned", "active"]
        } as const
        for (const action of ["revise", "allow", "contract"] as const) {
          const namespace = freshNamespace()
          const { a, b } = yield* contradiction(namespace, ada)
          const listed = yield* ok(ConflictsList, { namespace }, { token: writer })
          assert.deepStrictEqual([listed.total, listed.conflicts[0]?.sides.map(({ value }) => value)], [1, [
            ships(15),
            ships(16)
          ]])
          assert.isNotNull(listed.conflicts[0]?.rule)
          const versions = Object.fromEntries(
            (listed.conflicts[0]?.sides ?? []).map(({ memory_id, version_text }) => [memory_id, version_text])
          )
          const request = { namespace, action, memory_id: a.memory_id, versions, if_match_sha256: a.content_sha256 }
          const foreign = yield* post("conflicts.resolve", request, { token: bob })
          const nowhere = yield* post("conflicts.resolve", { ...request, memory_id: "mem_none" }, { token: bob })
          assert.strictEqual(foreign.text, nowhere.text)
          const stale = { ...request, versions: { [b.memory_id]: a.version_text } }
          assert.deepInclude(yield* refusal("conflicts.resolve", stale, { token: ada }), {
            status: 409,
            code: "STALE_VERSION"
          })
          assert.isTrue((yield* ok(ConflictsResolve, request, { token: ada })).resolved)
          const statuses = yield* Effect.forEach(["orion/a", "orion/b"], (memory_key) =>
            Effect.map(ok(MemoryGet, { namespace, memory_key }, { token: ada }), ({ status }) => status))
          assert.deepStrictEqual(statuses, [...expected[action]], action)
          assert.strictEqual((yield* ok(ConflictsList, { namespace }, { token: writer })).total, 0)
          const audit = yield* ok(NamespaceAudit, { namespace }, { token: writer })
          assert.include(audit.clean, "dangling_links", action)
        }
      }))

    it.effect("revise with a value corrects the kept row in the same step", () =>
      Effect.gen(function*() {
        const { writer } = yield* Tokens
        const namespace = freshNamespace()
        const { b } = yield* contradiction(namespace, writer)
        yield* ok(ConflictsResolve, { namespace, action: "revise", memory_id: b.memory_id, value: ships(17) }, {
          token: writer
        })
        const got = yield* ok(MemoryGet, { namespace, memory_key: "orion/b" }, { token: writer })
        assert.deepInclude(got, { value: ships(17), status: "active", conflict_with: [] })
        assert.isFalse((yield* ok(MemoryGet, { namespace, memory_key: "orion/a" }, { token: writer })).found)
      }))
  })

  describe("promote", () => {
    it.effect("copies into another namespace with lineage both ways", () =>
      Effect.gen(function*() {
        const { writer } = yield* Tokens
        const [from, to] = [freshNamespace(), freshNamespace()]
        const source = yield* ok(MemorySet, {
          namespace: from,
          memory_key: "deploy/window",
          value: "Deploys of billing happen on Tuesdays"
        }, { token: writer })
        const copy = yield* ok(MemoryPromote, {
          namespace: from,
          memory_id: source.memory_id,
          target_namespace: to,
          approved_sha256: source.content_sha256,
          rationale: "everybody deploys",
          approver: "human:grace"
        }, { token: writer })
        assert.deepInclude(copy, { promoted: true, namespace: to, content_sha256: source.content_sha256 })
        const up = yield* ok(MemoryLineage, { namespace: to, memory_key: "deploy/window" }, { token: writer })
        assert.deepStrictEqual(up.edges.map((edge) => [edge.lineage_id, edge.source, edge.rationale]), [
          [copy.lineage_id, source.memory_id, "everybody deploys"]
        ])
        const down = yield* ok(MemoryLineage, { namespace: from, memory_id: source.memory_id }, { token: writer })
        assert.deepStrictEqual(down.nodes.map(({ memory_id }) => memory_id), [source.memory_id, copy.memory_id])
        const { provenance } = yield* ok(MemoryProvenance, { namespace: to, memory_key: "deploy/window" }, {
          token: writer
        })
        assert.deepStrictEqual(provenance?.sources.map(({ namespace }) => namespace), [from])
        assert.strictEqual(provenance?.source_class, "derived")
      }))
  })

  describe("redact", () => {
    it.effect("leaves the sentinel in no history, vector, passage or search, and the audit link whole", () =>
      Effect.gen(function*() {
        const { admin, writer } = yield* Tokens
        const namespace = freshNamespace()
        const key = { namespace, memory_key: "ops/door" }
        const long = `The door code is SENTINEL77. ${
          Array.from({ length: 300 }, (_, at) => `Paragraph ${at} tells of the house.`).join(" ")
        }`
        const first = yield* ok(MemorySet, { ...key, value: long }, { token: writer })
        assert.isAbove(first.chunks_written, 0)
        const redact = { ...key, content_sha256: first.content_sha256 }
        assert.strictEqual((yield* refusal("memory.redact", redact, { token: admin })).status, 422)
        assert.strictEqual((yield* refusal("memory.redact", redact, { token: writer })).status, 403)
        yield* ok(MemoryUpdate, { ...key, value: "The door has no code" }, { token: writer })
        const done = yield* ok(MemoryRedact, redact, { token: admin })
        assert.deepInclude(done, { redacted: true, remaining: 0, versions: 1, vectors: 1 })
        assert.strictEqual(done.chunks, first.chunks_written)
        const history = yield* post("memory.history", key, { token: writer })
        assert.notInclude(history.text, "SENTINEL77")
        const { versions } = yield* ok(MemoryHistory, key, { token: writer })
        assert.deepStrictEqual(versions.map(({ redacted, value }) => [value, redacted ?? false]), [
          ["The door has no code", false],
          [null, true]
        ])
        const inspected = yield* ok(MemoryInspect, key, { token: writer })
        assert.deepInclude(inspected.derived, { vectors: 1, chunks: 0 })
        assert.deepInclude(inspected.audit, { verifies: true, logged: true })
        // The head too, once it is out of service.
        const { content_sha256 } = yield* ok(MemoryGet, key, { token: writer })
        yield* ok(MemoryDelete, key, { token: writer })
        const head = yield* ok(MemoryRedact, { ...key, content_sha256 }, { token: admin })
        assert.deepInclude(head, { redacted: true, head: true, remaining: 0 })
        const found = yield* ok(MemorySearch, { namespace, query: "SENTINEL77 door code" }, { token: writer })
        assert.deepStrictEqual(found.results, [])
        const list = yield* post("memory.list", { namespace, include_tombstoned: true }, { token: writer })
        assert.notInclude(list.text, "no code")
      }))
  })

  describe("rollback", () => {
    it.effect("goes back and forth, equal by content, and what came back is found", () =>
      Effect.gen(function*() {
        const { admin } = yield* Tokens
        const namespace = freshNamespace()
        const state = Effect.map(
          ok(MemoryList, { namespace, include_tombstoned: true, sort_by: "memory_key", limit: 100 }, { token: admin }),
          ({ memories }) => memories.map((row) => [row.memory_key, row.content_sha256, row.status, row.conflict_with])
        )
        const { b } = yield* contradiction(namespace, admin)
        yield* ok(MemorySet, { namespace, memory_key: "team/size", value: "The team has twelve people" }, {
          token: admin
        })
        const before = yield* state
        const point = (yield* ok(MemoryGet, { namespace, memory_key: "team/size" }, { token: admin })).version_text
        yield* ok(MemoryUpdate, { namespace, memory_key: "team/size", value: "Nobody counts" }, { token: admin })
        yield* ok(MemoryDelete, { namespace, memory_id: b.memory_id }, { token: admin })
        yield* ok(MemorySet, { namespace, memory_key: "late/one", value: "It came afterwards" }, { token: admin })
        const after = yield* state
        const dry = yield* ok(NamespaceRollback, { namespace, to: point }, { token: admin })
        assert.deepInclude(dry, { dry_run: true, changed: 4, not_there_yet: 1 })
        assert.deepStrictEqual(yield* state, after)
        const done = yield* ok(NamespaceRollback, { namespace, to: point, dry_run: false }, { token: admin })
        assert.deepInclude(done, { changed: 4, contended: 0, redacted: 0 })
        assert.deepStrictEqual((yield* state).filter(([key]) => key !== "late/one"), before)
        const found = yield* ok(MemorySearch, { namespace, query: "how many people has the team" }, { token: admin })
        assert.include(JSON.stringify(found.results), "team/size")
        assert.isTrue((yield* ok(NamespaceValidate, { namespace, embed_grace_seconds: 0 }, { token: admin })).ok)
        yield* ok(NamespaceRollback, { namespace, to: done.undo_to, dry_run: false }, { token: admin })
        assert.deepStrictEqual(yield* state, after)
      }))

    it.effect("leaves no link to a row that stays behind", () =>
      Effect.gen(function*() {
        const { admin } = yield* Tokens
        const as = { token: admin }
        const namespace = freshNamespace()
        const word = "The Orion release of the payments team ships by walnutz"
        const conflictsOf = (memory_key: string) =>
          Effect.map(ok(MemoryGet, { namespace, memory_key }, as), ({ conflict_with, memory_id }) =>
            [memory_id, conflict_with] as const)
        const set = (memory_key: string, value: string, more: object = {}) =>
          ok(MemorySet, { namespace, memory_key, value, ...more }, as)
        yield* contradiction(namespace, admin)
        yield* set("orion/c", `${word} on 15 October`)
        const { version_text: to } = yield* set("orion/d", `${word} on 15 October`, { run_id: "r" })
        const statuses = Effect.forEach(["orion/a", "orion/b", "orion/c", "orion/d"], (memory_key) =>
          Effect.map(ok(MemoryGet, { namespace, memory_key }, as), ({ status }) =>
            status))
        const before = yield* statuses
        assert.deepStrictEqual([before[0], before[1], before[3]], ["conflicted", "conflicted", "duplicate"])
        yield* ok(BlacklistAdd, { namespace, pattern: "16 October", sweep: true }, as)
        yield* ok(MemoryUpdate, { namespace, memory_key: "orion/c", value: "Crates go by the west door" }, as)
        yield* ok(MemoryDelete, { namespace, memory_key: "orion/d" }, as)
        for (const dry_run of [true, false]) {
          const done = yield* ok(NamespaceRollback, { namespace, to, dry_run }, as)
          assert.deepInclude(done, { blacklisted: 1, contended: 0 })
        }
        const after = yield* statuses
        assert.deepStrictEqual(after.slice(1), ["tombstoned", before[2], "duplicate"])
        // What was swept is no peer any more; the two that are left meet each other, or nobody.
        const [[a, ofA], [c, ofC]] = [yield* conflictsOf("orion/a"), yield* conflictsOf("orion/c")]
        assert.deepStrictEqual([ofA, ofC], after[0] === "active" ? [[], []] : [[c], [a]])
        const { findings } = yield* ok(NamespaceValidate, { namespace }, as)
        assert.deepStrictEqual(
          findings.filter(({ name }) =>
            name === "dangling_links"
          ),
          []
        )
      }))

    it.effect("brings back nothing that was refused or hidden since, and says how much that is", () =>
      Effect.gen(function*() {
        const { admin } = yield* Tokens
        const namespace = freshNamespace()
        const set = (memory_key: string, value: string) =>
          ok(MemorySet, { namespace, memory_key, value }, { token: admin })
        yield* set("swept/one", "The walnutz harvest is on the shelf")
        yield* set("was/refused", "Rabbits meet the walnutz")
        yield* set("now/high", "The codeword of the north gate is OSPREYX")
        const { version_text: to } = yield* set("plain/one", "Crates go by the west door")
        yield* ok(MemoryUpdate, { namespace, memory_key: "was/refused", value: "Rabbits meet the fox" }, {
          token: admin
        })
        yield* ok(MemoryUpdate, { namespace, memory_key: "now/high", sensitivity: "high" }, { token: admin })
        yield* ok(MemoryUpdate, { namespace, memory_key: "plain/one", value: "Crates go by the east door" }, {
          token: admin
        })
        yield* ok(BlacklistAdd, { namespace, pattern: "walnutz", sweep: true }, { token: admin })
        const expected = { rows: 4, blacklisted: 2, redacted: 0, contended: 0, back_in_service: 0, revalued: 1 }
        const dry = yield* ok(NamespaceRollback, { namespace, to }, { token: admin })
        assert.deepInclude(dry, expected)
        assert.deepInclude(
          yield* ok(NamespaceRollback, { namespace, to, dry_run: false }, { token: admin }),
          expected
        )
        assert.isFalse((yield* ok(MemoryGet, { namespace, memory_key: "swept/one" }, { token: admin })).found)
        assert.strictEqual(
          (yield* ok(MemoryGet, { namespace, memory_key: "was/refused" }, { token: admin })).value,
          "Rabbits meet the fox"
        )
        assert.strictEqual(
          (yield* ok(MemoryGet, { namespace, memory_key: "now/high" }, { token: admin })).sensitivity,
          "high"
        )
        const found = yield* ok(MemorySearch, { namespace, query: "codeword of the north gate" }, { token: admin })
        assert.notInclude(JSON.stringify(found), "OSPREYX")
        // A high row that changed otherwise goes back, and keeps its label.
        yield* ok(MemoryUpdate, { namespace, memory_key: "now/high", tags: ["gate"] }, { token: admin })
        assert.deepInclude(yield* ok(NamespaceRollback, { namespace, to, dry_run: false }, { token: admin }), {
          changed: 1,
          kept_high: 1
        })
        assert.deepInclude(yield* ok(MemoryGet, { namespace, memory_key: "now/high" }, { token: admin }), {
          sensitivity: "high",
          tags: []
        })
        assert.strictEqual((yield* ok(NamespaceRollback, { namespace, to }, { token: admin })).changed, 0)
      }))
  })

  describe("T16", () => {
    it.effect("another user's id answers like a random one for every verb that tells of a memory", () =>
      Effect.gen(function*() {
        const { ada, bob } = yield* Tokens
        const namespace = freshNamespace()
        const { a } = yield* contradiction(namespace, ada)
        const absent = "mem_01a22936-a239-7b7f-9315-6249a82db593"
        const calls: ReadonlyArray<readonly [string, object]> = [
          ["memory.provenance", {}],
          ["memory.provenance", { user_id: "ada" }],
          ["memory.lineage", {}],
          ["memory.inspect", {}],
          ["memory.promote", { target_key: "mine/now" }],
          ["conflicts.resolve", { action: "allow" }],
          ["conflicts.resolve", { action: "contract", if_match_sha256: a.content_sha256 }]
        ]
        for (const [verb, body] of calls) {
          const there = yield* post(verb, { namespace, memory_id: a.memory_id, ...body }, { token: bob })
          const nowhere = yield* post(verb, { namespace, memory_id: absent, ...body }, { token: bob })
          assert.strictEqual(there.text, nowhere.text, verb)
          assert.strictEqual(there.status, nowhere.status, verb)
          assert.notInclude(there.text, "Orion")
        }
        assert.strictEqual((yield* ok(ConflictsList, { namespace }, { token: bob })).total, 0)
        assert.strictEqual((yield* ok(ConflictsList, { namespace, user_id: "ada" }, { token: bob })).total, 0)
        assert.strictEqual((yield* ok(NamespaceAudit, { namespace }, { token: bob })).rows, 0)
        assert.strictEqual((yield* ok(ConflictsList, { namespace }, { token: ada })).total, 1)
      }))
  })
})
