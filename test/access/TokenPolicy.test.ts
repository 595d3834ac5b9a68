import { assert, describe, it } from "@effect/vitest"
import { rootCaller } from "../../src/access/RootToken.ts"
import type { Reach } from "../../src/access/TokenPolicy.ts"
import { covers, mintFault } from "../../src/access/TokenPolicy.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { caller } from "./TokenFixture.ts"

const reach = (more: Partial<Reach> = {}): Reach => ({
  org: "acme",
  namespaces: ["eng"],
  role: "write",
  bound_user: null,
  ...more
})

const allowed: ReadonlyArray<readonly [Caller, Reach]> = [
  [caller(), reach()],
  [caller(), reach({ namespaces: ["*"], role: "admin" })],
  [caller(), reach({ bound_user: "u1" })],
  [caller({ namespaces: ["eng", "ops"] }), reach({ namespaces: ["ops", "eng"] })],
  [caller({ boundUser: "u1" }), reach({ bound_user: "u1" })],
  [rootCaller, reach()],
  [rootCaller, reach({ org: "any", namespaces: ["*"], role: "admin", bound_user: "u9" })]
]

const refused: ReadonlyArray<readonly [why: RegExp, Caller, Reach]> = [
  [/another org/, caller(), reach({ org: "other" })],
  [/another org/, caller({ org: "Acme" }), reach()],
  [/no namespace/, caller({ namespaces: ["ops"] }), reach()],
  [/no namespace/, caller({ namespaces: ["eng"] }), reach({ namespaces: ["eng", "ops"] })],
  [/no namespace/, caller({ namespaces: ["eng"] }), reach({ namespaces: ["*"] })],
  [/no namespace/, caller({ namespaces: [] }), reach()],
  [/no higher role/, caller({ role: "write" }), reach({ role: "admin" })],
  [/no higher role/, caller({ role: "read" }), reach({ role: "write" })],
  [/same user/, caller({ boundUser: "u1" }), reach()],
  [/same user/, caller({ boundUser: "u1" }), reach({ bound_user: "u2" })]
]

describe("TokenPolicy", () => {
  for (const [who, wanted] of allowed) {
    it(`${who.actor} may mint and see ${JSON.stringify(wanted)}`, () => {
      assert.isUndefined(mintFault(who, wanted))
      assert.isTrue(covers(who, wanted))
    })
  }
  for (const [why, who, wanted] of refused) {
    it(`refuses (${why.source}) ${JSON.stringify([who.namespaces, who.role, who.boundUser, wanted])}`, () => {
      const fault = mintFault(who, wanted)
      assert.strictEqual(fault?.code, "FORBIDDEN")
      assert.match(fault?.message ?? "", why)
      assert.isFalse(covers(who, wanted))
    })
  }
})
