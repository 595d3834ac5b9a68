/**
 * The process of `Callers`: takes jobs from its parent, makes the calls and reports their times. It stops starting calls
 * when a job's time is over.
 */
import type { RpcClientError } from "@effect/rpc/RpcClientError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import { Agent, request } from "node:http"
import { LoomRpcClient } from "../../src/client/LoomRpcClient.ts"
import * as RpcClient from "../../src/client/LoomRpcClient.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { MemoryBulkSet, MemoryGet, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"

export interface Job {
  readonly via: "rpc" | "http"
  readonly verb: "memory.set" | "memory.bulk_set" | "memory.get" | "memory.search" | "namespace.list"
  readonly payloads: ReadonlyArray<object>
  readonly callers: number
  readonly seconds: number
}

export interface Report {
  /** Milliseconds of each call, in the order they ended. */
  readonly times: ReadonlyArray<number>
  /** From the first call to the last answer, in milliseconds. */
  readonly millis: number
  /** How often each outcome came: the verdict of a write, `ok` of anything else, the code of an error. */
  readonly outcomes: Readonly<Record<string, number>>
}

const url = process.argv[2] ?? ""
// Sockets wait for nothing else than the answer; a second call of a caller uses the same one.
const agent = new Agent({ keepAlive: true, maxSockets: 256, noDelay: true })

const post = (verb: string, body: Buffer): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length }
    const sent = request(`${url}/v1/${verb}`, { method: "POST", agent, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const answer: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"))
        resolve(answer)
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })

const field = (value: unknown, name: string): unknown => Object(value)[name]

/** What came of a call, or of each item of a bulk call. */
const outcomesOf = (answer: unknown): ReadonlyArray<string> => {
  const detail = field(answer, "detail") ?? (field(answer, "_tag") === undefined ? undefined : answer)
  if (detail !== undefined) return [String(field(detail, "code") ?? field(detail, "_tag"))]
  const results = field(answer, "results")
  const items: ReadonlyArray<unknown> = Array.isArray(results) ? results : []
  const bulk = items.filter((item) => field(item, "outcome") !== undefined)
  if (bulk.length > 0) {
    return bulk.map((item) => String(field(field(item, "answer"), "conflict_verdict") ?? field(item, "code")))
  }
  const verdict = field(answer, "conflict_verdict")
  if (verdict === undefined) return ["ok"]
  const advisories = field(answer, "advisories")
  return [verdict === "clear" && Array.isArray(advisories) && advisories.length > 0 ? "restated" : String(verdict)]
}

type Call = Effect.Effect<unknown, RpcClientError | LoomError>

/** The calls of a job, ready to be made: what can be done before the clock runs is done. */
const callsOf = (job: Job, client: typeof LoomRpcClient.Service): ReadonlyArray<Call> => {
  if (job.via === "http") {
    // The server closes what was idle for seconds, as between two jobs, and a call that meets that end would fail.
    agent.destroy()
    const bodies = job.payloads.map((payload) => Buffer.from(JSON.stringify(payload)))
    return bodies.map((body) => Effect.promise(() => post(job.verb, body)))
  }
  switch (job.verb) {
    case "memory.set":
      return decodedBy(MemorySet, job).map((payload) => client("memory.set", payload))
    case "memory.bulk_set":
      return decodedBy(MemoryBulkSet, job).map((payload) => client("memory.bulk_set", payload))
    case "memory.get":
      return decodedBy(MemoryGet, job).map((payload) => client("memory.get", payload))
    case "memory.search":
      return decodedBy(MemorySearch, job).map((payload) => client("memory.search", payload))
    case "namespace.list":
      return job.payloads.map(() => client("namespace.list", {}))
  }
}

const decodedBy = <A, I>(
  { payload }: { readonly payload: Schema.Schema<A, I> },
  { payloads }: Job
): ReadonlyArray<A> => {
  const decode = Schema.decodeUnknownSync(payload)
  return payloads.map((one) => decode(one))
}

const work = (job: Job, client: typeof LoomRpcClient.Service): Effect.Effect<Report> =>
  Effect.gen(function*() {
    const calls = callsOf(job, client)
    const times: Array<number> = []
    const outcomes: Record<string, number> = {}
    const began = performance.now()
    let next = 0
    const one = Effect.gen(function*() {
      for (let call = calls[next++]; call !== undefined; call = calls[next++]) {
        const started = performance.now()
        if (started - began > job.seconds * 1_000) return
        const answer = yield* Effect.merge(call)
        times.push(performance.now() - started)
        for (const outcome of outcomesOf(answer)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      }
    })
    yield* Effect.all(Array.from({ length: job.callers }, () => one), { concurrency: "unbounded", discard: true })
    return { times, millis: performance.now() - began, outcomes }
  })

const answer = (message: Report | { readonly fault: string }) =>
  Effect.async<void>((resume) => {
    if (process.send === undefined) return resume(Effect.dieMessage("This program is started by a bench"))
    process.send(message, () => resume(Effect.void))
  })

const program = Effect.gen(function*() {
  const client = yield* LoomRpcClient
  const jobs = yield* Queue.unbounded<Job>()
  process.on("message", (job: Job) => Queue.unsafeOffer(jobs, job))
  const next = Effect.flatMap(Queue.take(jobs), (job) => work(job, client)).pipe(
    Effect.catchAllCause((cause) => Effect.succeed({ fault: Cause.pretty(cause) })),
    Effect.flatMap(answer)
  )
  return yield* Effect.forever(next)
})

// A parent that is gone asks for nothing more.
process.on("disconnect", () => process.exit(0))
Effect.runFork(Effect.provide(program, RpcClient.layer({ url: `${url.replace(/^http/, "ws")}/rpc` })))
