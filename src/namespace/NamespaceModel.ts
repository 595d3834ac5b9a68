/**
 * A namespace: the unit that serialises writes, with the policies its owner chose. A namespace that nobody registered
 * works with the defaults.
 */
import * as Schema from "effect/Schema"
import { Scope } from "../kernel/Identity.ts"
import { ConflictPolicy, NamespaceSettings } from "./NamespaceSettingsModel.ts"

export { ConflictPolicy, DEFAULT_CONFLICT_POLICY } from "./NamespaceSettingsModel.ts"

export const Namespace = Schema.Struct({
  ...Scope.fields,
  default_conflict_policy: ConflictPolicy,
  description: Schema.String,
  settings: NamespaceSettings,
  /** Milliseconds since 1970. */
  created_at: Schema.Number,
  updated_at: Schema.Number,
  actor: Schema.String,
  version: Schema.BigIntFromSelf
})
export type Namespace = typeof Namespace.Type
