/**
 * What the callers of a soak do, over and over: state and revise facts under a bounded number of keys, read and search
 * them, take some out of service and bring them back, and report what served. Every draw comes from the seed.
 */
import { Chance } from "./Chance.ts"
import { factAt } from "./Facts.ts"
import * as WritePlan from "./WritePlan.ts"

export interface Call {
  readonly kind: "read" | "write"
  readonly verb: string
  readonly body: Readonly<Record<string, unknown>>
}

const NAMESPACES = 4
// So many that the stores hold something, and so few that each is revised several times within half an hour.
const KEYS = 2_000
// Turns of a transcript, as a short exchange has them.
const TURNS = 4

const namespaceOf = (index: number): string => `soak-${index % NAMESPACES}`

/** A stream of calls; `verbs` are the ones that the server has. */
export const calls = (seed: number, caller: number, kind: Call["kind"], verbs: ReadonlySet<string>): () => Call => {
  const chance = new Chance(seed, kind, caller)
  let turn = 0
  const read = (verb: string, body: Call["body"]): Call => ({ kind: "read", verb, body })
  const write = (verb: string, body: Call["body"]): Call => ({ kind: "write", verb, body })

  const aRead = (): Call => {
    const index = chance.below(KEYS)
    const namespace = namespaceOf(index)
    const { memory_key, value } = factAt(seed, index)
    const draw = chance.next()
    if (draw < 0.5) return read("memory.get", { namespace, memory_key, include_usage: true })
    if (draw < 0.8) return read("memory.search", { namespace, query: value, top_k: 5 })
    if (draw < 0.9) return read("memory.list", { namespace, limit: 20 })
    if (draw < 0.95) return read("namespace.review", { namespace, limit: 5 })
    return read("memory.history", { namespace, memory_key, limit: 5 })
  }

  const aWrite = (): Call => {
    turn += 1
    const index = chance.below(KEYS)
    const namespace = namespaceOf(index)
    const fact = factAt(seed, index, chance.next() < 0.5 ? 0 : turn)
    const { memory_key } = fact
    const draw = chance.next()
    if (draw < 0.7) return write("memory.set", { namespace, ...WritePlan.asItem(fact) })
    if (draw < 0.78) return write("memory.delete", { namespace, memory_key })
    if (draw < 0.86) return write("memory.restore", { namespace, memory_key })
    if (draw < 0.95) {
      const outcome = chance.pick(["success", "failure", "partial", "unknown"])
      return write("memory.outcome", { namespace, memory_key, outcome, run_id: `soak-${caller}-${turn}` })
    }
    if (!verbs.has("conversation.append")) return write("run.begin", { namespace, goal: fact.value })
    const session_id = `session-${caller}-${turn}`
    const messages = Array.from({ length: TURNS }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: factAt(seed, chance.below(KEYS)).value
    }))
    return write("conversation.append", { namespace, session_id, messages })
  }

  return kind === "read" ? aRead : aWrite
}
