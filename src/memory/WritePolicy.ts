/**
 * The decision about one write, pure: guards, precondition, restatement, canonical merge, insert, in that order. It sees
 * what is stored (and the earlier writes of its batch) and says what becomes of the write; it never does I/O. Offered as
 * a service, so that a deployment can put its own judge in place by providing another layer.
 */
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { ConflictPolicy } from "../namespace/NamespaceModel.ts"
import type { Content } from "./MemoryContent.ts"
import type { MemoryRow } from "./MemoryModel.ts"

/** What the namespace asks of the judge. */
export interface Rules {
  readonly conflictPolicy: ConflictPolicy
  /** Whether a bulk write takes any live row with the same bytes of the same agent and user for the fact. */
  readonly bulkDedup: "identity" | "none"
}

/** The write as the judge sees it. */
export interface JudgedWrite {
  readonly content: Content
  readonly run_id: string
  /** Whether the write itself pins, or is the verb that may change a pinned row. */
  readonly mayReplacePinned: boolean
  /** Whether the row is pinned by the write. */
  readonly pins: boolean
  readonly if_match_sha256: string | null
  readonly now: number
}

/** What the write meets. All rows belong to the write's namespace, type and user. */
export interface Met {
  /** The live row under the write's own identity. */
  readonly own: MemoryRow | undefined
  /** Served rows elsewhere with the same canonical form, oldest first. */
  readonly canonical: ReadonlyArray<MemoryRow>
  /** Live rows elsewhere with the same bytes, by the same agent and user, when the verb treats them as the fact. */
  readonly sameContent: ReadonlyArray<MemoryRow>
}

export type Decision =
  /** Byte-identical to the own row: it is reinforced. */
  | { readonly _tag: "Restate" }
  /** Says what another row says: nothing is written, that row is reinforced. */
  | { readonly _tag: "Merge"; readonly into: MemoryRow; readonly reason: string }
  /** Stored under its own key, while another row answers for it. */
  | { readonly _tag: "Duplicate"; readonly of: MemoryRow; readonly reason: string }
  /** A new fact, or a revision of the own row. */
  | { readonly _tag: "Insert" }

export class WritePolicy extends Context.Tag("loom/memory/WritePolicy")<WritePolicy, {
  readonly judge: (met: Met, write: JudgedWrite, rules: Rules) => Either.Either<Decision, Refusal>
}>() {}

export const layer: Layer.Layer<WritePolicy> = Layer.succeed(WritePolicy, {
  judge: (met, write, rules) => judge(met, write, rules)
})

export const judge = (met: Met, write: JudgedWrite, rules: Rules): Either.Either<Decision, Refusal> => {
  const { content } = write
  const identical = met.own !== undefined && met.own.content_sha256 === content.content_sha256
  if (!identical) {
    const guard = guards(met.own, write)
    if (guard !== undefined) return Either.left(guard)
  }
  const stale = preconditionFault(met.own, write.if_match_sha256)
  if (stale !== undefined) return Either.left(stale)
  if (identical) return Either.right({ _tag: "Restate" })
  if (rules.conflictPolicy === "append_only") return Either.right({ _tag: "Insert" })
  const same = met.sameContent[0]
  if (same !== undefined) return Either.right(answeredBy(met, write, same, "the same words, byte for byte"))
  const canonical = content.canonical_sha256 === "" ? undefined : met.canonical[0]
  if (canonical !== undefined) {
    return Either.right(answeredBy(met, write, canonical, "the same canonical form"))
  }
  return Either.right({ _tag: "Insert" })
}

// A pinned memory never steps back behind another: someone asked for it to stand. A merge writes nothing, so it may only happen where nothing would be lost: not when the own key already holds another
// value (the caller revised it), and not when the match belongs to another run (a run-scoped read must find the write).
const answeredBy = (met: Met, write: JudgedWrite, row: MemoryRow, reason: string): Decision =>
  met.own?.pinned === true || write.pins
    ? { _tag: "Insert" }
    : met.own === undefined && (write.run_id === "" || row.run_id === write.run_id)
    ? { _tag: "Merge", into: row, reason }
    : { _tag: "Duplicate", of: row, reason }

/** Lock and pin: what keeps a changed value from replacing the row under its key. */
export const guards = (
  own: MemoryRow | undefined,
  write: Pick<JudgedWrite, "mayReplacePinned" | "now">
): Refusal | undefined => {
  if (own === undefined) return undefined
  if (isLocked(own, write.now) && own.lock_mode === "read_only") {
    return refuse("LOCKED", "The memory is locked against change", {
      memory_key: own.memory_key,
      lock_mode: own.lock_mode,
      reason: own.lock_reason
    })
  }
  if (own.pinned && !write.mayReplacePinned) {
    return refuse("PINNED_CONFLICT", "A pinned memory stands under this key", {
      memory_key: own.memory_key,
      content_sha256: own.content_sha256
    })
  }
  return undefined
}

export const isLocked = (row: Pick<MemoryRow, "lock_mode" | "lock_until">, now: number): boolean =>
  row.lock_mode !== "" && (row.lock_until === null || row.lock_until > now)

/** `if_match_sha256` against the live row: it must be there and unchanged. */
export const preconditionFault = (own: MemoryRow | undefined, expected: string | null): Refusal | undefined =>
  expected === null || own?.content_sha256 === expected
    ? undefined
    : refuse(
      "PRECONDITION_FAILED",
      own === undefined ? "No live memory stands under the key" : "The memory changed since it was read",
      own === undefined ? {} : { memory_key: own.memory_key, content_sha256: own.content_sha256 }
    )
