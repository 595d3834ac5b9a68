/**
 * The search steps of the cases that ask by other words than the text, with the embedder that ships: T11 (paraphrase after
 * a delete), T24 (what was just written is found at once), T25 (twins that differ by an identifier).
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryBulkSet, MemoryDelete, MemoryRestore, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

const find = (namespace: string, query: string, fields: object = {}) =>
  Effect.map(ok(MemorySearch, { namespace, query, ...fields }), ({ degraded, results }) => {
    assert.deepStrictEqual(degraded, [])
    return results.map(({ memory_key }) => memory_key)
  })

layer(LoomServer.layerShared({ LOOM_EMBEDDER: "use-lite" }), { excludeTestServices: true, timeout: 60_000 })(
  "Search by meaning",
  (it) => {
    it.effect("T11: a paraphrase finds it, not after the delete, again after the restore", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "ops/vpn" }
        yield* ok(MemorySet, { ...key, value: "The password of the office network is changed every Monday" })
        const ask = find(key.namespace, "how often do we renew our wifi credentials", { legs: ["vector"] })
        assert.deepStrictEqual(yield* ask, ["ops/vpn"])
        yield* ok(MemoryDelete, key)
        assert.deepStrictEqual(yield* ask, [])
        yield* ok(MemoryRestore, key)
        assert.deepStrictEqual(yield* ask, ["ops/vpn"])
      }))

    it.effect("T24: what was just written is first at once, by its text, by its token and by a paraphrase", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const facts: ReadonlyArray<readonly [text: string, token: string, paraphrase: string]> = [
          ["The cat of our neighbour climbs the old oak, ticket QX-48213", "QX-48213", "a pet goes up a tree"],
          ["Payroll runs on the last working day, job zk81bdf0", "zk81bdf0", "when are salaries paid"],
          ["Nadia moved from Lisbon to Oslo in spring, case K9T77", "K9T77", "where does she live now"],
          ["The kitchen light flickers when it rains, note FL_009", "FL_009", "electrical trouble during wet weather"]
        ]
        for (const [index, [text, token, paraphrase]] of facts.entries()) {
          const memory_key = `f/${index}`
          yield* ok(MemorySet, { namespace, memory_key, value: text })
          for (const query of [text, token, paraphrase, text.toUpperCase(), `what about ${token}?`]) {
            assert.strictEqual((yield* find(namespace, query))[0], memory_key, query)
          }
        }
      }))

    it.effect(
      "T25: of near twins the one with the identifier is first, whatever its vector",
      () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          const versions = ["v1.6", "v1.7", "v1.8", "v1.9", "v1.10"]
          yield* ok(MemoryBulkSet, {
            namespace,
            items: [
              ...versions.map((version) => ({ memory_key: `notes/${version}`, value: `Release notes for ${version}` })),
              { memory_key: "err/7731", value: "ERR_7731 is raised when the pump of the aquarium runs dry" },
              { memory_key: "err/7732", value: "ERR_7732 is raised when the pump of the aquarium runs hot" },
              { memory_key: "commit/a", value: "Fixed by 9f3c2ab17de0 on the main branch" },
              { memory_key: "commit/b", value: "Fixed by 9f3c2ab17de1 on the main branch" },
              { memory_key: "person/a", value: "Ms Wojciechowska signs the invoices" },
              { memory_key: "mail/a", value: "Write to ops+alerts@acme.example for help" },
              { memory_key: "path/a", value: "The setting is in /etc/loom/server.toml" }
            ]
          })
          const subjects = [
            "garden",
            "budget",
            "train",
            "concert",
            "server",
            "recipe",
            "holiday",
            "meeting",
            "book",
            "weather"
          ]
          const places = ["Rome", "Oslo", "Lima", "Cairo", "Perth", "Quito", "Hanoi", "Turin", "Bergen", "Porto"]
          for (const part of [0, 1]) {
            yield* ok(MemoryBulkSet, {
              namespace,
              items: numbers(500).map((index) => {
                const number = part * 500 + index
                return {
                  memory_key: `noise/${number}`,
                  value: `Note ${number}: the ${subjects[number % 10]} of ${
                    places[Math.floor(number / 10) % 10]
                  } was talked about on day ${number % 28 + 1}`
                }
              })
            })
          }
          for (
            const [query, key] of [
              ...versions.map((version) => [version, `notes/${version}`] as const),
              ...versions.map((version) => [`what changed in ${version}?`, `notes/${version}`] as const),
              ["ERR_7731", "err/7731"],
              ["what does err_7731 mean", "err/7731"],
              ["ERR_7732", "err/7732"],
              ["9f3c2ab17de0", "commit/a"],
              ["which branch has 9f3c2ab17de1", "commit/b"],
              ["Wojciechowska", "person/a"],
              ["who is ms wojciechowska", "person/a"],
              ["ops+alerts@acme.example", "mail/a"],
              ["/etc/loom/server.toml", "path/a"],
              ["server.toml", "path/a"]
            ] as const
          ) {
            assert.strictEqual((yield* find(namespace, query))[0], key, query)
          }
        }),
      120_000
    )
  }
)
