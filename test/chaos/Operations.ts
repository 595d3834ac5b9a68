/**
 * The calls of a history, put together to operations on single keys: an operation is its first call and every retry and
 * replay of it, and a bulk write is one operation for each of its keys. Its interval is when it can have taken place.
 */
import type { Finding } from "./Finding.ts"
import type { Call, Effect, Ending } from "./History.ts"

/** A negative answer and the span of time in which its reason must lie. */
export interface Denial {
  readonly call: number
  readonly start: number
  readonly end: number
  /** A refusal, or an answer that there was nothing to do. */
  readonly as: "refused" | "none"
  readonly code: string
}

export interface Operation {
  readonly op: string
  readonly namespace: string
  readonly key: string
  readonly action: "set" | "update" | "delete" | "restore"
  readonly value: string | null
  readonly if_match: string | null
  readonly start: number
  /** When the first acknowledgement came; infinite while nobody can say that it took place by then. */
  readonly end: number
  readonly outcome: "done" | "denied" | "unknown" | "dry"
  /** Of an acknowledged operation. */
  readonly effect: Effect | null
  readonly denials: ReadonlyArray<Denial>
  readonly calls: ReadonlyArray<number>
}

export interface Read {
  readonly call: number
  readonly namespace: string
  readonly key: string
  readonly start: number
  readonly end: number
  readonly ending: Extract<Ending, { readonly _tag: "read" }>
}

/** Under which a namespace's key stands in maps. */
export const placeOf = (namespace: string, key: string): string => `${namespace}\u0000${key}`

export const groupBy = <A>(all: Iterable<A>, by: (one: A) => string): Map<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const one of all) {
    const group = groups.get(by(one))
    if (group === undefined) groups.set(by(one), [one])
    else group.push(one)
  }
  return groups
}

export const readsOf = (calls: ReadonlyArray<Call>): ReadonlyArray<Read> =>
  calls.flatMap(({ end, ending, id, namespace, parts, start }) =>
    ending._tag === "read"
      ? parts.map(({ key }): Read => ({ call: id, namespace, key, start, end, ending }))
      : []
  )

/** Operations on single keys, and what their answers alone show to be wrong. */
export const operationsOf = (
  calls: ReadonlyArray<Call>
): { readonly operations: ReadonlyArray<Operation>; readonly findings: ReadonlyArray<Finding> } => {
  const findings = calls.flatMap((call) =>
    call.ending._tag === "odd" ? [told(call, "odd", call.ending.text, [call.id])] : []
  )
  const operations: Array<Operation> = []
  const writes = calls.filter(({ action }) => action !== "get")
  for (const attempts of groupBy(writes, ({ op }) => op).values()) {
    const inOrder = attempts.toSorted((left, right) => left.start - right.start)
    findings.push(...answersDiffer(inOrder))
    const [first] = inOrder
    for (const { key, value } of first?.parts ?? []) {
      if (first !== undefined) operations.push(operationOf(first, inOrder, key, value))
    }
  }
  return { operations, findings }
}

const told = (call: Call, kind: Finding["kind"], text: string, calls: ReadonlyArray<number>): Finding => ({
  kind,
  namespace: call.namespace,
  key: call.parts.map(({ key }) => key).join(", "),
  text,
  calls
})

/** What an operation that is answered was told later, under the same idempotency key, must be the first answer. */
const answersDiffer = (attempts: ReadonlyArray<Call>): ReadonlyArray<Finding> => {
  const [first] = attempts
  // A dry run keeps no answer.
  if (first === undefined || first.idempotency_key === null || first.dry_run) return []
  const findings: Array<Finding> = []
  let known: { readonly call: Call; readonly answer: string } | undefined
  for (const call of attempts) {
    const { ending } = call
    const answer = ending._tag === "done" || ending._tag === "none" ? ending.answer : undefined
    if (known !== undefined && ending._tag === "refused") {
      const text = `answered first, then refused with ${ending.code} under the same idempotency key`
      findings.push(told(call, "idempotency", text, [known.call.id, call.id]))
    }
    if (answer === undefined) continue
    if (known === undefined) known = { call, answer }
    else if (known.answer !== answer) {
      const text = `two answers under one idempotency key: ${known.answer.slice(0, 200)} and then ${
        answer.slice(0, 200)
      }`
      findings.push(told(call, "idempotency", text, [known.call.id, call.id]))
    }
  }
  return findings
}

const singleAction = ({ action }: Call): Operation["action"] =>
  action === "update" || action === "delete" || action === "restore" ? action : "set"

const operationOf = (first: Call, attempts: ReadonlyArray<Call>, key: string, value: string | null): Operation => {
  let end = Number.POSITIVE_INFINITY
  let effect: Effect | null = null
  let isOpen = false
  const denials: Array<Denial> = []
  for (const call of attempts) {
    const { ending } = call
    switch (ending._tag) {
      case "done": {
        const mine = ending.effects.find((one) => one.key === key)
        // An item that a bulk write refused.
        if (mine === undefined) {
          denials.push({ call: call.id, start: call.start, end: call.end, as: "refused", code: "item" })
        } else if (effect === null) {
          effect = mine
          end = call.end
        }
        break
      }
      case "none":
        // The first answer is kept, so its reason may lie as far back as the first attempt.
        denials.push({ call: call.id, start: first.start, end: call.end, as: "none", code: ending.reason })
        break
      case "refused":
        denials.push({ call: call.id, start: call.start, end: call.end, as: "refused", code: ending.code })
        break
      default:
        // A replay asks only what the answer was.
        isOpen ||= call.attempt !== "replay"
    }
  }
  const outcome = first.dry_run ? "dry" : effect !== null ? "done" : isOpen ? "unknown" : "denied"
  return {
    op: first.op,
    namespace: first.namespace,
    key,
    action: singleAction(first),
    value,
    if_match: first.if_match,
    start: first.start,
    end,
    outcome,
    effect,
    denials,
    calls: attempts.map(({ id }) => id)
  }
}
