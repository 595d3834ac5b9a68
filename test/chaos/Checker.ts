/**
 * Judges a run: from the history of its calls and the facts that the store shows when all is quiet, whether every
 * acknowledged write is there once, whether each key's versions fit the calls in real time and by their conditions, and
 * whether reads, retries and dry runs kept their promises. Pure. What it holds of one key is in `Placing` (who made what),
 * `Timeline` (when each state was current), `KeyCheck` and `ReadCheck`; of whole namespaces in `NamespaceCheck`.
 *
 * Guarantees checked: writes of one key are linearizable; versions of one namespace grow with real time across its keys;
 * a read that begins after an acknowledgement sees that write or a later one, and reads of a key never go back.
 */
import type { Facts } from "./Facts.ts"
import type { Finding } from "./Finding.ts"
import type { Call } from "./History.ts"
import { checkKey } from "./KeyCheck.ts"
import { checkNamespaces } from "./NamespaceCheck.ts"
import { groupBy, operationsOf, placeOf, readsOf } from "./Operations.ts"
import { place } from "./Placing.ts"
import type { Placed } from "./Placing.ts"
import { checkReads } from "./ReadCheck.ts"
import * as Timeline from "./Timeline.ts"

export interface Verdict {
  /** Acknowledged writes that the history lacks. */
  readonly lost: number
  /** Operations of which the history has two. */
  readonly applied_twice: number
  /** Heads and reads that show what is not, or no longer, the state. */
  readonly stale_heads: number
  /** All findings, the above among them. */
  readonly violations: number
  readonly findings: ReadonlyArray<Finding>
}

export const check = (calls: ReadonlyArray<Call>, facts: Facts): Verdict => {
  const { findings: fromAnswers, operations } = operationsOf(calls)
  const findings: Array<Finding> = [...fromAnswers]
  const byKey = groupBy(operations, (one) => placeOf(one.namespace, one.key))
  const readsByKey = groupBy(readsOf(calls), (one) => placeOf(one.namespace, one.key))
  const placedIn = new Map<string, Array<Placed>>()
  const known = new Set(facts.keys.map((one) => placeOf(one.namespace, one.key)))
  for (const slot of new Set([...byKey.keys(), ...readsByKey.keys()])) {
    if (!known.has(slot)) {
      const [namespace = "", key = ""] = slot.split("\u0000")
      findings.push({ kind: "odd", namespace, key, text: "the facts say nothing of the key", calls: [] })
    }
  }
  for (const key of facts.keys) {
    const slot = placeOf(key.namespace, key.key)
    const mine = byKey.get(slot) ?? []
    const placing = place(key, mine)
    const timeline = Timeline.make(placing.states)
    findings.push(
      ...placing.findings,
      ...checkKey(key, mine, timeline),
      ...checkReads(key.namespace, key.key, readsByKey.get(slot) ?? [], timeline)
    )
    const all = placedIn.get(key.namespace) ?? []
    all.push(...placing.states)
    placedIn.set(key.namespace, all)
  }
  for (const [namespace, states] of placedIn) findings.push(...acrossKeys(namespace, states))
  findings.push(...checkNamespaces(facts))
  const count = (kind: Finding["kind"]) => findings.filter((one) => one.kind === kind).length
  return {
    lost: count("lost"),
    applied_twice: count("applied_twice"),
    stale_heads: count("stale_head"),
    violations: findings.length,
    findings
  }
}

/** Versions of one namespace are handed out by one counter: across keys, too, they follow real time. */
const acrossKeys = (namespace: string, states: ReadonlyArray<Placed>): ReadonlyArray<Finding> => {
  const inOrder = states.toSorted((left, right) => left.number < right.number ? -1 : left.number > right.number ? 1 : 0)
  return Timeline.orderFindings(namespace, "*", inOrder, " in the namespace")
}

/** One line for each finding. */
export const explain = ({ calls, key, kind, namespace, text }: Finding): string =>
  `${kind}  ${namespace} ${key}: ${text}${calls.length === 0 ? "" : `  [calls ${calls.join(", ")}]`}`
