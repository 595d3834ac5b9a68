/** Patterns and callers for tests. */
import type { BlacklistPattern } from "../../src/blacklist/BlacklistModel.ts"
import type { Caller } from "../../src/kernel/Caller.ts"

/** A substring pattern of the namespace acme/eng; `id` is a small number. */
export const pattern = (id: number, more: Partial<BlacklistPattern> = {}): BlacklistPattern => ({
  pattern_id: `blk_00000000-0000-7000-8000-${String(id).padStart(12, "0")}`,
  scope: "namespace",
  org: "acme",
  namespace: "eng",
  pattern: "hunter2",
  pattern_type: "substring",
  reason: "a password",
  created_at: 1_700_000_000_000 + id,
  created_by: "human:boss",
  removed_at: null,
  removed_by: "",
  idem_hash: "",
  request_hash: "",
  answer: "",
  version: 1_700_000_000_000_000_000n,
  ...more
})

/** An admin of the whole org acme. */
export const caller = (more: Partial<Caller> = {}): Caller => ({
  actor: "human:boss",
  org: "acme",
  namespaces: ["*"],
  defaultNamespace: null,
  role: "admin",
  boundUser: null,
  ...more
})
