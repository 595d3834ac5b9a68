/**
 * Merges fragments about one subject into canonical rows. Of each group the sources are recorded first and then the row,
 * through the actor, with the versions of its sources as they were read: it is refused when one of them moved, so no row
 * stands on what went meanwhile. The same group again writes nothing and asks no model. Read on: `ConsolidationGroups`,
 * `ConsolidationText`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { faultPoint } from "../kernel/FaultPoint.ts"
import type { Scope } from "../kernel/Identity.ts"
import { identityKey } from "../kernel/Identity.ts"
import { toWire } from "../kernel/LoomError.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { beliefSource, BeliefSources } from "../memory/BeliefSources.ts"
import type { BeliefSource } from "../memory/BeliefSources.ts"
import { ClaimCache } from "../memory/claims/ClaimCache.ts"
import { MemoryClient } from "../memory/MemoryClient.ts"
import type { WriteMeta } from "../memory/MemoryCommand.ts"
import { MemoryIntake } from "../memory/MemoryIntake.ts"
import { isLive } from "../memory/MemoryModel.ts"
import type { MemoryRow } from "../memory/MemoryModel.ts"
import { MemoryStore } from "../memory/MemoryStore.ts"
import { Thresholds } from "../memory/Thresholds.ts"
import { LanguageModel } from "../platform/LanguageModel.ts"
import { generateAs } from "../platform/ModelForm.ts"
import { ConsolidateReply, promptFor } from "./ConsolidatePrompt.ts"
import { groupsOf, isFragment } from "./ConsolidationGroups.ts"
import type { Group } from "./ConsolidationGroups.ts"
import { ConsolidationStore } from "./ConsolidationStore.ts"
import type { FragmentFilter } from "./ConsolidationStore.ts"
import { placeOf, restatedBy, termsOf, textFault } from "./ConsolidationText.ts"
import { ConsolidatedGroup } from "./ConsolidationVerbs.ts"

// Heads of one look with their values and vectors: some tens of megabytes.
const MOST_ROWS = 5_000

// Cosines this far below the threshold of suspicion are still of one topic: the judge compares claims down to there.
const TOPIC_MARGIN = 0.2

// Groups in an answer: an answer stays below a megabyte.
const SHOWN = 200

// Groups a model failed at, so that it is not asked about them at every turn; a restart asks once more.
const LEFT_KEPT = 10_000

// Parsed claims kept for the comparison of one group with the next.
const CLAIMS_KEPT = 1_024

export interface Asked {
  readonly filter: FragmentFilter
  /** Groups that are worked on, beside those that stand already. */
  readonly limit: number
  /** Whether a model is asked again about a group of which it said what no source says. */
  readonly insists: boolean
  /** The stamps of each write; every group takes its own write id. */
  readonly meta: Effect.Effect<WriteMeta, LoomError>
}

export interface Consolidated {
  /** The first of them, up to a few hundred. */
  readonly groups: ReadonlyArray<ConsolidatedGroup>
  readonly unchanged: number
  readonly looked_at: number
  readonly truncated: boolean
}

export class Consolidation extends Context.Tag("loom/consolidation/Consolidation")<Consolidation, {
  /** The configured model; null when only restatements are merged. */
  readonly model: string | null
  /** Looks for groups and writes what each comes to; a group that fails stops no other. */
  readonly run: (scope: Scope, asked: Asked) => Effect.Effect<Consolidated, LoomError>
}>() {}

type Ending = Pick<ConsolidatedGroup, "outcome" | "text_by" | "value" | "memory_id" | "code" | "message">

const nothing: Ending = {
  outcome: "unchanged",
  text_by: null,
  value: null,
  memory_id: null,
  code: null,
  message: null
}

const isTold = Schema.is(ConsolidatedGroup.fields.code)

const make = Effect.gen(function*() {
  const beliefs = yield* BeliefSources
  const candidates = yield* ConsolidationStore
  const client = yield* MemoryClient
  const intake = yield* MemoryIntake
  const language = yield* LanguageModel
  const store = yield* MemoryStore
  const thresholds = yield* Thresholds
  const claims = new ClaimCache(CLAIMS_KEPT)
  /** Groups of which the model said what no source says, and why it was left. */
  const unborne = new Map<string, string>()

  const refused = (error: LoomError, text: Partial<Ending> = {}): Ending => {
    const { code, message } = toWire(error).body.detail
    return { ...nothing, ...text, outcome: "refused", code: isTold(code) ? code : "INTERNAL", message }
  }

  /** The text of a group, and who wrote it. */
  const textOf = (scope: Scope, group: Group, insists: boolean): Effect.Effect<Ending, LoomError> =>
    Effect.gen(function*() {
      const restated = restatedBy(group, claims)
      if (restated !== null) return { ...nothing, value: restated, text_by: "restatement" } as const
      const contents = group.members.map(({ content_sha256, memory_id }) => `${memory_id} ${content_sha256}`).join("\n")
      const left = unborne.get(contents)
      if (!insists && left !== undefined) return notBorne(left)
      const patience = insists ? "caller" : "worker"
      const { value: { text } } = yield* generateAs(ConsolidateReply, { ...promptFor(scope, group), patience }).pipe(
        Effect.provideService(LanguageModel, language)
      )
      const fault = textFault(text, group)
      if (fault === null) return { ...nothing, value: text.trim(), text_by: "model" } as const
      if (unborne.size >= LEFT_KEPT) unborne.clear()
      unborne.set(contents, fault)
      return notBorne(fault)
    })

  const notBorne = (fault: string): Ending => ({
    ...nothing,
    outcome: "refused",
    text_by: "model",
    code: "NOT_BORNE",
    message: `The model's text was left: ${fault}`
  })

  const linksOf = (
    scope: Scope,
    group: Group,
    content_sha256: string,
    meta: WriteMeta,
    at: number
  ): ReadonlyArray<BeliefSource> =>
    group.members.map((row) =>
      beliefSource(
        { ...scope, ...placeOf(group), content_sha256 },
        row,
        { support_type: "derived_from", actor: meta.actor, write_id: meta.write_id, at },
        { rationale: "memory.consolidate" }
      )
    )

  /** The row that stands for a group already, when it was made from just these contents. */
  const standing = (scope: Scope, group: Group, now: number) =>
    Effect.gen(function*() {
      const place = placeOf(group)
      const [head] = yield* store.rows(scope, [place])
      if (head === undefined || !isLive(head, now) || head.source_class !== "derived") return undefined
      const links = (yield* beliefs.of({ ...scope, ...place })).filter((link) =>
        link.support_type === "derived_from" && link.content_sha256 === head.content_sha256
      )
      const made = new Set(links.map((link) => `${link.source_memory_id} ${link.source_content_sha256}`))
      const isSame = made.size === group.members.length &&
        group.members.every((row) => made.has(`${row.memory_id} ${row.content_sha256}`))
      return isSame ? head : undefined
    })

  const write = (scope: Scope, group: Group, meta: WriteMeta, text: Ending, value: string) =>
    Effect.gen(function*() {
      const place = placeOf(group)
      const [first] = group.members
      const content = yield* intake.prepare({
        memory_key: place.memory_key,
        value,
        memory_type: first?.memory_type,
        sensitivity: group.members.some(({ sensitivity }) => sensitivity === "medium") ? "medium" : undefined
      })
      const at = yield* Clock.currentTimeMillis
      if (!meta.dry_run) {
        yield* beliefs.record(linksOf(scope, group, content.content_sha256, meta, at))
        yield* faultPoint("consolidation.after_sources")
      }
      const { results: [result] } = yield* client.bulkSet(scope, {
        _tag: "memory.bulk_set",
        meta,
        items: [{
          ...place,
          run_id: "",
          content,
          statement: termsOf(group),
          source_class: "derived",
          if_match_sha256: null,
          proposed: false,
          advisories: [],
          rests_on: group.members.map(({ memory_id, version }) => ({ memory_id, version: version.toString() }))
        }]
      })
      yield* faultPoint("consolidation.after_memory")
      if (result === undefined || result.answer === null) {
        const { code = "INTERNAL", message = null } = result ?? {}
        return { ...text, outcome: "refused", code: isTold(code) ? code : "INTERNAL", message } as const
      }
      const { answer, outcome } = result
      return {
        ...text,
        // Another memory that says the same answers for it.
        outcome: answer.merged_into_key !== null || outcome === "duplicate" ? "merged" : "written",
        memory_id: answer.memory_id
      } as const
    })

  const one = (scope: Scope, group: Group, asked: Asked) =>
    Effect.gen(function*() {
      const head = yield* standing(scope, group, yield* Clock.currentTimeMillis)
      if (head !== undefined) return { ...nothing, memory_id: head.memory_id, value: head.value }
      const text = yield* textOf(scope, group, asked.insists)
      return text.value === null ? text : yield* write(scope, group, yield* asked.meta, text, text.value)
    }).pipe(
      Effect.catchAll((error) => Effect.succeed(refused(error))),
      Effect.map((ending): ConsolidatedGroup => {
        const { session_id: _, ...place } = placeOf(group)
        return {
          ...place,
          memory_type: group.members[0]?.memory_type ?? "",
          sources: group.members.map(({ agent, content_sha256, memory_id, memory_key, session_id }) => ({
            memory_id,
            memory_key,
            agent,
            session_id,
            content_sha256
          })),
          ...ending
        }
      })
    )

  const run = Effect.fn("Consolidation.run")(function*(scope: Scope, asked: Asked) {
    const now = yield* Clock.currentTimeMillis
    const places = yield* candidates.places(scope, asked.filter, MOST_ROWS + 1)
    const rows = (yield* store.rows(scope, places.slice(0, MOST_ROWS))).filter((row) => isFragment(row, now))
    const vectors = new Map(
      (yield* store.vectorsOf(scope, intake.embedderId, rows)).map((found) => [vectorOf(found), found.vector])
    )
    const { conflict } = yield* thresholds.inForce
    const groups = groupsOf(
      rows.flatMap((row) => {
        const vector = vectors.get(vectorOf(row))
        return vector === undefined ? [] : [{ row, vector }]
      }),
      Math.max(0, conflict - TOPIC_MARGIN)
    )
    const answered: Array<ConsolidatedGroup> = []
    let worked = 0
    let unchanged = 0
    const taken = new Set<string>()
    for (const group of groups) {
      if (worked >= asked.limit) break
      // Two groups whose oldest members have one key, by several agents each: the second would revise the first.
      if (taken.has(identityKey(placeOf(group)))) continue
      taken.add(identityKey(placeOf(group)))
      const found = yield* one(scope, group, asked)
      // What stands already, and what only a model could say, keeps no other group from its turn.
      if (found.outcome === "unchanged") unchanged += 1
      else if (found.code !== "LANGUAGE_MODEL_REQUIRED") worked += 1
      if (answered.length < SHOWN) answered.push(found)
    }
    return {
      groups: answered,
      unchanged,
      looked_at: rows.length,
      truncated: places.length > MOST_ROWS || worked >= asked.limit
    }
  })

  return { model: language.model, run }
})

const vectorOf = (row: Pick<MemoryRow, "agent" | "user_id" | "session_id" | "memory_key" | "content_sha256">): string =>
  `${identityKey(row)}\u0000${row.content_sha256}`

export const layer = Layer.effect(Consolidation, make)
