/**
 * `loom doctor isolation` against a real server, and against the same server behind a proxy that forgets for which user a
 * search is, as a broken server would.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import { MemoryList } from "../../src/memory/MemoryVerbs.ts"
import { layerTeam, mint, Tokens } from "../cases/Tokens.ts"
import { ok } from "../support/LoomHttp.ts"
import { LoomServer } from "../support/LoomServer.ts"
import { loom } from "./CliHouse.ts"

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** A proxy before the server that hands on what `change` makes of a request's body. */
const proxy = (url: string, change: (verb: string, body: object) => object): Effect.Effect<string, never, Scope> =>
  Effect.acquireRelease(
    Effect.async<readonly [string, () => void]>((resume) => {
      const server = createServer((request, response) => {
        void bodyOf(request).then(async (body) => {
          const path = request.url ?? "/"
          const reply = await fetch(`${url}${path}`, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              authorization: request.headers.authorization ?? ""
            },
            body: JSON.stringify(change(path.replace("/v1/", ""), JSON.parse(body)))
          })
          response.writeHead(reply.status, { "content-type": "application/json" })
          response.end(await reply.text())
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed([`http://127.0.0.1:${port}`, () => void server.close()]))
      })
    }),
    ([, close]) => Effect.sync(close)
  ).pipe(Effect.map(([address]) => address))

layer(layerTeam, { excludeTestServices: true, timeout: 60_000 })("loom doctor isolation", (it) => {
  it.effect("proves a sound server, says a line a check, and clears what it wrote", () =>
    Effect.gen(function*() {
      const { url } = yield* LoomServer
      const { admin } = yield* Tokens
      const args = [
        "doctor",
        "isolation",
        "--url",
        url,
        "--token",
        admin,
        "--prefix",
        "sound",
        "--seed",
        "five",
        "--rounds",
        "1"
      ]
      const { code, stderr, stdout } = yield* loom(args)
      assert.strictEqual(code, 0, stderr)
      assert.strictEqual([...stdout.matchAll(/^holds {3}\S.* \(\d+ compared\)$/gm)].length, 9, stdout)
      assert.match(stdout, /Tenants are isolated/)
      assert.match(stderr, /in sound-a and sound-b, seed five\n.*round 1 of 1[^]*Cleared sound-a and sound-b/)
      for (const namespace of ["sound-a", "sound-b"]) {
        assert.strictEqual((yield* ok(MemoryList, { namespace, count_only: true }, { token: admin })).total, 0)
      }
    }), 120_000)

  it.scoped(
    "ends with 1 where one user's search reads another's rows, and says which and what to do",
    () =>
      Effect.gen(function*() {
        const { url } = yield* LoomServer
        const { admin } = yield* Tokens
        const broken = yield* proxy(
          url,
          (verb, body) => verb.startsWith("memory.search") ? { ...body, user_id: undefined } : body
        )
        const { code, stderr, stdout } = yield* loom([
          "doctor",
          "isolation",
          "--url",
          broken,
          "--token",
          admin,
          "--prefix",
          "broken",
          "--seed",
          "five",
          "--rounds",
          "1",
          "--json"
        ])
        assert.strictEqual(code, 1)
        const told = JSON.parse(stdout)
        assert.deepInclude(told, { isolated: false, seed: "five" })
        assert.deepStrictEqual(
          told.verdicts.map(({ check, outcome }: { check: string; outcome: string }) => [check.split(":")[0], outcome]),
          [
            ["search", "breach"],
            ["search_trace", "breach"],
            ["ask", "holds"],
            ["pack", "holds"],
            ["list", "holds"],
            ["get", "holds"],
            ["for_file", "holds"],
            ["neighbours", "breach"],
            ["ids", "holds"]
          ]
        )
        assert.match(told.verdicts[0].detail, /memory\.search .* was .* and is /)
        assert.match(stderr, /tenants reach each other \(search, search_trace, neighbours\).*--seed five/)
      }),
    120_000
  )

  it.effect(
    "says it in one line when no server answers or the token does not open the namespaces",
    () =>
      Effect.gen(function*() {
        const { url } = yield* LoomServer
        const { reader, root } = yield* Tokens
        const asked = (...args: ReadonlyArray<string>) => loom(["doctor", "isolation", ...args])
        const away = yield* asked("--url", "http://127.0.0.1:9")
        assert.strictEqual(away.code, 5)
        assert.match(away.stderr, /No server answers at http:..127.0.0.1:9/)
        const narrow = yield* mint(root, { org: "acme", role: "admin", subject: "narrow", namespaces: ["other"] })
        for (const token of [narrow, reader]) {
          const refused = yield* asked("--url", url, "--token", token, "--prefix", "mine")
          assert.strictEqual(refused.code, 1)
          assert.match(refused.stderr, /loom: the token may not write in mine-a and mine-b: .*--prefix mine\n$/)
          // The line that it advises runs as it stands.
          const advised = /`loom (mint-token [^`]*)`/.exec(refused.stderr)?.[1]?.split(" ") ?? []
          const minted = yield* loom(advised, { env: { LOOM_BASE_URL: url, LOOM_API_KEY: root } })
          assert.strictEqual(minted.code, 0, minted.stderr)
        }
        assert.match((yield* asked("--url", url)).stderr, /UNAUTHENTICATED/)
        assert.strictEqual((yield* asked("--url", url, "--rounds", "0")).code, 2)
      }),
    60_000
  )
})
