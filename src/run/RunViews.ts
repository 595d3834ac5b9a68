/** How a run looks to a reader, and what of it is hashed to tell the same request from another; pure. */
import * as Schema from "effect/Schema"
import { canonical, Json, sha256 } from "../kernel/Json.ts"
import type { Answer, Payload } from "../kernel/Verb.ts"
import type { RunView } from "./RunFields.ts"
import { reflectionKey, statusOf } from "./RunModel.ts"
import type { Run } from "./RunModel.ts"
import type { RunBegin, RunComplete } from "./RunVerbs.ts"

const text = (column: string): string | null => column === "" ? null : column
const iso = (millis: number): string => new Date(millis).toISOString()
const decoded = Schema.decodeOption(Schema.parseJson(Json))

/** A JSON column; null when it is empty. */
const jsonOf = (column: string) => {
  const found = decoded(column)
  return column === "{}" || found._tag === "None" ? null : found.value
}

export const viewOf = (run: Run): RunView => {
  const { end } = run
  return {
    run_id: run.run_id,
    namespace: run.namespace,
    agent: run.agent,
    user_id: run.user_id,
    session_id: run.session_id,
    status: statusOf(run),
    goal: run.goal,
    user_request: text(run.user_request),
    expected_outcome: text(run.expected_outcome),
    environment: text(run.environment),
    model: text(run.model),
    consumer: text(run.consumer),
    role: text(run.role),
    metadata: jsonOf(run.metadata),
    budget_usd: run.budget_usd,
    budget_seconds: run.budget_seconds,
    begun_at: iso(run.begun_at),
    begun_by: run.begun_by,
    outcome: end?.outcome ?? null,
    weight: end?.weight ?? null,
    final_response: end === null ? null : text(end.final_response),
    confidence: end?.confidence ?? null,
    duration_ms: end?.duration_ms ?? null,
    completion_metadata: end === null ? null : jsonOf(end.completion),
    memories_used: end?.memories_used ?? [],
    recalled_keys: end?.recalled_keys ?? [],
    reflection_key: end === null || end.reflection_id === "" ? null : reflectionKey(run.run_id),
    retain: end?.retain ?? null,
    completed_at: end === null ? null : iso(end.completed_at),
    completed_by: end?.completed_by ?? null
  }
}

/** The answer to whoever ended a run, now or before. */
export const completedOf = (run: Run): Answer<typeof RunComplete> => ({
  found: true,
  completed: run.end !== null,
  run_id: run.run_id,
  status: statusOf(run),
  outcome: run.end?.outcome ?? null,
  completed_at: run.end === null ? null : iso(run.end.completed_at),
  memories_used: run.end?.memories_used ?? [],
  unknown: run.end?.unknown_used ?? [],
  reflection_key: run.end === null || run.end.reflection_id === "" ? null : reflectionKey(run.run_id),
  reflection_id: run.end === null ? null : text(run.end.reflection_id),
  degraded: []
})

export const notFound = (run_id: string): Answer<typeof RunComplete> => ({
  found: false,
  completed: false,
  run_id,
  status: null,
  outcome: null,
  completed_at: null,
  memories_used: [],
  unknown: [],
  reflection_key: null,
  reflection_id: null,
  degraded: []
})

const hashOf = (stated: object): string => {
  const plain: Json = JSON.parse(JSON.stringify(stated))
  return sha256(canonical(plain))
}

/** What a beginning stated, whatever key it came under. */
export const begunHash = (
  { idempotency_key: _, namespace: _namespace, org: _org, ...stated }: Payload<typeof RunBegin>
) => hashOf(stated)

/** What an end stated; what is left out is the same as what stands for it. */
export const completedHash = (request: Payload<typeof RunComplete>): string =>
  hashOf({
    status: request.status ?? "completed",
    outcome: request.outcome ?? "unknown",
    weight: request.weight ?? 1,
    final_response: request.final_response ?? "",
    confidence: request.confidence ?? null,
    duration_ms: request.duration_ms ?? null,
    metadata: request.metadata ?? {},
    memories_used: [...new Set(request.memories_used ?? [])].sort(),
    recalled_keys: [...new Set(request.recalled_keys ?? [])].sort(),
    reflection: (request.reflection ?? "").trim(),
    retain: request.retain ?? "full"
  })
