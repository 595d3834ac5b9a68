/**
 * The handlers of the verbs for operators. A caller sees the namespaces that its token opens; a token bound to one user sees
 * none, since what a worker did in a namespace tells of every user's memories.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { bind } from "../kernel/Verb.ts"
import { Embedder } from "../platform/Embedder.ts"
import { ChangeFeed } from "../work/ChangeFeed.ts"
import { isPaused, NO_FEED } from "../work/WorkerModel.ts"
import type { DeadLetter, Pause, Reach } from "../work/WorkerModel.ts"
import { WorkerStore } from "../work/WorkerStore.ts"
import { ClusterLook } from "./ClusterLook.ts"
import { OpsCluster } from "./ClusterVerbs.ts"
import { OpsGround } from "./OpsGroundModel.ts"
import type { WorkerFacts } from "./OpsGroundModel.ts"
import { OpsDeadLetters, OpsHealth, OpsWorkerPause, OpsWorkerResume, OpsWorkers } from "./OpsVerbs.ts"
import { watch } from "./WorkerWatch.ts"

const DEFAULT_NAMESPACES = 100
const DEFAULT_LETTERS = 100
// As many as one request names at most.
const LETTERS_AT_ONCE = 500
// An embedder that takes longer for one word keeps every write waiting.
const EMBEDDER_PATIENCE = "5 seconds"

/** What a look at the processes may tell: as `reachOf`, and all there is for the operator's own token. */
const lookReachOf = (caller: Caller, request: { readonly namespace?: string | undefined }) =>
  caller.platform === true ? Effect.succeed<Reach>("everything") : reachOf(caller, request)

const reachOf = (
  caller: Caller,
  request: { readonly namespace?: string | undefined }
): Effect.Effect<Reach, Refusal> =>
  caller.boundUser !== null
    ? Effect.fail(refuse("FORBIDDEN", "A token bound to one user does not look after a whole namespace"))
    : request.namespace !== undefined
    ? Effect.map(resolveScope(caller, request), ({ namespace, org }) => ({ org, namespaces: [namespace] }))
    : Effect.succeed({ org: caller.org, namespaces: caller.namespaces.includes("*") ? "*" : caller.namespaces })

type Needs = WorkerStore | ChangeFeed | OpsGround | ClusterLook | Embedder

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const store = yield* WorkerStore
  const feed = yield* ChangeFeed
  const ground = yield* OpsGround
  const embedder = yield* Embedder
  const cluster = yield* ClusterLook

  const workerOf = (name: string): Effect.Effect<WorkerFacts, Refusal> => {
    const found = ground.workers.find((worker) => worker.name === name)
    return found === undefined
      ? Effect.fail(
        refuse("INVALID_ARGUMENT", "`name` is no worker of this server", {
          field: "name",
          allowed: ground.workers.map((worker) => worker.name)
        })
      )
      : Effect.succeed(found)
  }

  const workers = bind(OpsWorkers, (request, caller) =>
    Effect.gen(function*() {
      const reach = yield* reachOf(caller, request)
      const found = yield* watch(store, feed, ground.workers, reach)
      const limit = request.limit ?? DEFAULT_NAMESPACES
      return {
        workers: found.map(({ namespaces, ...worker }) => ({
          ...worker,
          namespaces: namespaces.slice(0, limit),
          namespaces_total: namespaces.length
        })),
        degraded: []
      }
    }))

  /** What a pause of this caller is about: everything for the root token, else its org or one namespace of it. */
  const placeOf = ({ reads }: WorkerFacts, request: Payload<typeof OpsWorkerPause>, caller: Caller) =>
    Effect.gen(function*() {
      if (caller.platform === true) return { org: "", namespace: "" }
      if (reads === "schedule") {
        return yield* refuse("FORBIDDEN", "This worker serves the whole installation: it takes the root token")
      }
      const reach = yield* reachOf(caller, request)
      if (request.namespace !== undefined) return yield* resolveScope(caller, request)
      if (reach !== "everything" && reach.namespaces !== "*") {
        return yield* refuse("INVALID_ARGUMENT", "`namespace` is needed: the token opens not the whole org", {
          field: "namespace"
        })
      }
      return { org: caller.org, namespace: "" }
    })

  const setPaused = (paused: boolean) => (request: Payload<typeof OpsWorkerPause>, caller: Caller) =>
    Effect.gen(function*() {
      const worker = yield* workerOf(request.name)
      const { namespace, org } = yield* placeOf(worker, request, caller)
      const at = yield* Clock.currentTimeMillis
      const pause: Pause = { worker: worker.name, org, namespace, paused, actor: caller.actor, at }
      yield* store.pause(pause)
      const scope = org === "" ? NO_FEED : { org, namespace }
      return {
        name: worker.name,
        org: org === "" ? null : org,
        namespace: namespace === "" ? null : namespace,
        paused: isPaused(yield* store.pauses(worker.name), scope)
      }
    })

  const deadLetters = bind(OpsDeadLetters, (request, caller) =>
    Effect.gen(function*() {
      const { action = "list", all, versions } = request
      const reach = yield* reachOf(caller, request)
      const worker = request.worker === undefined ? null : (yield* workerOf(request.worker)).name
      if (action !== "list" && versions === undefined && all !== true) {
        return yield* refuse("INVALID_ARGUMENT", "`versions` is needed, or `all` for every letter that matches", {
          field: "versions"
        })
      }
      const open = yield* store.letters({
        reach,
        worker,
        states: ["open", "retry"],
        limit: action === "list" ? request.limit ?? DEFAULT_LETTERS : LETTERS_AT_ONCE
      })
      const meant = versions === undefined
        ? open
        : open.filter(({ position }) => versions.includes(position.toString()))
      if (action === "list") return { letters: meant.map(viewOf), changed: 0 }
      const at = yield* Clock.currentTimeMillis
      const state = action === "retry" ? "retry" : "dropped"
      const filed = meant.filter((letter) => letter.state !== state)
        .map((letter): DeadLetter => ({ ...letter, state, at: Math.max(at, letter.at + 1), actor: caller.actor }))
      yield* store.file(filed)
      return { letters: filed.map(viewOf), changed: filed.length }
    }))

  const health = bind(OpsHealth, (_, caller) =>
    Effect.gen(function*() {
      const reach = yield* reachOf(caller, {})
      const checks = yield* ground.checks
      const isStored = checks.every(({ ready }) => ready)
      const ready = yield* embedder.embedQuery("health").pipe(Effect.timeout(EMBEDDER_PATIENCE), Effect.isSuccess)
      // Without a store nothing can be told of the workers; that it is away is told.
      const found = isStored ? yield* watch(store, feed, ground.workers, reach) : []
      return {
        healthy: isStored && ready &&
          found.every(({ dead_letters, state }) => state !== "failed" && state !== "stopped" && dead_letters === 0),
        checks,
        embedder: { id: embedder.id, dimensions: embedder.dimensions, ready },
        workers: found.map(({ namespaces: _, ...worker }) => worker)
      }
    }))

  return [
    workers,
    bind(OpsWorkerPause, setPaused(true)),
    bind(OpsWorkerResume, setPaused(false)),
    deadLetters,
    health,
    bind(OpsCluster, (request, caller) =>
      Effect.flatMap(
        lookReachOf(caller, request),
        (reach) => cluster.look(reach, request.limit ?? DEFAULT_NAMESPACES)
      ))
  ]
})

const viewOf = ({ at, change, code, first_at, memory_id, position, scope, state, tries, worker }: DeadLetter) => ({
  worker,
  namespace: scope.namespace,
  version_text: position.toString(),
  memory_id,
  change,
  code,
  tries,
  first_at: new Date(first_at).toISOString(),
  at: new Date(at).toISOString(),
  state
})
