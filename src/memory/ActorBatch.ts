/**
 * One batch of an actor, from requests to replies: answers kept under idempotency keys first, then the view, the plans in
 * order, the stamps (versions, audit links, kept answers), and one commit. Fails as a whole when the commit does.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import type { Scope } from "../kernel/Identity.ts"
import { uuidv7 } from "../kernel/Ids.ts"
import type { LoomError, StoreError } from "../kernel/LoomError.ts"
import { Corrupt, refuse } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import { ActorRules } from "./ActorRules.ts"
import type { NamespaceRules } from "./ActorRules.ts"
import { absorb, viewFor } from "./ActorState.ts"
import type { ActorState, Needs } from "./ActorState.ts"
import { linkHash, linkOf } from "./AuditChain.ts"
import { Committer } from "./Committer.ts"
import type { HeadView } from "./HeadView.ts"
import { vectorOf } from "./HeadView.ts"
import { ANSWER_TTL_MILLIS } from "./IdempotencyKeys.ts"
import type { FirstAnswer } from "./IdempotencyKeys.ts"
import { TransitionAnswer } from "./MemoryCommand.ts"
import type { ActivateCommand, SetItem, Target, WriteCommand, WriteMeta } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { planBulk, planSet } from "./MemoryPlan.ts"
import { named, planDelete, planRestore, planUpdate } from "./MemoryPlanTarget.ts"
import { planTransition } from "./MemoryPlanTransition.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Commit, KeptAnswer, PeerQuery, Probes } from "./MemoryStore.ts"
import { MemoryBulkSet, MemoryDelete, MemoryRestore, MemorySet, MemoryUpdate } from "./MemoryVerbs.ts"
import type { Planned, Planning } from "./MemoryWriting.ts"
import { WritePolicy } from "./WritePolicy.ts"

type Command = WriteCommand | typeof ActivateCommand.Type

/** Reads a kept answer back; one decoder per verb, made once. */
const decodeAnswer = {
  "memory.set": Schema.decodeEither(Schema.parseJson(MemorySet.answer)),
  "memory.bulk_set": Schema.decodeEither(Schema.parseJson(MemoryBulkSet.answer)),
  "memory.update": Schema.decodeEither(Schema.parseJson(MemoryUpdate.answer)),
  "memory.update_by_id": Schema.decodeEither(Schema.parseJson(MemoryUpdate.answer)),
  "memory.delete": Schema.decodeEither(Schema.parseJson(MemoryDelete.answer)),
  "memory.restore": Schema.decodeEither(Schema.parseJson(MemoryRestore.answer)),
  "memory.transition": Schema.decodeEither(Schema.parseJson(TransitionAnswer))
} as const

type WriteReply =
  | Answer<typeof MemorySet | typeof MemoryBulkSet | typeof MemoryUpdate | typeof MemoryDelete | typeof MemoryRestore>
  | TransitionAnswer

export type Reply = Exit.Exit<WriteReply | void, LoomError>

// Kept answers looked up at once: as many as the engine runs side by side.
const LOOKUPS = 8

// Versions are promised in ranges of two seconds, so that the durable counter costs one small row every two seconds of
// writing and a restart skips at most that far ahead of the clock.
const RANGE_NANOS = 2_000_000_000n

export const runBatch = Effect.fn("NamespaceActor.batch")(function*(
  scope: Scope,
  state: ActorState,
  commands: ReadonlyArray<Command>,
  bulkDedup: "identity" | "none"
) {
  const committer = yield* Committer
  const policy = yield* WritePolicy
  state.rules = yield* ActorRules.pipe(Effect.flatMap((rules) => rules.read(scope, bulkDedup)))
  const now = yield* Clock.currentTimeMillis
  const known = yield* Effect.forEach(commands, (command) => knownAnswer(scope, state, command, now), {
    concurrency: LOOKUPS
  })
  const open = commands.filter((command, index): command is WriteCommand =>
    command._tag !== "activate" && known[index] === undefined
  )
  const needs: Needs = {
    probes: probesOf(open, state.rules),
    identities: open.flatMap(itemsOf),
    queries: open.flatMap((command) => queriesOf(command, state.rules)),
    shared: open.length > 1 || open.some((command) => "items" in command && command.items.length > 1),
    reverted: open.flatMap(revertedBy)
  }
  const targets = yield* viewFor(scope, state, needs)
  // Which rows a target stands for, and so whose forms and peers its new value may meet, is known only once they are read.
  const met = meetingsOf(open, targets, state.rules, needs.shared)
  const view = met === null ? targets : yield* viewFor(scope, state, {
    probes: {
      ...needs.probes,
      canonical: [...needs.probes.canonical, ...met.canonical],
      keys: [...needs.probes.keys, ...met.keys]
    },
    identities: needs.identities,
    queries: [...needs.queries, ...met.queries],
    shared: needs.shared,
    reverted: needs.reverted
  })

  const commit = emptyCommit()
  const given = new Map<string, FirstAnswer>()
  state.seq += 1n
  const replies = commands.map((command, index): Reply => {
    const before = known[index]
    if (before !== undefined) return before
    if (command._tag === "activate") return Exit.void
    const { meta } = command
    // A dry run is no retry, and answers for now (as `knownAnswer` has it).
    const earlier = meta.idem_hash === "" || meta.dry_run ? undefined : given.get(meta.idem_hash)
    if (earlier !== undefined) return repeated(command, earlier)
    const version = nextVersion(state, now)
    const planning: Planning = {
      scope,
      view,
      policy,
      ...state.rules,
      moment: { now, version, epoch: 0n, seq: state.seq },
      mintId: () => `mem_${uuidv7(now, randomBytes(10))}`
    }
    return Either.match(plan(planning, command), {
      onLeft: (refusal): Reply => Exit.fail(refusal),
      onRight: (planned): Reply => {
        if (meta.dry_run) return Exit.succeed(planned.answer)
        const answer = JSON.stringify(planned.answer)
        const rows = stamp(state, planned.rows, meta, answer)
        view.putAll({ rows, derived: planned.derived })
        commit.rows.push(...rows)
        commit.derived.push(...planned.derived)
        commit.entities.push(...planned.entities)
        if (meta.idem_hash !== "") {
          given.set(meta.idem_hash, { payload_hash: meta.payload_hash, answer, at: now })
          if (rows.length === 0) commit.answers.push(keptAnswer(scope, meta, answer, now, version))
        }
        return Exit.succeed(planned.answer)
      }
    })
  })

  if (commit.rows.length + commit.answers.length > 0) {
    if (state.version > state.ceiling) {
      state.ceiling = state.version + RANGE_NANOS
      commit.ceilings.push({ scope, ceiling: state.ceiling })
    }
    const outcome = yield* committer.commit(scope, commit)
    const vectors = new Map(commit.derived.map((one) => [one.version, one]))
    yield* absorb(scope, state, commit.rows, (row) => {
      const one = vectors.get(row.version)
      return one === undefined ? null : vectorOf(row, [one])
    }, now)
    given.forEach((answer, hash) => state.keys.remember(hash, answer))
    if (outcome === "torn") yield* repairAfter(scope)
  }
  return replies
})

const repairAfter = (scope: Scope) =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const intake = yield* MemoryIntake
    yield* store.repair(scope, intake.embedderId)
  })

interface OpenCommit extends Commit {
  readonly rows: Array<MemoryRow>
  readonly derived: Array<Commit["derived"][number]>
  readonly entities: Array<Commit["entities"][number]>
  readonly ceilings: Array<Commit["ceilings"][number]>
  readonly answers: Array<KeptAnswer>
}

const emptyCommit = (): OpenCommit => ({ rows: [], derived: [], entities: [], ceilings: [], answers: [] })

const plan = (planning: Planning, command: WriteCommand): Either.Either<Planned<WriteReply>, LoomError> => {
  switch (command._tag) {
    case "memory.set":
      return planSet(planning, command)
    case "memory.bulk_set":
      return Either.right(planBulk(planning, command))
    case "memory.update":
    case "memory.update_by_id":
      return planUpdate(planning, command)
    case "memory.delete":
      return planDelete(planning, command)
    case "memory.restore":
      return planRestore(planning, command)
    case "memory.transition":
      return Either.right(planTransition(planning, command))
  }
}

/** Nanoseconds, above every version handed out before whatever the clock does. */
const nextVersion = (state: ActorState, now: number): bigint => {
  const wall = BigInt(now) * 1_000_000n
  return wall > state.version ? wall : state.version + 1n
}

/** Gives rows their audit links and the first of them the answer; advances the namespace's counters. */
const stamp = (
  state: ActorState,
  rows: ReadonlyArray<MemoryRow>,
  meta: WriteMeta,
  answer: string
): ReadonlyArray<MemoryRow> =>
  rows.map((row, index) => {
    const audit_prev = state.audit
    const audit_hash = linkHash(audit_prev, linkOf(row))
    state.audit = audit_hash
    state.version = row.version
    return index === 0 && meta.idem_hash !== ""
      ? { ...row, audit_prev, audit_hash, idem_hash: meta.idem_hash, payload_hash: meta.payload_hash, answer }
      : { ...row, audit_prev, audit_hash }
  })

const keptAnswer = (scope: Scope, meta: WriteMeta, answer: string, at: number, version: bigint): KeptAnswer => ({
  scope,
  idem_hash: meta.idem_hash,
  payload_hash: meta.payload_hash,
  write_id: meta.write_id,
  answer,
  at,
  version
})

/** The first answer, when the command's idempotency key was used before; undefined when the command is new. */
const knownAnswer = (
  scope: Scope,
  state: ActorState,
  command: Command,
  now: number
): Effect.Effect<Reply | undefined, StoreError, MemoryStore> => {
  if (command._tag === "activate" || command.meta.idem_hash === "" || command.meta.dry_run) {
    return Effect.succeed(undefined)
  }
  const { idem_hash } = command.meta
  const recent = state.keys.recent(idem_hash, now)
  if (recent !== undefined) return Effect.succeed(repeated(command, recent))
  if (!state.keys.mayBeStored(idem_hash)) return Effect.succeed(undefined)
  return Effect.gen(function*() {
    const store = yield* MemoryStore
    const kept = yield* store.keptAnswer(scope, idem_hash, now - ANSWER_TTL_MILLIS)
    return Option.isNone(kept) ? undefined : repeated(command, kept.value)
  })
}

const repeated = (
  command: WriteCommand,
  first: Pick<FirstAnswer, "payload_hash" | "answer">
): Reply => {
  if (first.payload_hash !== command.meta.payload_hash) {
    return Exit.fail(refuse("IDEMPOTENCY_CONFLICT", "The idempotency key was used with another request"))
  }
  const decoded: Either.Either<WriteReply, unknown> = decodeAnswer[command._tag](first.answer)
  return Either.match(decoded, {
    onLeft: (): Reply => Exit.fail(new Corrupt({ operation: "NamespaceActor.keptAnswer" })),
    onRight: (answer): Reply => Exit.succeed(answer)
  })
}

const itemsOf = (command: WriteCommand): ReadonlyArray<SetItem> =>
  command._tag === "memory.set"
    ? [command.item]
    : command._tag === "memory.bulk_set"
    ? command.items.flatMap((item) => "outcome" in item ? [] : [item])
    : []

interface Aimed {
  readonly target: Target
  /** The value that the target is to hold; null when it holds what it held. */
  readonly content: Content | null
  /** The tags it is to have; null when it keeps its own. */
  readonly tags: ReadonlyArray<string> | null
}

/** The stored rows a command is about. */
const targetsOf = (command: WriteCommand): ReadonlyArray<Aimed> => {
  switch (command._tag) {
    case "memory.set":
    case "memory.bulk_set":
      return []
    case "memory.update":
    case "memory.update_by_id":
      return [{ ...command, tags: command.statement.tags ?? null }]
    case "memory.delete":
      return [{ ...command, content: null, tags: null }]
    case "memory.restore":
      return [{ ...command, tags: null }]
    case "memory.transition":
      return command.items.map((item) => ({
        ...item,
        tags: item.transition._tag === "correct" ? item.transition.statement.tags ?? null : null
      }))
  }
}

/** The versions that a rollback brings back. */
const revertedBy = (command: WriteCommand): ReadonlyArray<MemoryRow> =>
  command._tag !== "memory.transition" ?
    [] :
    command.items.flatMap(({ transition }) =>
      transition._tag === "revert" && transition.to !== null ? [transition.to] : []
    )

/** What a batch must look up: keys and ids that targets name, and the canonical form and content of every new value. */
const probesOf = (commands: ReadonlyArray<WriteCommand>, { rulesFor }: NamespaceRules): Probes => {
  const keys = new Set<string>()
  const ids = new Set<string>()
  const canonical: Array<Probes["canonical"][number]> = []
  const content: Array<Probes["content"][number]> = []
  for (const command of commands) {
    for (const item of itemsOf(command)) {
      const { canonical_sha256, content_sha256, memory_type } = item.content
      if (canonical_sha256 !== "") canonical.push({ memory_type, user_id: item.user_id, sha256: canonical_sha256 })
      content.push({ user_id: item.user_id, sha256: content_sha256 })
      const rules = rulesFor({ memory_type, tags: item.statement.tags ?? [] })
      if (rules.conflictPolicy === "newest_wins") keys.add(item.memory_key)
    }
    for (const { target } of targetsOf(command)) {
      if (target.memory_id !== null) ids.add(target.memory_id)
      else if (target.memory_key !== null) keys.add(target.memory_key)
    }
    if (command._tag !== "memory.transition") continue
    for (const { transition } of command.items) if (transition._tag === "retire") ids.add(transition.by)
  }
  return { keys: [...keys], ids: [...ids], canonical, content, linked: [] }
}

/** The search for the peers of one value; none where nothing is judged. */
const queryOf = (
  content: Content,
  user_id: string,
  tags: ReadonlyArray<string>,
  { rulesFor }: NamespaceRules,
  open = false
) => {
  const { canonical_sha256, memory_type, searchable } = content
  const rules = rulesFor({ memory_type, tags })
  return searchable === null || canonical_sha256 === "" || (!open && rules.conflictPolicy === "append_only")
    ? []
    : [{ memory_type, user_id, vector: searchable.value_vector, threshold: rules.thresholds.conflict }]
}

const queriesOf = (command: WriteCommand, rules: NamespaceRules): ReadonlyArray<PeerQuery> =>
  itemsOf(command).flatMap((item) => queryOf(item.content, item.user_id, item.statement.tags ?? [], rules))

/** The forms, peers and rows of the same key that the new values of targets may meet; null when no command has any. */
const meetingsOf = (
  commands: ReadonlyArray<WriteCommand>,
  view: HeadView,
  rules: NamespaceRules,
  shared: boolean
) => {
  const canonical: Array<Probes["canonical"][number]> = []
  const keys: Array<string> = []
  const queries: Array<PeerQuery> = []
  for (const { content, tags, target } of commands.flatMap(targetsOf)) {
    if (content === null) continue
    for (const row of named(view, target)) {
      if (content.canonical_sha256 !== "") {
        canonical.push({ memory_type: content.memory_type, user_id: row.user_id, sha256: content.canonical_sha256 })
      }
      // A row's own tags, and the policy they bring, may be others by the time its turn comes.
      const open = shared && tags === null
      const { conflictPolicy } = rules.rulesFor({ memory_type: content.memory_type, tags: tags ?? row.tags })
      if (open || conflictPolicy === "newest_wins") keys.push(row.memory_key)
      queries.push(...queryOf(content, row.user_id, tags ?? row.tags, rules, open))
    }
  }
  return canonical.length + keys.length + queries.length === 0 ? null : { canonical, keys, queries }
}
