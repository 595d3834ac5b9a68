/**
 * What a write meets, with the embedder that ships: the closing example of the specification (probe, then update against
 * the hash), and the cases T02 (one changed value), T03 (negation), T05 (an employer that changed), T14 (corrected rows
 * stay away), beside pins, the blacklist and what was deleted.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { BlacklistAdd, BlacklistRemove } from "../../src/blacklist/BlacklistVerbs.ts"
import type { PayloadEncoded } from "../../src/kernel/Verb.ts"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

type SetFields = Omit<PayloadEncoded<typeof MemorySet>, "namespace" | "memory_key" | "value">

const set = (namespace: string, memory_key: string, value: string, fields: SetFields = {}) =>
  ok(MemorySet, { namespace, memory_key, value, ...fields })

const found = (namespace: string, query: string, fields: object = {}) =>
  Effect.map(ok(MemorySearch, { namespace, query, ...fields }), ({ results }) => results)

/** Both sides of a contradiction are served, name each other, and keep their words. */
const stand = (namespace: string, keys: readonly [string, string]) =>
  Effect.gen(function*() {
    const [a, b] = yield* Effect.all([
      ok(MemoryGet, { namespace, memory_key: keys[0] }),
      ok(MemoryGet, { namespace, memory_key: keys[1] })
    ])
    assert.strictEqual(a.status, "conflicted")
    assert.strictEqual(b.status, "conflicted")
    assert.deepStrictEqual(a.conflict_with, [b.memory_id ?? ""])
    assert.deepStrictEqual(b.conflict_with, [a.memory_id ?? ""])
  })

layer(LoomServer.layerShared({ LOOM_EMBEDDER: "use-lite" }), { excludeTestServices: true, timeout: 60_000 })(
  "The judge",
  (it) => {
    it.effect("the closing example: probe a change, then update against the hash that was read", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const key = "project/billing/deploy-window"
        const out = yield* set(
          namespace,
          key,
          "Billing deploys only on Tuesdays and Thursdays, never on Fridays.",
          {
            agent: "release-bot",
            tags: ["kind:constraint", "service:billing"],
            entities: ["billing"],
            valid_at: new Date().toISOString()
          }
        )
        assert.strictEqual(out.conflict_verdict, "clear")
        assert.match(out.content_sha256, /^[0-9a-f]{64}$/)

        const probe = yield* set(namespace, "project/billing/deploy-days", "Billing deploys only on Thursdays.", {
          agent: "release-bot",
          dry_run: true
        })
        assert.strictEqual(probe.conflict_verdict, "conflict")
        assert.isTrue(probe.dry_run)
        const [peer] = probe.peers
        assert.strictEqual(peer?.memory_key, key)
        assert.isFalse((yield* ok(MemoryGet, { namespace, memory_key: "project/billing/deploy-days" })).found)

        const current = yield* ok(MemoryGet, { namespace, memory_key: key })
        assert.strictEqual(current.content_sha256, out.content_sha256)
        const change = {
          namespace,
          agent: "release-bot",
          memory_key: key,
          value: "Billing deploys only on Thursdays.",
          if_match_sha256: out.content_sha256
        }
        const updated = yield* ok(MemoryUpdate, change)
        assert.isTrue(updated.updated)
        assert.deepStrictEqual((yield* ok(MemoryGet, { namespace, memory_key: key })).tags, [
          "kind:constraint",
          "service:billing"
        ])
        const stale = yield* refusal("memory.update", { ...change, value: "Billing deploys on Mondays." })
        assert.strictEqual(stale.status, 409)
        assert.strictEqual(stale.code, "PRECONDITION_FAILED")
      }))

    const pairs: ReadonlyArray<readonly [what: string, a: string, b: string]> = [
      ["a date", "Orion ships on 15 October", "Orion ships on 16 October"],
      ["an amount", "The Orion budget is 1,200 EUR", "The Orion budget is 1,300 EUR"],
      ["a version", "Orion runs on v2.1", "Orion runs on v2.2"],
      ["a unit", "The daily dose is 10 mg", "The daily dose is 10 g"],
      ["a time", "Nadia ran the course in 27:10", "Nadia ran the course in 26:30"],
      ["a number word", "The crew has fifteen members", "The crew has fifty members"],
      ["a negation", "Nadia eats peanuts", "Nadia does not eat peanuts"],
      ["never", "Nadia eats peanuts", "Nadia never eats peanuts"],
      ["no longer", "Nadia eats peanuts", "Nadia no longer eats peanuts"],
      ["without", "Nadia drinks her coffee with milk", "Nadia drinks her coffee without milk"],
      ["a negation in Chinese", "娜迪亚吃花生", "娜迪亚不吃花生"],
      ["a negation in German", "Nadia isst Erdnüsse", "Nadia isst keine Erdnüsse"],
      ["nicht", "Der Server läuft", "Der Server läuft nicht"]
    ]
    for (const policy of ["auto_reinforce", "newest_wins"] as const) {
      for (const [what, a, b] of pairs) {
        it.effect(`T02, T03: ${what} that differs is never lost (${policy})`, () =>
          Effect.gen(function*() {
            const namespace = freshNamespace()
            if (policy === "newest_wins") yield* ok(NamespaceRegister, { namespace, default_conflict_policy: policy })
            yield* set(namespace, "case/claim/a", a)
            const second = yield* set(namespace, "case/claim/b", b)
            assert.include(policy === "newest_wins" ? ["conflict", "refines"] : ["conflict"], second.conflict_verdict)
            assert.strictEqual(second.peers[0]?.memory_key, "case/claim/a")
            if (second.conflict_verdict === "conflict") yield* stand(namespace, ["case/claim/a", "case/claim/b"])
            else assert.deepStrictEqual(second.retired.map(({ memory_key }) => memory_key), ["case/claim/a"])
            assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key: "case/claim/b" })).value, b)
            const { versions } = yield* ok(MemoryHistory, { namespace, memory_key: "case/claim/a" })
            assert.include(versions.map(({ value }) => value), a)
          }))
      }
    }

    it.effect("T03: two negative claims of other subjects stand side by side", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* set(namespace, "birds/seen/1", "Heron not seen in zone 4 during dry months")
        const second = yield* set(namespace, "birds/seen/2", "Otter not seen in zone 9 during wet months")
        assert.strictEqual(second.conflict_verdict, "clear")
        const { memories } = yield* ok(MemoryList, { namespace })
        assert.deepStrictEqual(memories.map(({ status }) => status), ["active", "active"])
        assert.deepStrictEqual(memories.flatMap(({ conflict_with }) => conflict_with), [])
      }))

    it.effect("T05: under one key the newer employer answers and the older one is retired", () =>
      Effect.gen(function*() {
        const key = "u/career/employer"
        const namespace = freshNamespace()
        yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" })
        yield* set(namespace, key, "Works at Alder", { agent: "one", valid_at: "2026-03-01T00:00:00Z" })
        const june = yield* set(namespace, key, "Works at Birch", { agent: "two", valid_at: "2026-06-01T00:00:00Z" })
        assert.deepStrictEqual(june.retired.map(({ memory_key }) => memory_key), [key])
        assert.deepStrictEqual((yield* found(namespace, "employer")).map(({ content_excerpt }) => content_excerpt), [
          "Works at Birch"
        ])
        const both = yield* found(namespace, "employer", { include_superseded: true })
        assert.sameMembers(both.map(({ content_excerpt }) => content_excerpt), ["Works at Alder", "Works at Birch"])
        const { versions } = yield* ok(MemoryHistory, { namespace, memory_key: key })
        const retired = versions.find(({ status }) => status === "superseded")
        assert.strictEqual(retired?.superseded_by, june.memory_id)
        assert.strictEqual(retired?.cause?.memory_id, june.memory_id)
        assert.strictEqual(retired?.cause?.rule, "newest_wins.key")
        const back = yield* ok(MemoryRestore, { namespace, memory_id: retired?.memory_id ?? "" })
        assert.isTrue(back.restored)
      }))

    it.effect("T05, T14: what a key said before is a hit of its own on request, behind what it says now", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const key = "u/career/employer"
        yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" })
        const march = yield* set(namespace, key, "Works at Alder", { valid_at: "2026-03-01T00:00:00Z" })
        const june = yield* set(namespace, key, "Works at Birch", { valid_at: "2026-06-01T00:00:00Z" })
        yield* set(namespace, "u/drink", "Drinks rooibos tea")
        yield* ok(MemoryUpdate, { namespace, memory_key: "u/drink", value: "Drinks mint tea" })
        yield* ok(MemoryUpdate, { namespace, memory_key: "u/drink", value: "Drinks sencha tea" })
        yield* set(namespace, "u/pin", "The locker number is kept in the drawer")
        yield* ok(MemoryUpdate, { namespace, memory_key: "u/pin", value: "The locker number is kept by Otto" })
        yield* ok(MemoryDelete, { namespace, memory_key: "u/pin" })
        const told = (hits: ReadonlyArray<typeof MemorySearch.answer.Type["results"][number]>) =>
          hits.map(({ content_excerpt, status }) => `${content_excerpt} ${status}`)
        const works = yield* found(namespace, "works at", { legs: ["lexical"] })
        assert.deepStrictEqual(told(works), ["Works at Birch active"])
        const both = yield* found(namespace, "works at", { include_superseded: true, legs: ["lexical"] })
        assert.deepStrictEqual(told(both), ["Works at Birch active", "Works at Alder superseded"])
        assert.deepInclude(both[1], {
          memory_id: june.memory_id,
          superseded_by: june.memory_id,
          version_text: march.version_text,
          valid_at: "2026-03-01T00:00:00.000Z"
        })
        assert.isNotNull(both[1]?.superseded_at)
        const tea = yield* found(namespace, "tea", { include_superseded: true, legs: ["lexical"] })
        assert.strictEqual(told(tea)[0], "Drinks sencha tea active")
        assert.sameMembers(told(tea).slice(1), ["Drinks mint tea superseded", "Drinks rooibos tea superseded"])
        const { memories } = yield* ok(MemoryList, { namespace, include_superseded: true, sort_by: "memory_key" })
        const rows = memories.map(({ status, superseded_by, value }) => [value, status, superseded_by !== null])
        assert.deepStrictEqual(rows, [
          ["Works at Birch", "active", false],
          ["Works at Alder", "superseded", true],
          ["Drinks sencha tea", "active", false],
          ["Drinks mint tea", "superseded", true],
          ["Drinks rooibos tea", "superseded", true]
        ])
        for (const sort_by of ["memory_key", "created_at", "updated_at"] as const) {
          const whole = yield* ok(MemoryList, { namespace, include_superseded: true, sort_by })
          assert.deepStrictEqual([whole.memories.length, whole.total], [5, 5])
          const walked: Array<unknown> = []
          let cursor: string | undefined = undefined
          do {
            const page: typeof MemoryList.answer.Type = yield* ok(MemoryList, {
              namespace,
              include_superseded: true,
              sort_by,
              limit: 1,
              cursor
            })
            walked.push(...page.memories.map(({ value }) => value))
            cursor = page.next_cursor ?? undefined
          } while (cursor !== undefined)
          assert.deepStrictEqual(walked, whole.memories.map(({ value }) => value), sort_by)
        }
        // What was deleted shows nothing of what it said before.
        assert.deepStrictEqual(yield* found(namespace, "locker", { include_superseded: true, legs: ["lexical"] }), [])
      }))

    it.effect("T05: under two keys the older employer is retired or linked, and both are kept", () =>
      Effect.gen(function*() {
        for (
          const [march, june] of [
            ["Works at Alder", "Works at Birch"],
            ["Ada Moreno works at Alder", "Ada Moreno works at Birch"]
          ] as const
        ) {
          const namespace = freshNamespace()
          yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" })
          yield* set(namespace, "u/career/employer", march, { valid_at: "2026-03-01T00:00:00Z" })
          const second = yield* set(namespace, "u/profile/job", june, { valid_at: "2026-06-01T00:00:00Z" })
          const old = yield* ok(MemoryGet, { namespace, memory_key: "u/career/employer" })
          assert.include(["superseded", "conflicted"], old.status)
          if (old.status === "conflicted") assert.deepStrictEqual(old.conflict_with, [second.memory_id])
          else assert.strictEqual(old.superseded_by, second.memory_id)
          const both = yield* found(namespace, "where does Ada Moreno work", { include_superseded: true })
          assert.sameMembers(both.map(({ content_excerpt }) => content_excerpt), [march, june])
          assert.lengthOf((yield* ok(MemoryHistory, { namespace, memory_key: "u/career/employer" })).versions, 2)
        }
      }))

    it.effect("T05: a backfill of an earlier date steps behind what stands under the key", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" })
        yield* set(namespace, "u/career/employer", "Works at Birch", { valid_at: "2026-06-01T00:00:00Z" })
        const march = yield* set(namespace, "u/career/employer", "Works at Alder", { valid_at: "2026-03-01T00:00:00Z" })
        assert.strictEqual(march.conflict_verdict, "conflict")
        assert.strictEqual(march.status, "superseded")
        assert.strictEqual(
          (yield* ok(MemoryGet, { namespace, memory_key: "u/career/employer" })).value,
          "Works at Birch"
        )
      }))

    it.effect("T14: what was corrected is absent by default and there on request", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* set(namespace, "ops/window/backup", "The backup window opens at 02:00 on the zephyr cluster")
        yield* ok(MemoryUpdate, {
          namespace,
          memory_key: "ops/window/backup",
          value: "The backup window opens at 04:00 on the zephyr cluster"
        })
        const texts = (fields: object) =>
          Effect.map(
            found(namespace, "backup window zephyr", fields),
            (hits) => hits.map(({ content_excerpt }) => content_excerpt)
          )
        assert.deepStrictEqual(yield* texts({}), ["The backup window opens at 04:00 on the zephyr cluster"])
        assert.deepStrictEqual(yield* texts({ include_superseded: true }), [
          "The backup window opens at 04:00 on the zephyr cluster",
          "The backup window opens at 02:00 on the zephyr cluster"
        ])
        assert.lengthOf((yield* ok(MemoryHistory, { namespace, memory_key: "ops/window/backup" })).versions, 2)
      }))

    it.effect("beside a pinned memory an unpinned set is refused, under its key and under another", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* set(namespace, "u/preference/editor", "Ada uses the Helix editor", { pinned: true })
        const same = yield* refusal("memory.set", {
          namespace,
          memory_key: "u/preference/editor",
          value: "Ada uses the Vim editor"
        })
        assert.strictEqual(same.code, "PINNED_CONFLICT")
        const beside = yield* refusal("memory.set", {
          namespace,
          memory_key: "u/tools/editor",
          value: "Ada uses the Vim editor"
        })
        assert.strictEqual(beside.status, 409)
        assert.strictEqual(beside.code, "PINNED_CONFLICT")
        const { results } = yield* ok(MemoryBulkSet, {
          namespace,
          items: [
            { memory_key: "u/tools/editor", value: "Ada uses the Vim editor" },
            { memory_key: "u/tools/shell", value: "The release train leaves on Mondays" }
          ]
        })
        assert.deepStrictEqual(results.map(({ code, outcome }) => [outcome, code]), [
          ["refused", "PINNED_CONFLICT"],
          ["stored", null]
        ])
        const update = yield* ok(MemoryUpdate, {
          namespace,
          memory_key: "u/preference/editor",
          value: "Ada uses the Vim editor"
        })
        assert.isTrue(update.pinned)
        assert.strictEqual((yield* set(namespace, "u/preference/editor", "Ada uses the Vim editor")).status, "active")
      }))

    it.effect("a claim under a run whose equal belongs to another run is kept for its run", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* set(namespace, "lab/result/1", "The third probe boiled at 81 degrees", { run_id: "run-1" })
        const second = yield* set(namespace, "lab/result/2", "The third probe boiled at 81 degrees", {
          run_id: "run-2"
        })
        assert.strictEqual(second.status, "duplicate")
        for (const [run_id, key] of [["run-1", "lab/result/1"], ["run-2", "lab/result/2"], ["run-3", null]] as const) {
          const keys = key === null ? [] : [key]
          const { memories } = yield* ok(MemoryList, { namespace, run_id })
          assert.deepStrictEqual(memories.map(({ memory_key }) => memory_key), keys)
          const { results } = yield* ok(MemorySearch, { namespace, run_id, query: "at what did the third probe boil" })
          assert.deepStrictEqual(results.map(({ memory_key }) => memory_key), keys)
        }
        // Whoever reads every run is told once.
        assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 1)
        assert.lengthOf(yield* found(namespace, "at what did the third probe boil"), 1)
      }))

    it.effect("a refused pattern takes stored rows out, of every writer, and new ones do not come in", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        for (const agent of ["one", "two"]) {
          yield* set(namespace, "ops/host/old", `The old host is zebra-${agent}.example`, { agent })
        }
        yield* set(namespace, "ops/host/new", "The new host is okapi.example")
        const added = yield* ok(BlacklistAdd, { namespace, pattern: "zebra-", sweep: true, reason: "decommissioned" })
        assert.strictEqual(added.swept, 2)
        assert.isFalse(added.swept_truncated)
        const refused = yield* refusal("memory.set", { namespace, memory_key: "ops/host/3", value: "Use ZEBRA-three" })
        assert.strictEqual(refused.status, 422)
        assert.strictEqual(refused.code, "BLACKLISTED")
        const { results } = yield* ok(MemoryBulkSet, {
          namespace,
          items: [
            { memory_key: "ops/host/4", value: "zebra-four is back" },
            { memory_key: "ops/host/5", value: "Lunch is at noon on working days" }
          ]
        })
        assert.deepStrictEqual(results.map(({ code }) => code), ["BLACKLISTED", null])
        assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 2)
        yield* ok(BlacklistRemove, { pattern_id: added.pattern_id })
        yield* set(namespace, "ops/host/3", "Use zebra-three")
      }))

    it.effect("a deleted claim comes back by a plain set, which says so, and never by an import", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const value = "The staging password rotates every ninety days"
        yield* set(namespace, "ops/staging/rotation", value)
        yield* ok(MemoryDelete, { namespace, memory_key: "ops/staging/rotation" })
        const { results } = yield* ok(MemoryBulkSet, {
          namespace,
          items: [
            { memory_key: "ops/staging/other", value, source_class: "imported" },
            { memory_key: "ops/staging/lunch", value: "Lunch is at noon on working days", source_class: "imported" }
          ]
        })
        assert.deepStrictEqual(results.map(({ code }) => code), ["SUPPRESSED", null])
        const again = yield* set(namespace, "ops/staging/again", value)
        assert.strictEqual(again.status, "active")
        assert.isTrue(again.advisories.some((advisory) => advisory.includes("deleted before")))
      }))

    it.effect("what waited behind a deleted memory answers again", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* set(namespace, "team/lunch/a", "Lunch is at noon on working days")
        yield* set(namespace, "team/lunch/b", "Dinner is served at eight in the evening")
        const twin = yield* set(namespace, "team/lunch/b", "lunch is at noon, on working days")
        assert.strictEqual(twin.status, "duplicate")
        yield* ok(MemoryDelete, { namespace, memory_key: "team/lunch/a" })
        assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key: "team/lunch/b" })).status, "active")
        assert.lengthOf(yield* found(namespace, "when is lunch"), 1)
      }))
  }
)
