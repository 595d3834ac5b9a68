/**
 * Plays a history twice and more. First one act at a time, in a house that judges from its state, each reply and all rows
 * held against the model. Then the same acts in other houses, in batches, from state or by store queries, with restarts and
 * failed commits between: every reply and every version must be the same but for ids and versions.
 */
import * as Effect from "effect/Effect"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { lastVersionAt } from "../../src/memory/InstantModel.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { movedBy, questionOf } from "./AsOfQuestions.ts"
import type { Question } from "./AsOfQuestions.ts"
import { asked } from "./AsOfReplay.ts"
import { claimIn, textOf } from "./ModelClaims.ts"
import { prepare } from "./ModelCommands.ts"
import type { Counts, Prepared } from "./ModelCommands.ts"
import type { House, ModelTime } from "./ModelHouse.ts"
import { Register } from "./ModelHouse.ts"
import { heldFaults, historyFaults, linkFaults, textOf as rowText } from "./ModelInvariants.ts"
import { comparable, differences, outcomeOf, sightedIn } from "./ModelReplies.ts"
import { actText, stepText } from "./ModelSteps.ts"
import type { Act, History } from "./ModelSteps.ts"
import type { Move } from "./ReferenceBeliefs.ts"
import { ReferenceModel } from "./ReferenceModel.ts"
import type { Outcome } from "./ReferenceOutcome.ts"
import type { Rows } from "./ReferenceRow.ts"

/** An act as it was done in the first house. */
interface Done {
  readonly act: Act
  readonly idem: string
  readonly at: number
  readonly prepared: Prepared
  readonly reply: string
}

export interface Played {
  readonly done: ReadonlyArray<Done>
  /** Every version in the first house, comparable. */
  readonly versions: ReadonlyArray<string>
  readonly faults: ReadonlyArray<string>
  /** Reads of the past that were asked, and the model's log that answers them. */
  readonly questions: ReadonlyArray<Question>
  readonly log: ReadonlyArray<Move>
}

// First answers are given again for 24 hours (ADR 0006).
const ANSWERS_KEPT = 24 * 3_600_000

const writeIdOf = (at: number) => `wr_${at}`

/** The acts of a history in order, each with its idempotency key; a step that repeats one is that act again. */
const actsOf = ({ steps }: History) => {
  const acts = steps.map((step, at) => {
    if (step.tag === "act") return step
    const before = step.tag === "again" ? steps[at - step.back] : undefined
    return before?.tag === "act" ? before : undefined
  })
  return steps.map((step, at) => ({ step, act: acts[at] }))
}

/** What differs between a row and the model's. */
const rowFaults = (rows: Rows, heads: ReadonlyMap<string, MemoryRow>, name: (id: string) => string | undefined) => {
  const faults: Array<string> = []
  for (const label of new Set([...rows.keys(), ...heads.keys()])) {
    const [row, head] = [rows.get(label), heads.get(label)]
    if (row === undefined || head === undefined) {
      faults.push(`<${label}> is ${row === undefined ? "not in the model" : "not in the store"}`)
      continue
    }
    const by = (id: string) => id === "" ? null : name(id) ?? id
    const model = {
      value: textOf(row.claim),
      status: row.status,
      pinned: row.pinned,
      conflicts: [...row.conflicts].sort(),
      duplicateOf: row.status === "duplicate" ? row.duplicateOf : null,
      supersededBy: row.status === "superseded" ? row.supersededBy : null,
      count: row.count,
      validAt: row.validAt,
      validTo: row.validTo,
      expiresAt: row.expiresAt,
      lock: row.lock,
      lockUntil: row.lockUntil,
      tags: row.tags,
      run: row.run
    }
    const stored = {
      value: textOf(claimIn(head.value)),
      status: head.status,
      pinned: head.pinned,
      conflicts: head.conflict_with.map((id) => name(id) ?? id).sort(),
      duplicateOf: head.status === "duplicate" ? by(head.duplicate_of) : null,
      supersededBy: head.status === "superseded" ? by(head.superseded_by) : null,
      count: head.reinforcement_count,
      validAt: head.valid_at,
      validTo: head.valid_to,
      expiresAt: head.expires_at,
      lock: head.lock_mode,
      lockUntil: head.lock_until,
      tags: head.tags,
      run: head.run_id
    }
    for (const [field, value] of Object.entries(stored)) {
      const wanted = JSON.stringify(Object.entries(model).find(([one]) => one === field)?.[1])
      if (JSON.stringify(value) !== wanted) {
        faults.push(`<${label}> ${field}: the model has ${wanted}, the store ${JSON.stringify(value)}`)
      }
    }
  }
  return faults
}

// What two houses need not have alike: where they are, their ids, versions, chains and keys.
const unlike = {
  namespace: "",
  version: "",
  audit_prev: "",
  audit_hash: "",
  answer: "",
  idem_hash: "",
  payload_hash: "",
  epoch: "",
  seq: ""
}

const versionText = (row: MemoryRow, register: Register): string => {
  return rowText(row, {
    ...unlike,
    memory_id: register.labelOf(row.memory_id),
    conflict_with: row.conflict_with.map((id) => register.labelOf(id) ?? id),
    duplicate_of: register.labelOf(row.duplicate_of) ?? row.duplicate_of,
    superseded_by: register.labelOf(row.superseded_by) ?? row.superseded_by
  }).replaceAll(/mem_[0-9a-f-]{36}/g, (id) => register.labelOf(id) ?? id)
}

/** One act at a time, against the model. Stops at the first act that goes wrong. */
export const playFirst = (history: History, house: House, time: ModelTime): Effect.Effect<Played, LoomError> =>
  Effect.gen(function*() {
    const model = new ReferenceModel(history, time.now)
    const register = new Register()
    const name = (id: string) => register.labelOf(id)
    const done: Array<Done> = []
    const counts: Array<Counts> = []
    const questions: Array<Question> = []
    const given = new Map<string, { readonly payload: string; readonly reply: string; readonly at: number }>()
    const end = (faults: ReadonlyArray<string>) =>
      Effect.map(house.history, (all): Played => ({
        done,
        versions: all.map((row) => versionText(row, register)),
        faults,
        questions,
        log: model.log
      }))
    for (const { act: once, step } of actsOf(history)) {
      if (step.tag === "wait") time.now += step.millis
      if (once === undefined) continue
      const { act, idem } = once
      const before = register.heads()
      const logBefore = model.log
      const prepared = prepare(act, { heads: before, now: time.now, counts })
      const command = prepared.make(register, { writeId: writeIdOf(done.length), idem })
      const [reply] = yield* house.play([command], "none")
      const all = yield* house.history
      const added = register.learn(all)
      const heads = register.heads()
      if (reply === undefined) return yield* end([`${actText(act)}: no reply`])
      const seen = outcomeOf(reply, name)
      const text = comparable(reply, name)

      model.at(time.now)
      const first = idem === "" || act.dry ? undefined : given.get(idem)
      const payload = JSON.stringify(act)
      const faults: Array<string> = []
      let expected: Outcome
      if (first !== undefined && time.now - first.at <= ANSWERS_KEPT) {
        model.skip()
        expected = first.payload === payload ? seen : { tag: "refused", code: "IDEMPOTENCY_CONFLICT" }
        if (first.payload === payload && first.reply !== text) faults.push(`first answered ${first.reply}, now ${text}`)
        if (added.length > 0) faults.push("the repeated act wrote again")
      } else {
        const served = (label: string) => heads.get(label)?.status !== "duplicate"
        expected = model.act(act, sightedIn(seen, served))
        // A change to stored rows that was refused and wrote nothing may be tried again under its key.
        const isTurnedAway = (act.tag === "move" || act.tag === "rollback") && added.length === 0 &&
          expected.tag === "each" && expected.results.some(({ tag }) => tag === "refused")
        if (idem !== "" && !act.dry && expected.tag !== "refused" && !isTurnedAway) {
          given.set(idem, { payload, reply: text, at: time.now })
        }
      }
      faults.push(
        ...differences(expected, seen, (label) => before.has(label) || heads.has(label)),
        ...rowFaults(model.rows, heads, name),
        ...linkFaults([...heads.values()]),
        ...movedBy(act, logBefore, model.log, time.now),
        ...(act.tag === "rollback" ? [] : heldFaults(before, heads, time.now)),
        ...(added.length > 0 && (act.dry || seen.tag === "refused") ? ["wrote though it should not have"] : [])
      )
      done.push({ act, idem, at: time.now, prepared, reply: text })
      counts.push(register.counts())
      for (const ask of history.asks.filter(({ after }) => after === done.length)) {
        const question = questionOf(ask, model.log, time.now)
        questions.push(question)
        faults.push(...(yield* asked(house, question, model.log, name)))
      }
      if (faults.length > 0) return yield* end(faults.map((fault) => `act ${done.length}, ${actText(act)}: ${fault}`))
    }
    const all = yield* house.history
    const heads = yield* house.heads
    for (const ask of history.asks.filter(({ after }) => after === 0 || after > done.length)) {
      questions.push(questionOf(ask, model.log, time.now))
    }
    const again = yield* Effect.forEach(questions, (question) => asked(house, question, model.log, name))
    return yield* end([...historyFaults(all, heads), ...again.flat().map((fault) => `at the end: ${fault}`)])
  })

type Manner = Pick<History, "again" | "cuts" | "restarts" | "faults">

/** The same acts in another house, in batches. */
export const playAgain = (
  { done, log, questions, versions }: Played,
  house: House,
  time: ModelTime,
  { again, cuts, faults, restarts }: Manner
): Effect.Effect<ReadonlyArray<string>, LoomError> =>
  Effect.gen(function*() {
    const called = again === "state" ? "in batches from state" : "in batches by store queries"
    const register = new Register()
    const found: Array<string> = []
    let batch: Array<number> = []
    let batches = 0
    let all: ReadonlyArray<MemoryRow> = []
    const keyed = faults.some((fault) => fault === "after")
    const commandOf = (at: number) => {
      const one = done[at]
      // A retry after a lost answer finds the first one under its key alone.
      const idem = one === undefined || one.idem !== "" || one.act.dry || !keyed ? one?.idem ?? "" : `own ${at}`
      return one === undefined ? [] : [one.prepared.make(register, { writeId: writeIdOf(at), idem })]
    }
    const flush = Effect.gen(function*() {
      if (batch.length === 0) return
      const commands = batch.flatMap(commandOf)
      time.now = done[batch[0] ?? 0]?.at ?? time.now
      const wanted = faults[batches % faults.length] ?? "none"
      // What was refused in a lost batch may go through the second time: such a batch holds one act.
      const fault = wanted === "after" && batch.length > 1 ? "none" : wanted
      const replies = yield* house.play(commands, fault).pipe(
        Effect.catchTag("Unavailable", () => house.play(commands, "none"))
      )
      all = yield* house.history
      register.learn(all)
      batch.forEach((at, index) => {
        const reply = replies[index]
        const text = reply === undefined ? "nothing" : comparable(reply, (id) => register.labelOf(id))
        const one = done[at]
        if (one !== undefined && text !== one.reply) {
          found.push(
            `${called}: act ${at + 1} (${index + 1} of a batch of ${batch.length}), ${actText(one.act)}: ` +
              `was answered ${text}, alone ${one.reply}`
          )
        }
      })
      if (restarts[batches % restarts.length] === true) house.restart()
      batches += 1
      batch = []
    })
    for (const [at, one] of done.entries()) {
      const size = cuts[batches % cuts.length] ?? 1
      const last = done[batch[0] ?? at]
      const isKnown = one.prepared.needs.every((label) => register.id(label) !== undefined)
      if (batch.length >= size || last?.at !== one.at || !isKnown || one.prepared.exact) yield* flush
      batch.push(at)
      if (found.length > 0) return found
    }
    yield* flush
    const heads = yield* house.heads
    const texts = all.map((row) => versionText(row, register))
    const differs = texts.findIndex((text, at) => text !== versions[at])
    if (found.length === 0 && (differs >= 0 || texts.length !== versions.length)) {
      found.push(
        `${called}: version ${differs + 1} of ${texts.length}, ${versions.length} alone, is\n${
          texts[differs]
        }\nand alone\n${versions[differs]}`
      )
    }
    if (found.length > 0) return found
    // After a restart versions, by which is judged what was known when, run ahead of the clock for a while (ADR 0006).
    const isAhead = all.some(({ updated_at, version }) => version > lastVersionAt(updated_at))
    const sound = questions.filter(({ axis }) => axis === "valid" || !isAhead)
    const past = yield* Effect.forEach(sound, (question) => asked(house, question, log, (id) => register.labelOf(id)))
    return [...historyFaults(all, heads), ...past.flat()].map((fault) => `${called}: ${fault}`)
  })

/** A history as a reader follows it. */
export const historyText = (history: History): string =>
  [
    `policy ${history.policy}${history.many ? ", several lunches" : ""}; again from ${history.again}; batches ${
      history.cuts.join(",")
    }; ` +
    `restarts ${history.restarts.map(Number).join(",")}; commits ${history.faults.join(",")}`,
    ...history.steps.map((step, at) => `${String(at + 1).padStart(3)}  ${stepText(step)}`)
  ].join("\n")
