/** Tokens for tests. */
import { hashSecret } from "../../src/access/TokenModel.ts"
import type { Token } from "../../src/access/TokenModel.ts"
import type { Caller } from "../../src/kernel/Caller.ts"

export const secret = "5".repeat(64)

/** A live token of the org acme with the id `id` (16 hex digits, zeros in front). */
export const token = (id: string, more: Partial<Token> = {}): Token => ({
  token_id: id.padStart(16, "0"),
  secret_sha256: hashSecret(secret),
  org: "acme",
  namespaces: ["eng"],
  role: "write",
  bound_user: null,
  kind: "service",
  subject: "bot",
  description: "",
  created_at: 1_700_000_000_000,
  created_by: "process:loom-root",
  expires_at: null,
  revoked_at: null,
  version: 1_700_000_000_000_000_000n,
  ...more
})

export const caller = (more: Partial<Caller> = {}): Caller => ({
  actor: "human:boss",
  org: "acme",
  namespaces: ["*"],
  defaultNamespace: null,
  role: "admin",
  boundUser: null,
  ...more
})
