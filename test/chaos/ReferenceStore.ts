/**
 * A store that keeps every promise, for the tests of the checker: operations take place one at a time, at a moment within
 * their interval. It plays random clients, some of whose answers get lost, and gives the history and facts of a true run.
 */
import { randomOf } from "../support/Seeded.ts"
import { isLive } from "./Facts.ts"
import type { Facts, Head, KeyFacts, Version } from "./Facts.ts"
import { History } from "./History.ts"
import type { Action, Begun, Call, Ending } from "./History.ts"

// Nanoseconds from version to version.
const STEP = 1_000_000n

/** What stands for the hash of a value. */
export const shaOf = (value: string): string => `sha-${value}`

/** What one operation does to the store, as the verbs promise. */
export class ReferenceStore {
  readonly keys = new Map<string, Array<Version>>()
  private counter = 1_000_000_000n
  private readonly answers = new Map<string, Ending>()

  history(namespace: string, key: string): Array<Version> {
    const slot = `${namespace}/${key}`
    const versions = this.keys.get(slot) ?? []
    this.keys.set(slot, versions)
    return versions
  }

  head(namespace: string, key: string): Head {
    const last = this.history(namespace, key).at(-1)
    return last !== undefined && isLive(last.status)
      ? { found: true, version: last.version, sha256: last.sha256, value: last.value }
      : { found: false, version: "", sha256: "", value: "" }
  }

  /** Carries a call out, now; an answer under an idempotency key is given again. */
  apply(call: Begun): Ending {
    const kept = call.idempotency_key === null ? undefined : this.answers.get(call.idempotency_key)
    if (kept !== undefined) return kept
    const ending = this.carryOut(call)
    const isKept = ending._tag === "done" || ending._tag === "none"
    if (call.idempotency_key !== null && isKept && !call.dry_run) this.answers.set(call.idempotency_key, ending)
    return ending
  }

  private carryOut(call: Begun): Ending {
    const { action, if_match, namespace, op, parts } = call
    const key = parts[0]?.key ?? ""
    if (action === "get") return { _tag: "read", ...this.head(namespace, key) }
    const last = this.history(namespace, key).at(-1)
    const live = last !== undefined && isLive(last.status)
    if ((action === "update" || action === "delete") && !live) return none("not_found")
    if (action === "restore" && last?.status !== "tombstoned") return none("not_deleted")
    if (if_match !== null && last?.sha256 !== if_match) return { _tag: "refused", code: "PRECONDITION_FAILED" }
    const write_id = `w-${call.id}`
    const effects = parts.map((part) => {
      const versions = this.history(namespace, part.key)
      const before = versions.at(-1)
      const value = part.value ?? before?.value ?? ""
      const version: Version = {
        version: String(this.counter + STEP),
        value,
        sha256: shaOf(value),
        status: action === "delete" ? "tombstoned" : "active",
        change: changeOf(action, before),
        write_id,
        memory_id: `id-${namespace}-${part.key}`,
        reinforcement_count: 1,
        reason: action === "delete" ? op : ""
      }
      if (!call.dry_run) {
        this.counter += STEP
        versions.push(version)
      }
      return { key: part.key, version: version.version, sha256: version.sha256, reinforcement_count: 1 }
    })
    return { _tag: "done", effects, answer: JSON.stringify(effects) }
  }

  facts(): Facts {
    const keys = [...this.keys].map(([slot, versions]): KeyFacts => {
      const [namespace = "", key = ""] = slot.split("/")
      // Versions here are nanoseconds of no real clock; moments lie a millisecond apart.
      const past = versions.map((one) => ({
        at: Number(BigInt(one.version) / 1_000_000n),
        found: isLive(one.status),
        sha256: isLive(one.status) ? one.sha256 : ""
      }))
      return { namespace, key, versions: versions.map((one) => ({ ...one })), head: this.head(namespace, key), past }
    })
    const namespaces = [...new Set(keys.map(({ namespace }) => namespace))].map((namespace) => ({
      namespace,
      listed: keys
        .filter((one) => one.namespace === namespace && one.head.found)
        .map(({ head, key }) => ({ key, sha256: head.sha256 })),
      changes: keys
        .filter((one) => one.namespace === namespace)
        .flatMap(({ key, versions }) => versions.map(({ change, version }) => ({ key, change, version })))
        .sort((one, other) => Number(BigInt(one.version) - BigInt(other.version))),
      chainFaults: []
    }))
    return { keys, namespaces }
  }
}

const none = (reason: string): Ending => ({ _tag: "none", reason, answer: reason })

const changeOf = (action: Action, before: Version | undefined): string => {
  switch (action) {
    case "update":
      return "correct"
    case "delete":
    case "restore":
      return action
    default:
      return before === undefined ? "create" : "revise"
  }
}

export interface Run {
  readonly calls: ReadonlyArray<Call>
  readonly facts: Facts
}

/** A true run: every moment is drawn from the seed. */
export const play = (seed: number, steps: number): Run => {
  const random = randomOf(seed)
  const below = (bound: number) => Math.floor(random() * bound)
  const [store, history] = [new ReferenceStore(), new History(undefined)]
  const agenda: Array<{ readonly at: number; readonly run: () => void }> = []
  const known = new Map<string, string>()
  let left = steps

  /** One call and what follows from its outcome. */
  const ask = (
    client: number,
    at: number,
    asked: Omit<Begun, "id" | "start" | "attempt">,
    attempt: Begun["attempt"]
  ) => {
    const call = history.begin({ ...asked, attempt, start: at })
    const point = at + random() * 10
    const end = point + random() * 10
    const isLost = asked.action !== "get" && below(6) === 0
    const reaches = !isLost || below(2) === 0
    // What was lost on the way may still arrive long after its caller gave up.
    const arrives = isLost && below(3) === 0 ? end + random() * 60 : point
    if (reaches) {
      agenda.push({
        at: arrives,
        run: () => {
          const ending = store.apply(call)
          if (!isLost) answered(call, end, ending)
        }
      })
    }
    const answered = (begun: Begun, moment: number, ending: Ending) => {
      history.end(begun, moment, ending)
      if (ending._tag === "read" && ending.found) known.set(`${asked.namespace}/${asked.parts[0]?.key}`, ending.sha256)
      const again = ending._tag === "done" && asked.idempotency_key !== null && attempt === "first" && below(4) === 0
      agenda.push({
        at: moment,
        run: () => again ? ask(client, moment + 1, asked, "replay") : step(client, moment + 1)
      })
    }
    if (isLost) {
      history.end(call, end, { _tag: "unknown", reason: "lost" })
      const again = asked.idempotency_key !== null && attempt === "first"
      agenda.push({ at: end, run: () => again ? ask(client, end + 1, asked, "retry") : step(client, end + 1) })
    }
  }

  const step = (client: number, at: number) => {
    if (left-- <= 0) return
    const namespace = `n${below(2)}`
    const key = `k${below(3)}`
    const actions = ["set", "update", "update", "delete", "restore", "bulk_set", "get", "get"] as const
    const action: Action = actions[below(actions.length)] ?? "get"
    const op = `op-${left}`
    const value = action === "set" || action === "update" || action === "bulk_set"
    const keys = action === "bulk_set" ? ["k0", "k1", "k2"] : [key]
    const isChecked = action === "update" || (action === "delete" && below(2) === 0)
    const isDry = (action === "set" || action === "update" || action === "bulk_set") && below(8) === 0
    ask(client, at, {
      op,
      client: `c${client}`,
      namespace,
      action,
      parts: keys.map((one) => ({ key: one, value: value ? `${op}-${one}` : null })),
      if_match: isChecked ? known.get(`${namespace}/${key}`) ?? null : null,
      idempotency_key: action === "get" || below(2) === 0 ? null : op,
      dry_run: isDry
    }, "first")
  }

  for (let client = 0; client < 4; client++) agenda.push({ at: client, run: () => step(client, client) })
  while (agenda.length > 0) {
    agenda.sort((one, other) => one.at - other.at)
    agenda.shift()?.run()
  }
  for (const namespace of ["n0", "n1"]) for (const key of ["k0", "k1", "k2"]) store.history(namespace, key)
  return { calls: history.calls, facts: store.facts() }
}
