/** Callers and registrations for tests. */
import type { Caller } from "../../src/kernel/Caller.ts"
import type { Namespace } from "../../src/namespace/NamespaceModel.ts"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"

export const caller = (more: Partial<Caller> = {}): Caller => ({
  actor: "human:boss",
  org: "acme",
  namespaces: ["*"],
  defaultNamespace: null,
  role: "admin",
  boundUser: null,
  ...more
})

export const namespace = (more: Partial<Namespace> = {}): Namespace => ({
  org: "acme",
  namespace: "eng",
  default_conflict_policy: "auto_reinforce",
  description: "",
  settings: noSettings,
  created_at: 1_700_000_000_000,
  updated_at: 1_700_000_000_000,
  actor: "human:boss",
  version: 1n,
  ...more
})
