/**
 * One batch of an actor, from requests to replies and what must be in the store before they are given: answers kept under
 * idempotency keys first, then the view, the plans in order, the stamps (versions, audit links, kept answers). The state is
 * then as it will be when the batch is in; whoever commits it (`ActorPipeline`) throws the state away when that fails.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { identityKey, identityOf } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { uuidv7 } from "../kernel/Ids.ts"
import type { LoomError, StoreError } from "../kernel/LoomError.ts"
import { Corrupt, refuse } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import { ActorRules } from "./ActorRules.ts"
import { absorb, viewFor } from "./ActorState.ts"
import type { ActorState, Needs } from "./ActorState.ts"
import { linkHash, linkOf } from "./AuditChain.ts"
import { itemsOf, meetingsOf, movedBy, probesOf, queriesOf, revertedBy, suspectsOf } from "./BatchNeeds.ts"
import { BeliefSources } from "./BeliefSources.ts"
import { isEmpty, mergeCommits, withoutDerived } from "./CommitMerge.ts"
import { vectorKey } from "./HeadView.ts"
import type { FirstAnswer } from "./IdempotencyKeys.ts"
import { firstAnswer } from "./KeptAnswers.ts"
import { TransitionAnswer } from "./MemoryCommand.ts"
import type {
  ActivateCommand,
  AnswerCommand,
  AuditReadCommand,
  FirstAnswerText,
  WriteCommand,
  WriteMeta
} from "./MemoryCommand.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { planBulk, planSet } from "./MemoryPlan.ts"
import { planRestore } from "./MemoryPlanRestore.ts"
import { planDelete, planUpdate } from "./MemoryPlanTarget.ts"
import { planTransition } from "./MemoryPlanTransition.ts"
import { emptyCommit } from "./MemoryStore.ts"
import type { AuditEntry, Commit, KeptAnswer, MemoryStore } from "./MemoryStore.ts"
import { noSupports, supportsIn } from "./MemorySupports.ts"
import { MemoryBulkSet, MemoryDelete, MemoryRestore, MemorySet, MemoryUpdate } from "./MemoryVerbs.ts"
import type { Planned, Planning } from "./MemoryWriting.ts"
import { WritePolicy } from "./WritePolicy.ts"

type Command = WriteCommand | AnswerCommand | AuditReadCommand | typeof ActivateCommand.Type

/** Reads a kept answer back; one decoder per verb, made once. */
const decodeAnswer = {
  "memory.set": Schema.decodeEither(Schema.parseJson(MemorySet.answer)),
  "memory.bulk_set": Schema.decodeEither(Schema.parseJson(MemoryBulkSet.answer)),
  "memory.update": Schema.decodeEither(Schema.parseJson(MemoryUpdate.answer)),
  "memory.update_by_id": Schema.decodeEither(Schema.parseJson(MemoryUpdate.answer)),
  "memory.delete": Schema.decodeEither(Schema.parseJson(MemoryDelete.answer)),
  "memory.restore": Schema.decodeEither(Schema.parseJson(MemoryRestore.answer)),
  "memory.transition": Schema.decodeEither(Schema.parseJson(TransitionAnswer)),
  // Whoever had it kept knows what it says.
  "memory.answer": (first: string): Either.Either<FirstAnswerText> => Either.right({ first })
} as const

type WriteReply =
  | Answer<typeof MemorySet | typeof MemoryBulkSet | typeof MemoryUpdate | typeof MemoryDelete | typeof MemoryRestore>
  | TransitionAnswer

export type Reply = Exit.Exit<WriteReply | FirstAnswerText | void, LoomError>

// Kept answers looked up at once: as many as the engine runs side by side.
const LOOKUPS = 8

// Versions are promised in ranges of two seconds, so that the durable counter costs one small row every two seconds of
// writing and a restart skips at most that far ahead of the clock.
const RANGE_NANOS = 2_000_000_000n

/** A batch that is judged and not yet in the store. */
export interface JudgedBatch {
  readonly replies: ReadonlyArray<Reply>
  readonly commit: Commit
  /** Rises from batch to batch of one state. */
  readonly seq: bigint
}

export const judgeBatch = Effect.fn("NamespaceActor.batch")(function*(
  scope: Scope,
  state: ActorState,
  commands: ReadonlyArray<Command>,
  bulkDedup: "identity" | "none"
) {
  const policy = yield* WritePolicy
  state.rules = yield* ActorRules.pipe(Effect.flatMap((rules) => rules.read(scope, bulkDedup)))
  const now = yield* Clock.currentTimeMillis
  const known = yield* Effect.forEach(commands, (command) => knownAnswer(scope, state, command, now), {
    concurrency: LOOKUPS
  })
  const open = commands.filter((command, index): command is WriteCommand =>
    isWrite(command) && known[index] === undefined
  )
  const needs: Needs = {
    probes: probesOf(open, state.rules),
    identities: open.flatMap(itemsOf),
    queries: open.flatMap((command) => queriesOf(command, state.rules)),
    suspects: open.flatMap(suspectsOf),
    shared: open.length > 1 || open.some((command) => "items" in command && command.items.length > 1),
    reverted: open.flatMap(revertedBy)
  }
  const targets = yield* viewFor(scope, state, needs)
  // Which rows a target stands for, and so whose forms and peers its new value may meet, is known only once they are read.
  const met = meetingsOf(open, targets, state.rules, needs.shared)
  const supports = yield* supportsFor(scope, movedBy(open, targets))
  const view = met === null && supports.all.length === 0 ? targets : yield* viewFor(scope, state, {
    ...needs,
    probes: {
      ...needs.probes,
      ids: [...needs.probes.ids, ...supports.all.flatMap(({ sources }) => sources.map(({ memory_id }) => memory_id))],
      canonical: [...needs.probes.canonical, ...met?.canonical ?? []],
      keys: [...needs.probes.keys, ...met?.keys ?? []]
    },
    identities: [...needs.identities, ...supports.all.map(({ identity }) => identity)],
    queries: [...needs.queries, ...met?.queries ?? []]
  })

  const parts: Array<Commit> = []
  const given = new Map<string, FirstAnswer>()
  state.seq += 1n
  // Audited reads stand before the writes of their batch, in the chain as in the commit.
  const audits = commands.flatMap((command) =>
    command._tag === "memory.audit_read" ? [linkRead(state, scope, command, now)] : []
  )
  const replies = commands.map((command, index): Reply => {
    const before = known[index]
    if (before !== undefined) return before
    if (!isKeyed(command)) return Exit.void
    const { meta } = command
    // A dry run is no retry, and answers for now (as `knownAnswer` has it).
    const earlier = meta.idem_hash === "" || meta.dry_run ? undefined : given.get(meta.idem_hash)
    if (earlier !== undefined) return repeated(command, earlier)
    const version = nextVersion(state, now)
    if (command._tag === "memory.answer") {
      const { answer } = command
      if (answer === null || meta.idem_hash === "" || meta.dry_run) {
        return Exit.succeed({ first: answer })
      }
      given.set(meta.idem_hash, { payload_hash: meta.payload_hash, answer, at: now })
      parts.push({ ...emptyCommit, answers: [keptAnswer(scope, meta, answer, now, version)] })
      return Exit.succeed({ first: answer })
    }
    const planning: Planning = {
      scope,
      view,
      policy,
      supports,
      ...state.rules,
      moment: { now, version, epoch: state.epoch, seq: state.seq },
      mintId: () => `mem_${uuidv7(now, randomBytes(10))}`
    }
    return Either.match(plan(planning, command), {
      onLeft: (refusal): Reply => Exit.fail(refusal),
      onRight: (planned): Reply => {
        if (meta.dry_run) return Exit.succeed(planned.answer)
        const answer = JSON.stringify(planned.answer)
        const rows = stamp(state, planned.rows, meta, answer)
        view.putAll({ rows, derived: planned.derived })
        const isKept = meta.idem_hash !== "" && (rows.length > 0 || !isTurnedAway(command, planned.answer))
        if (isKept) given.set(meta.idem_hash, { payload_hash: meta.payload_hash, answer, at: now })
        // The words and vectors of what is searched no more must not stay behind.
        const hidden = rows.filter((row) => view.hides(row)).map(identityOf)
        parts.push(withoutDerived({
          ...emptyCommit,
          rows,
          derived: planned.derived,
          entities: planned.entities,
          answers: isKept && rows.length === 0 ? [keptAnswer(scope, meta, answer, now, version)] : [],
          hidden
        }, new Set(hidden.map(identityKey))))
        return Exit.succeed(planned.answer)
      }
    })
  })

  const written = mergeCommits([{ ...emptyCommit, audits }, ...parts])
  const commit = isEmpty(written) ? written : { ...written, ceilings: promised(scope, state) }
  if (!isEmpty(commit)) {
    const vectors = new Map(commit.derived.map((one) => {
      const { content_sha256, identity, searchable } = one
      return [vectorKey(identityKey(identity), content_sha256), searchable.value_vector]
    }))
    yield* absorb(
      scope,
      state,
      commit.rows,
      (row) => vectors.get(vectorKey(identityKey(row), row.content_sha256)) ?? null,
      now
    )
    given.forEach((answer, hash) => state.keys.remember(hash, answer))
    state.unsettled.add(commit.rows)
  }
  const judged: JudgedBatch = { replies, commit, seq: state.seq }
  return judged
})

/** What rests on these rows, and they on: most batches move none, and ask nothing. */
const supportsFor = (scope: Scope, moved: ReadonlyArray<MemoryRow>) =>
  moved.length === 0
    ? Effect.succeed(noSupports)
    : Effect.map(Effect.flatMap(BeliefSources, (beliefs) => beliefs.derivations(scope, moved)), supportsIn)

/** Promises the next range of versions when the last one is used up. */
const promised = (scope: Scope, state: ActorState): Commit["ceilings"] => {
  if (state.version <= state.ceiling) return []
  state.ceiling = state.version + RANGE_NANOS
  return [{ scope, ceiling: state.ceiling }]
}

/** Whether a command is answered under an idempotency key. */
const isKeyed = (command: Command): command is WriteCommand | AnswerCommand =>
  command._tag !== "activate" && command._tag !== "memory.audit_read"

const isWrite = (command: Command): command is WriteCommand => isKeyed(command) && command._tag !== "memory.answer"

/** The link that a read of a high-sensitivity value makes. */
const linkRead = (
  state: ActorState,
  scope: Scope,
  { content_sha256, memory_id, meta }: AuditReadCommand,
  now: number
): AuditEntry => {
  const position = nextVersion(state, now)
  const { actor, write_id } = meta
  const link = { ...scope, position, at: now, actor, action: "read", memory_id, content_sha256, write_id }
  const prev_hash = state.audit
  state.version = position
  state.audit = linkHash(prev_hash, link)
  return { ...link, prev_hash, hash: state.audit, epoch: state.epoch, seq: state.seq }
}

/**
 * Whether a change to stored rows was refused and nothing was written: like a refused update it may be tried again under
 * its key.
 */
const isTurnedAway = ({ _tag }: WriteCommand, answer: WriteReply): boolean =>
  _tag === "memory.transition" && "results" in answer && answer.results.some(({ outcome }) => outcome === "refused")

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
): Effect.Effect<Reply | undefined, StoreError, MemoryStore> =>
  !isKeyed(command) || command.meta.idem_hash === "" || command.meta.dry_run
    ? Effect.succeed(undefined)
    : Effect.map(
      firstAnswer(scope, state.keys, command.meta.idem_hash, now),
      (first) => first === undefined ? undefined : repeated(command, first)
    )

const repeated = (
  command: WriteCommand | AnswerCommand,
  first: Pick<FirstAnswer, "payload_hash" | "answer">
): Reply => {
  if (first.payload_hash !== command.meta.payload_hash) {
    return Exit.fail(refuse("IDEMPOTENCY_CONFLICT", "The idempotency key was used with another request"))
  }
  const decoded: Either.Either<WriteReply | FirstAnswerText, unknown> = decodeAnswer[command._tag](first.answer)
  return Either.match(decoded, {
    onLeft: (): Reply => Exit.fail(new Corrupt({ operation: "NamespaceActor.keptAnswer" })),
    onRight: (answer): Reply => Exit.succeed(answer)
  })
}
