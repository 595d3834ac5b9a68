/**
 * The handler of namespace.rollback: walks the heads, compares each with how it stood, and sends those that differ to the
 * actor, in commands small enough for one commit. Each becomes a new version, so a rollback is undone by another one. A
 * head that another write changed in between is looked at again. Its idempotency key stands for all of it: a retry must not
 * take out of service what was written since.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { identityKey } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import { parseTime } from "../kernel/Time.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { once } from "./FirstAnswer.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { TransitionItem, WriteMeta } from "./MemoryCommand.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import { isLive, isRedacted } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { idTarget, metaOf } from "./MemoryRequest.ts"
import { MemoryReview } from "./MemoryReview.ts"
import { emptyCommit, MemoryStore } from "./MemoryStore.ts"
import { typeFacts } from "./MemoryType.ts"
import { NamespaceRollback } from "./NamespaceReviewVerbs.ts"
import { isLinked, stepOf } from "./Rollback.ts"
import type { Left, Step } from "./Rollback.ts"

// What one command may hold, and one commit carries well.
const PAGE = 500
// UTF-16 units of values in one command: half of what an actor takes into a batch.
const MAX_SIZE = 8 * 1024 * 1024
// Each round loses only to a write that succeeded.
const STALE_ROUNDS = 5
const DEFAULT_SAMPLES = 10
// Above every version there is.
const TOP = 2n ** 64n - 1n

export const make: Effect.Effect<
  ReadonlyArray<BoundVerb>,
  never,
  MemoryClient | MemoryIntake | MemoryReview | MemoryStore
> = Effect.gen(function*() {
  const client = yield* MemoryClient
  const intake = yield* MemoryIntake
  const review = yield* MemoryReview
  const store = yield* MemoryStore

  const stepsFor = (scope: Scope, heads: ReadonlyArray<MemoryRow>, point: bigint, now: number, left: Left) =>
    Effect.map(review.standing(scope, heads, point), (rows) => {
      const before = new Map(rows.map((row) => [identityKey(row), row]))
      return heads.filter(({ status }) => status !== "void").map((head) =>
        stepOf(head, before.get(identityKey(head)), now, left)
      )
    })

  /**
   * A value that comes back must be found again: what its vector was taken away from, or made by another embedder, is
   * derived before the actor hears of it, so that the actor finds the vector when it looks.
   */
  const derive = (scope: Scope, steps: ReadonlyArray<Step>, now: number) =>
    Effect.gen(function*() {
      const rows = steps.flatMap(({ to }) =>
        to !== null && isLive(to, now) && !isRedacted(to) && to.sensitivity !== "high" &&
          typeFacts(to.memory_type).embedded
          ? [to]
          : []
      )
      const lacking = yield* review.vectorless(scope, intake.embedderId, rows)
      if (lacking.length === 0) return
      const derived = yield* intake.derive(lacking)
      yield* store.commit({ ...emptyCommit, derived })
    })

  /** Sends what has to change; answers the heads that another write changed in between, and those that were refused. */
  const send = (scope: Scope, meta: WriteMeta, steps: ReadonlyArray<Step>) =>
    Effect.forEach(commands(steps), (items) =>
      Effect.map(
        client.transition(scope, { _tag: "memory.transition", meta, items }),
        ({ results }) =>
          results.flatMap(({ code, index, outcome }) => {
            const id = items[index]?.target.memory_id
            if (outcome === "changed" || outcome === "unchanged" || typeof id !== "string") return []
            return [{ id, blacklisted: code === "BLACKLISTED" }]
          })
      )).pipe(Effect.map((left) => left.flat()))

  /** What is left undone of a page: how many heads others kept changing, and the ids of those whose value is refused. */
  const carryOut = (
    scope: Scope,
    meta: WriteMeta,
    page: ReadonlyArray<Step>,
    point: bigint,
    left: Left
  ) =>
    Effect.gen(function*() {
      const refused = new Set<string>()
      let open = page.filter(({ outcome }) => outcome === "changed")
      for (let round = 0; open.length > 0 && round <= STALE_ROUNDS; round++) {
        const now = yield* Clock.currentTimeMillis
        if (!meta.dry_run) yield* derive(scope, open, now)
        const undone = yield* send(scope, meta, open)
        for (const { blacklisted, id } of undone) if (blacklisted) refused.add(id)
        const ids = undone.flatMap(({ blacklisted, id }) => blacklisted ? [] : [id])
        const heads = ids.length === 0 ? [] : yield* review.named(scope, meta.bound_user, { ids, keys: [] })
        open = (yield* stepsFor(scope, heads, point, now, left)).filter(({ outcome }) => outcome === "changed")
      }
      return { contended: open.length, refused }
    })

  const rollback = (request: Payload<typeof NamespaceRollback>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const asked = { ...request, dry_run: request.dry_run ?? true }
      const meta = yield* metaOf(NamespaceRollback.tag, asked, caller, "asserted")
      return yield* once(client, { scope, meta, verb: NamespaceRollback }, goBack(asked, caller, scope, meta))
    })

  const goBack = (request: Payload<typeof NamespaceRollback>, caller: Caller, scope: Scope, whole: WriteMeta) =>
    Effect.gen(function*() {
      const { dry_run } = whole
      const now = yield* Clock.currentTimeMillis
      const asked = yield* pointOf(request.to)
      const point = yield* review.point(scope, asked.point)
      const undo = yield* review.point(scope, { version: TOP })
      // One request is many commands, so each goes without the caller's key, which keeps the answer of all of them.
      const meta = { ...whole, idem_hash: "", payload_hash: "" }
      const count = {
        rows: 0,
        unchanged: 0,
        changed: 0,
        revalued: 0,
        back: 0,
        out: 0,
        absent: 0,
        redacted: 0,
        blacklisted: 0,
        high: 0
      }
      const samples: Array<ReturnType<typeof sampleOf>> = []
      let contended = 0
      const linked: Array<string> = []
      const left = new Map<string, MemoryRow>()
      let after: MemoryRow | null = null
      do {
        const heads: ReadonlyArray<MemoryRow> = yield* review.heads(scope, caller.boundUser, { after, limit: PAGE })
        const steps = yield* stepsFor(scope, heads, point, now, left)
        const done = yield* carryOut(scope, meta, steps, point, left)
        contended += done.contended
        for (const step of steps) {
          count.rows += 1
          if (isLinked(step.to)) linked.push(step.head.memory_id)
          if (step.outcome === "redacted" || done.refused.has(step.head.memory_id)) {
            left.set(step.head.memory_id, step.head)
          }
          const outcome = done.refused.has(step.head.memory_id) ? "blacklisted" : step.outcome
          count[outcome] += 1
          if (outcome !== "changed") continue
          if (step.keptHigh) count.high += 1
          if (step.revalued) count.revalued += 1
          if (step.back) count.back += 1
          if (step.out) count.out += 1
          if (step.to === null) count.absent += 1
          if (samples.length < (request.sample_limit ?? DEFAULT_SAMPLES)) samples.push(sampleOf(step))
        }
        yield* Effect.logDebug("A rollback goes on").pipe(Effect.annotateLogs({ ...scope, ...count, contended }))
        after = heads.length < PAGE ? null : heads[heads.length - 1] ?? null
      } while (after !== null)
      // Only now is it known which rows stay behind: who named one of them then must not name it now.
      for (const ids of left.size === 0 || dry_run ? [] : Arr.chunksOf(linked, PAGE)) {
        const heads = yield* review.named(scope, caller.boundUser, { ids, keys: [] })
        const steps = yield* stepsFor(scope, heads, point, now, left)
        contended += (yield* carryOut(scope, meta, steps, point, left)).contended
      }
      const { absent, back, high, out, ...counts } = count
      return {
        namespace: scope.namespace,
        dry_run,
        to_version: point.toString(),
        undo_to: undo.toString(),
        ...counts,
        back_in_service: back,
        out_of_service: out,
        not_there_yet: absent,
        kept_high: high,
        contended,
        samples,
        advisories: asked.advisories,
        degraded: []
      }
    })

  return [bind(NamespaceRollback, rollback)]
})

const pointOf = (to: string) =>
  Effect.gen(function*() {
    if (/^\d+$/.test(to)) {
      const version = BigInt(to)
      return version <= TOP
        ? { point: { version }, advisories: [] }
        : yield* refuse("INVALID_ARGUMENT", "`to` is no version", { field: "to" })
    }
    const parsed = parseTime(to)
    if (typeof parsed === "string") return yield* refuse("INVALID_ARGUMENT", `\`to\` ${parsed}`, { field: "to" })
    return {
      point: { at: parsed.millis },
      advisories: parsed.naive ? ["to named no offset and was read as UTC"] : []
    }
  })

const itemOf = ({ head, to }: Step): TransitionItem => ({
  target: idTarget(head),
  expected_version: head.version.toString(),
  content: null,
  transition: { _tag: "revert", to }
})

/** Cuts the steps into commands that an actor takes well. */
const commands = (steps: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<TransitionItem>> => {
  const all: Array<Array<TransitionItem>> = []
  let size = 0
  for (const step of steps) {
    const weight = step.to?.value.length ?? 0
    const last = all[all.length - 1]
    if (last !== undefined && last.length < PAGE && size + weight <= MAX_SIZE) {
      last.push(itemOf(step))
      size += weight
    } else {
      all.push([itemOf(step)])
      size = weight
    }
  }
  return all
}

const sampleOf = ({ head, to }: Step) => ({
  memory_key: head.memory_key,
  memory_id: head.memory_id,
  agent: head.agent,
  user_id: head.user_id,
  status: head.status,
  to_status: to?.status ?? null,
  version_text: head.version.toString(),
  to_version_text: to?.version.toString() ?? null
})
