/**
 * The walk over what memories rest on, in both directions: bounded in depth and size, each memory once, and never through
 * a memory that the caller may not read.
 */
import * as Effect from "effect/Effect"
import { opensNamespace } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { BeliefSource, BeliefSources } from "./BeliefSources.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import type { MemoryReader } from "./MemoryReader.ts"
import type { MemoryReview } from "./MemoryReview.ts"
import type { LineageNode } from "./ProvenanceVerbs.ts"

// As many memories as one answer can usefully show.
const MAX_NODES = 200
// A row with more versions than this is asked no further whether it ever held a content.
const MAX_VERSIONS = 1_000

interface Ports {
  readonly beliefs: BeliefSources["Type"]
  readonly reader: MemoryReader["Type"]
  readonly review: MemoryReview["Type"]
}

export const mayRead = (caller: Caller, namespace: string, user: string): boolean =>
  opensNamespace(caller, namespace) && (caller.boundUser === null || caller.boundUser === user)

const text = (column: string): string | null => column === "" ? null : column

export const sourceView = (source: BeliefSource) => ({
  lineage_id: source.lineage_id,
  support_type: source.support_type,
  namespace: source.source_namespace,
  memory_id: source.source_memory_id,
  memory_key: source.source_memory_key,
  agent: source.source_agent,
  user_id: source.source_user_id,
  source_content_sha256: source.source_content_sha256,
  content_sha256: source.content_sha256,
  rationale: text(source.rationale),
  approver: text(source.approver),
  promoted_from_candidate_id: text(source.promoted_from_candidate_id),
  reversible_until: source.reversible_until === null ? null : new Date(source.reversible_until).toISOString(),
  actor: source.actor,
  at: new Date(source.at).toISOString()
})

const nodeOf = (row: MemoryRow, distance: number): LineageNode => ({
  namespace: row.namespace,
  memory_id: row.memory_id,
  memory_key: row.memory_key,
  agent: row.agent,
  user_id: row.user_id,
  status: row.status,
  content_sha256: row.content_sha256,
  distance
})

export const walk = ({ beliefs, reader, review }: Ports, caller: Caller, start: MemoryRow, depth: number) => {
  const seen = new Map([[start.memory_id, start]])
  const nodes: Array<LineageNode> = [nodeOf(start, 0)]
  const edges = new Map<string, BeliefSource & { readonly supports: string; readonly current: boolean }>()
  let truncated = false

  const add = (row: MemoryRow, distance: number): boolean => {
    if (seen.has(row.memory_id)) return false
    if (nodes.length >= MAX_NODES) {
      truncated = true
      return false
    }
    seen.set(row.memory_id, row)
    nodes.push(nodeOf(row, distance))
    return true
  }

  const heldBy = (row: MemoryRow, sha256: string): Effect.Effect<boolean, StoreError> =>
    row.content_sha256 === sha256
      ? Effect.succeed(true)
      : Effect.map(
        review.versions(row, row, MAX_VERSIONS),
        (versions) => versions.some(({ content_sha256 }) => content_sha256 === sha256)
      )

  /** The rows at the other end of a row's edges that the caller may read. */
  const step = (row: MemoryRow, direction: "up" | "down") =>
    Effect.gen(function*() {
      const found = direction === "up"
        ? yield* beliefs.of(row)
        : yield* beliefs.restingOn(row.org, row.namespace, row.memory_id)
      const next: Array<MemoryRow> = []
      for (const edge of found) {
        const namespace = direction === "up" ? edge.source_namespace : edge.namespace
        const user = direction === "up" ? edge.source_user_id : edge.user_id
        if (!mayRead(caller, namespace, user)) continue
        const at = { org: row.org, namespace }
        const bound = { agent: null, user_id: caller.boundUser, session_id: null }
        const [other] = direction === "up"
          ? yield* reader.byId(at, edge.source_memory_id, bound)
          : yield* reader.byKey(at, edge.memory_key, edge)
        if (other === undefined) continue
        const [source, supported] = direction === "up" ? [other, row] : [row, other]
        // A source recorded for a write that was then refused supports nothing.
        if (!(yield* heldBy(supported, edge.content_sha256))) continue
        edges.set(edge.lineage_id, {
          ...edge,
          supports: supported.memory_id,
          current: supported.content_sha256 === edge.content_sha256 &&
            source.content_sha256 === edge.source_content_sha256
        })
        next.push(other)
      }
      return next
    })

  const go = (direction: "up" | "down") =>
    Effect.gen(function*() {
      let front: ReadonlyArray<MemoryRow> = [start]
      for (let distance = 1; distance <= depth + 1 && front.length > 0; distance++) {
        if (distance > depth) {
          truncated = true
          return
        }
        const found: Array<MemoryRow> = []
        for (const row of front) {
          for (const other of yield* step(row, direction)) {
            if (add(other, direction === "up" ? -distance : distance)) found.push(other)
          }
        }
        front = found
      }
    })

  return Effect.gen(function*() {
    yield* go("up")
    yield* go("down")
    return {
      nodes: [...nodes].sort((left, right) => Math.abs(left.distance) - Math.abs(right.distance)),
      edges: [...edges.values()].map((edge) => ({
        ...sourceView(edge),
        supports: edge.supports,
        source: edge.source_memory_id,
        current: edge.current
      })),
      truncated
    }
  })
}
