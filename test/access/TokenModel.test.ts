import { assert, describe, it } from "@effect/vitest"
import {
  actorOf,
  callerOf,
  formatToken,
  hashSecret,
  isLive,
  newId,
  newSecret,
  parseToken,
  secretMatches
} from "../../src/access/TokenModel.ts"
import { secret, token } from "./TokenFixture.ts"

describe("TokenModel", () => {
  it("a new token is read back", () => {
    const halves = { id: newId(), secret: newSecret() }
    assert.deepEqual(parseToken(formatToken(halves)), halves)
    assert.match(formatToken(halves), /^loom_[0-9a-f]{16}_[0-9a-f]{64}$/)
  })

  it("no other text is one", () => {
    const good = formatToken({ id: newId(), secret: newSecret() })
    for (
      const text of [
        "",
        "loom",
        "loom__",
        good.slice(1),
        `${good} `,
        `${good}\n`,
        good.toUpperCase(),
        good.replace("_", "-"),
        `loom_root_${secret}`
      ]
    ) {
      assert.isUndefined(parseToken(text), text)
    }
  })

  it("no two secrets or ids are alike", () => {
    assert.strictEqual(new Set(Array.from({ length: 1000 }, newSecret)).size, 1000)
    assert.strictEqual(new Set(Array.from({ length: 1000 }, newId)).size, 1000)
  })

  it("a secret matches its own hash alone", () => {
    const stored = token("1", { secret_sha256: hashSecret(secret) })
    assert.isTrue(secretMatches(stored, secret))
    for (const wrong of ["", secret.slice(1), `${secret}5`, newSecret(), stored.secret_sha256]) {
      assert.isFalse(secretMatches(stored, wrong))
    }
    assert.isFalse(secretMatches(token("1", { secret_sha256: "" }), ""))
    assert.isFalse(secretMatches(token("1", { secret_sha256: "damaged" }), secret))
  })

  it("ends with its time and with its revocation", () => {
    assert.isTrue(isLive(token("1"), Number.MAX_SAFE_INTEGER))
    assert.isTrue(isLive(token("1", { expires_at: 1000 }), 999))
    assert.isFalse(isLive(token("1", { expires_at: 1000 }), 1000))
    assert.isFalse(isLive(token("1", { revoked_at: 1000 }), 0))
  })

  it("says who calls", () => {
    assert.strictEqual(actorOf({ kind: "human", subject: "ada" }), "human:ada")
    assert.strictEqual(actorOf({ kind: "service", subject: "ci" }), "process:ci")
    assert.strictEqual(callerOf(token("1", { namespaces: ["eng"] })).defaultNamespace, "eng")
    assert.isNull(callerOf(token("1", { namespaces: ["*"] })).defaultNamespace)
    assert.isNull(callerOf(token("1", { namespaces: ["eng", "ops"] })).defaultNamespace)
    assert.isUndefined(callerOf(token("1", { role: "admin" })).platform)
  })
})
