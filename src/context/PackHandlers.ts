/**
 * The handler of `context.pack`: whose memories are read, which sections a request asks for, and the answer around the
 * block. A caller bound to one user who asks for another gets the answer of a house without memories.
 */
import * as Effect from "effect/Effect"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { ANONYMOUS } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { Answer, BoundVerb, Payload } from "../kernel/Verb.ts"
import { isVerified } from "../memory/MemoryModel.ts"
import { Tokens } from "../platform/Tokens.ts"
import type { Search } from "../retrieval/Search.ts"
import * as Pack from "./Pack.ts"
import type { PackFound } from "./Pack.ts"
import { SECTIONS, sectionsOf, UNAVAILABLE } from "./PackModel.ts"
import type { SectionName } from "./PackModel.ts"
import { plan } from "./PackPlan.ts"
import { sectionsFor } from "./PackSections.ts"
import type { PackItem } from "./PackSections.ts"
import type { PackStore, WriterFilter } from "./PackStore.ts"
import { ContextPack } from "./PackVerbs.ts"
import type { WorkingMemory } from "./WorkingMemory.ts"

type Request = Payload<typeof ContextPack>

// A page or two: what a prompt can always spare, and room for some thirty memories.
const DEFAULT_BUDGET = 2_000
// With the default budget most of them fit.
const DEFAULT_TOP_K = 20
const MOST_KEYS_OF_SECTION = 20
const MOST_KEYS = 100

/** What a house without memories gives. */
const nothing = (isAsked: boolean): PackFound => ({
  material: {
    working: [],
    session: [],
    profile: [],
    decisions: [],
    memories: isAsked ? [] : null,
    procedures: [],
    reflections: [],
    unread: {}
  },
  verdict: isAsked ? { confidence: 0, abstain: { code: "NO_MATCH", reason: "" } } : null,
  degraded: []
})

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Search | PackStore | WorkingMemory | Tokens> = Effect
  .gen(function*() {
    const find = yield* Pack.make
    const tokens = yield* Tokens

    const handler = (request: Request, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const order = yield* sectionsAsked(request)
        const { none, user } = readableUser(caller, request.user_id)
        const writer = yield* writerOf(request, user, caller)
        const topK = request.top_k ?? DEFAULT_TOP_K
        const asker = user ?? ANONYMOUS
        const question = {
          scope,
          sections: order,
          writer,
          worker: { agent: request.agent ?? null, user_id: asker, session_id: request.session_id ?? null },
          query: request.query ?? null,
          situation: request.situation ?? null,
          topK,
          withPassages: request.include_chunks ?? true
        }
        const found = none ? nothing(Pack.isSearched(question)) : yield* find(question)
        const wanted = sectionsFor(found.material, { order, topK, asker })
        const budget = request.token_budget ?? DEFAULT_BUDGET
        const planned = plan(
          wanted,
          { total: budget, bySection: request.section_token_budgets ?? {} },
          yield* tokens.counter
        )
        const left = planned.sections.flatMap(({ left }) => left)
        const shown = planned.sections.flatMap(({ section, shown }) =>
          planned.block === "" ? [] : shown.flatMap((item) => viewOf(scope, section, item))
        )
        const answer: Answer<typeof ContextPack> = {
          block: planned.block,
          tokens_returned: planned.tokens,
          token_budget: budget,
          mode: request.mode ?? "task",
          sections: planned.sections.map(({ left, leftCount, section, shown, tokens }, at) => ({
            section,
            state: UNAVAILABLE.includes(section)
              ? "unavailable"
              : shown.length > 0
              ? "told"
              : leftCount > 0
              ? "left_out"
              : "empty",
            tokens,
            shown: shown.length,
            left_out_count: leftCount,
            omitted_keys: left.slice(0, MOST_KEYS_OF_SECTION).map(({ key }) => key),
            below_threshold_count: wanted[at]?.below ?? 0,
            unverified_count: wanted[at]?.unverified.length ?? 0
          })),
          memories: shown,
          bodies_returned: planned.sections.reduce((sum, { shown }) => sum + shown.length, 0),
          bodies_elided: planned.sections.reduce((sum, { leftCount }) => sum + leftCount, 0),
          omitted_keys: left.slice(0, MOST_KEYS).map(({ key }) => key),
          ...abstention(found),
          degraded: found.degraded,
          advisories: advisoriesOf(request, order)
        }
        return answer
      })

    return [bind(ContextPack, handler)]
  })

const wrong = (field: string, message: string): Effect.Effect<never, Refusal> =>
  Effect.fail(refuse("INVALID_ARGUMENT", message, { field }))

/** The sections of the block in their order. */
const sectionsAsked = (request: Request): Effect.Effect<ReadonlyArray<SectionName>, Refusal> => {
  const { block_order = [], only_sections = [], section_token_budgets = {} } = request
  if (request.include_decisions === false && only_sections.includes("decisions")) {
    return wrong("include_decisions", "`include_decisions` is false and `only_sections` names decisions")
  }
  const isNamed = (section: SectionName): boolean =>
    block_order.includes(section) || (section_token_budgets[section] ?? 0) > 0
  const included: Partial<Record<SectionName, boolean | undefined>> = {
    session: request.session_block,
    decisions: request.include_decisions,
    knowledge: request.include_knowledge,
    conversations: request.include_conversations,
    runs: request.include_runs
  }
  const chosen = SECTIONS.filter((section) =>
    section_token_budgets[section] !== 0 && (
      only_sections.length > 0
        ? only_sections.includes(section)
        : included[section] ?? (sectionsOf[request.mode ?? "task"].includes(section) || isNamed(section))
    )
  )
  if (chosen.includes("session") && (request.session_id ?? "") === "") {
    return wrong("session_id", "`session_id` is needed: the block is to hold what happened in the session")
  }
  return Effect.succeed([
    ...block_order.filter((section) => chosen.includes(section)),
    ...chosen.filter((section) => !block_order.includes(section))
  ])
}

/** Whose memories are read: see `read_scope` in the verb. A token's own user always narrows. */
const writerOf = (request: Request, user: string | null, caller: Caller): Effect.Effect<WriterFilter, Refusal> => {
  const { agent = null, read_scope, run_id = null, session_block, session_id = null } = request
  const open = { agent: null, user_id: user, session_id: null, run_id: null }
  switch (read_scope) {
    case undefined:
      // The session of a session block says whose events are told, not whose memories.
      return Effect.succeed({ ...open, agent, session_id: session_block === true ? null : session_id, run_id })
    case "namespace":
      return Effect.succeed({ ...open, user_id: caller.boundUser })
    case "user":
      return user === null ? wrong("user_id", "`user_id` is needed: `read_scope` is user") : Effect.succeed(open)
    case "agent":
      return agent === null
        ? wrong("agent", "`agent` is needed: `read_scope` is agent")
        : Effect.succeed({ ...open, agent })
    case "session":
      return session_id === null
        ? wrong("session_id", "`session_id` is needed: `read_scope` is session")
        : Effect.succeed({ ...open, agent, session_id })
  }
}

const viewOf = (
  { namespace }: Scope,
  section: SectionName,
  { isPart, memory, relevance }: PackItem
): Answer<typeof ContextPack>["memories"] =>
  memory === null ? [] : [{
    section,
    memory_key: memory.memory_key,
    memory_id: memory.memory_id,
    namespace,
    agent: memory.agent,
    user_id: memory.user_id,
    session_id: memory.session_id,
    memory_type: memory.memory_type,
    relevance,
    source_class: memory.source_class,
    source_resource_id: memory.source_resource_id,
    verified: isVerified(memory),
    status: memory.status,
    content_sha256: memory.content_sha256,
    body_truncated: isPart
  }]

const reasons = {
  NO_MATCH: "No memory that may be found matches what is asked.",
  BELOW_THRESHOLD: "Nothing that was found is relevant enough to what is asked."
}

const abstention = ({ verdict }: PackFound) => ({
  abstain: verdict === null ? null : verdict.abstain !== null,
  abstain_code: verdict?.abstain?.code ?? null,
  abstain_reason: verdict === null || verdict.abstain === null ? null : reasons[verdict.abstain.code],
  retrieval_confidence: verdict?.confidence ?? null
})

/** What of a request is taken and has no effect. */
const advisoriesOf = (request: Request, order: ReadonlyArray<SectionName>): ReadonlyArray<string> => [
  ...order.filter((section) => UNAVAILABLE.includes(section)).map((section) => `${section}: this server has none yet`),
  ...(request.procedure_explore_rate === undefined
    ? []
    : ["procedure_explore_rate: no effect yet, procedures are told by relevance alone"]),
  ...(request.runs_limit === undefined || order.includes("runs") ? [] : ["runs_limit: no effect without include_runs"])
]
