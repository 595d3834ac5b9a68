/**
 * The callers of a chaos run, over HTTP through the gateways, on few keys of few namespaces. Each namespace has a steady one
 * that writes without rest, by which fail-overs are timed, and others roam. Half of the writes have an idempotency key:
 * one that failed or timed out is sent again under it until it is answered, and some that were answered are sent again too.
 * A write without a key is sent once, and when its answer is lost nobody knows.
 */
import * as Effect from "effect/Effect"
import { unrelated } from "../support/Facts.ts"
import { randomOf } from "../support/Seeded.ts"
import { ending, verbOf } from "./Answers.ts"
import type { Action, Begun, Ending, History } from "./History.ts"

export interface ClientsOptions {
  readonly gateways: ReadonlyArray<string>
  readonly namespaces: ReadonlyArray<string>
  /** Beside the steady ones. */
  readonly roaming: number
  readonly seed: number
  readonly history: History
  /** Milliseconds by the clock of the run. */
  readonly now: () => number
  /** Whether to go on. */
  readonly running: () => boolean
}

export const KEYS = ["shared/a", "shared/b", "shared/c"]
const STEADY_KEY = "steady"
export const ALL_KEYS = [...KEYS, STEADY_KEY]

// Longer than a gateway tries, so that only what is lost for good ends here; and short enough to be cut off amid a fault.
const PATIENCE = 45_000
const IMPATIENCE = 2_500
const RETRIES = 40

type Asked = Omit<Begun, "id" | "start" | "attempt">

class Caller {
  private readonly random: () => number
  private count = 0
  /** The last hash that this caller saw under a place. */
  private readonly seen = new Map<string, string>()

  constructor(readonly name: string, private readonly options: ClientsOptions, private readonly index: number) {
    this.random = randomOf(options.seed * 1_000 + index)
  }

  below(bound: number): number {
    return Math.floor(this.random() * bound)
  }

  private pick<A>(all: ReadonlyArray<A>, fallback: A): A {
    return all[this.below(all.length)] ?? fallback
  }

  /** A value that no other call of the run states. */
  private value(): string {
    return `${unrelated(this.index * 100_000 + this.count++)} ${this.name}${this.count}`
  }

  private asked(action: Action, namespace: string, keys: ReadonlyArray<string>, more: Partial<Asked> = {}): Asked {
    const op = `${this.name}-${this.count++}`
    const states = action === "set" || action === "update" || action === "bulk_set"
    return {
      op,
      client: this.name,
      namespace,
      action,
      parts: keys.map((key) => ({ key, value: states ? this.value() : null })),
      if_match: null,
      idempotency_key: action !== "get" && this.below(2) === 0 ? `${op}-key` : null,
      dry_run: false,
      ...more
    }
  }

  private next(): Asked {
    const namespace = this.pick(this.options.namespaces, "")
    const key = this.pick(KEYS, "shared/a")
    const known = this.seen.get(`${namespace}/${key}`) ?? null
    const kind = this.below(20)
    if (kind < 4) return this.asked("set", namespace, [key])
    if (kind < 9) return this.asked("update", namespace, [key], { if_match: known })
    if (kind < 11) return this.asked("delete", namespace, [key], { if_match: this.below(3) === 0 ? known : null })
    if (kind < 13) return this.asked("restore", namespace, [key])
    if (kind < 14) return this.asked("bulk_set", namespace, KEYS)
    if (kind < 15) return this.asked("set", namespace, [key], { dry_run: true })
    if (kind < 16) return this.asked("bulk_set", namespace, KEYS, { dry_run: true })
    return this.asked("get", namespace, [key])
  }

  private attempt(asked: Asked, attempt: Begun["attempt"], patience: number): Effect.Effect<Ending> {
    const { history, now } = this.options
    const url = this.pick(this.options.gateways, "")
    return Effect.suspend(() => {
      const call = history.begin({ ...asked, attempt, start: now() })
      return Effect.promise(() => post(url, call, patience)).pipe(
        Effect.tap((outcome) =>
          Effect.sync(() => {
            history.end(call, now(), outcome)
            this.learn(call, outcome)
          })
        )
      )
    })
  }

  /** What a next compare-and-set may name: often enough it is out of date by then. */
  private learn({ dry_run, namespace, parts }: Begun, outcome: Ending): void {
    if (outcome._tag === "read" && outcome.found) this.seen.set(`${namespace}/${parts[0]?.key}`, outcome.sha256)
    if (outcome._tag !== "done" || dry_run) return
    for (const { key, sha256 } of outcome.effects) if (sha256 !== "") this.seen.set(`${namespace}/${key}`, sha256)
  }

  /** An operation to its end. */
  private run(asked: Asked): Effect.Effect<void> {
    const attempt = (way: Parameters<typeof this.attempt>[1], patience: Parameters<typeof this.attempt>[2]) =>
      this.attempt(asked, way, patience)
    const below = (limit: number) => this.below(limit)
    return Effect.gen(function*() {
      const patience = below(12) === 0 ? IMPATIENCE : PATIENCE
      let outcome = yield* attempt("first", patience)
      for (let tries = 0; isOpen(outcome) && asked.idempotency_key !== null && tries < RETRIES; tries++) {
        yield* Effect.sleep(200 + below(300))
        outcome = yield* attempt("retry", PATIENCE)
      }
      const isAnswered = outcome._tag === "done" || outcome._tag === "none"
      if (isAnswered && asked.idempotency_key !== null && !asked.dry_run && below(8) === 0) {
        yield* attempt("replay", PATIENCE)
      }
      // Whoever is refused because too much is under way comes back later.
      if (outcome._tag === "refused" && outcome.code === "OVERLOADED") yield* Effect.sleep(500)
    })
  }

  readonly roam: Effect.Effect<void> = Effect.suspend(() =>
    this.options.running()
      ? this.run(this.next()).pipe(
        Effect.zipRight(Effect.suspend(() => Effect.sleep(20 + this.below(180)))),
        Effect.zipRight(this.roam)
      )
      : Effect.void
  )

  steady(namespace: string): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.options.running()
        ? this.run(this.asked("set", namespace, [STEADY_KEY])).pipe(
          Effect.zipRight(Effect.suspend(() => Effect.sleep(50 + this.below(100)))),
          Effect.zipRight(this.steady(namespace))
        )
        : Effect.void
    )
  }
}

/** An odd answer of an operation tells as little as a lost one. */
const isOpen = ({ _tag }: Ending): boolean => _tag === "unknown" || _tag === "odd"

const bodyOf = (call: Begun): object => {
  const { action, dry_run, idempotency_key, if_match, namespace, op, parts } = call
  const [first] = parts
  const common = {
    namespace,
    ...(idempotency_key === null ? {} : { idempotency_key }),
    ...(if_match === null ? {} : { if_match_sha256: if_match }),
    ...(dry_run ? { dry_run } : {})
  }
  if (action === "bulk_set") return { ...common, items: parts.map(({ key, value }) => ({ memory_key: key, value })) }
  const keyed = { ...common, memory_key: first?.key }
  // The history of a deleted row tells its reason: by it a delete is known again.
  if (action === "delete") return { ...keyed, reason: op }
  return action === "set" || action === "update" ? { ...keyed, value: first?.value } : keyed
}

const post = async (url: string, call: Begun, patience: number): Promise<Ending> => {
  try {
    const response = await fetch(`${url}/v1/${verbOf[call.action]}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(bodyOf(call)),
      signal: AbortSignal.timeout(patience)
    })
    return ending(call, response.status, await response.text())
  } catch (cause) {
    return { _tag: "unknown", reason: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) }
  }
}

/** Calls until `running` says no; what is under way then is brought to its end. */
export const run = (options: ClientsOptions): Effect.Effect<void> =>
  Effect.all([
    ...options.namespaces.map((namespace, index) => new Caller(`s${index}`, options, 500 + index).steady(namespace)),
    ...Array.from({ length: options.roaming }, (_, index) => new Caller(`c${index}`, options, index).roam)
  ], { concurrency: "unbounded", discard: true })
