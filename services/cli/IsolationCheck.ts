/**
 * The isolation check: what one tenant is answered is recorded, its neighbours write, revise and delete rows of the same
 * keys, words and entities, and what the tenant is answered then must be the same to the byte. Nothing a neighbour is
 * answered may hold what the tenant wrote. It knows tenants only by their calls, so it runs in a process or over a network.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as IsolationData from "./IsolationData.ts"
import { difference } from "./IsolationDifference.ts"

export interface Tenant<E> {
  readonly name: string
  /** Calls a verb as this tenant: its scope, user and token are filled in. */
  readonly call: (verb: string, request: object) => Effect.Effect<unknown, E>
  /** Whether rows of the tenant under test are closed to it even by id; not so for a token that opens every user's rows. */
  readonly closed: boolean
}

export interface IsolationVerdict {
  readonly check: string
  /** `unclear` when the server answered a part too late to be compared. */
  readonly outcome: "holds" | "breach" | "unclear"
  /** How many answers were compared. */
  readonly answers: number
  /** What differed first, or why it is unclear; empty when it holds. */
  readonly detail: string
}

export interface IsolationOptions<E> {
  readonly seed: string
  readonly me: Tenant<E>
  readonly neighbours: ReadonlyArray<Tenant<E>>
  /** Told what happens now. */
  readonly say: (line: string) => Effect.Effect<void>
}

/** The checks by name, with the words of their verdict. */
export const CHECKS = {
  search: "search: hits, order, scores, relevance and counts",
  trace: "search_trace: what each way of searching finds",
  list: "list: rows, order and totals",
  get: "get: rows by key",
  ask: "ask: answers and what they cite",
  pack: "pack: the block for a prompt and what it leaves out",
  file: "for_file: the block and what it leaves out",
  leak: "neighbours: no answer of theirs holds what the tenant wrote",
  ids: "ids: the tenant's ids are nothing to them"
} as const
type CheckName = keyof typeof CHECKS

interface Answered {
  readonly check: CheckName
  /** The call in words. */
  readonly asked: string
  readonly answer: unknown
  /** What was late or missing, in words; null when nothing was. */
  readonly missing: string | null
}

const Partial = Schema.Struct({ degraded: Schema.NonEmptyArray(Schema.String) })
const Uncounted = Schema.Struct({ suppressed: Schema.Null })

// A cursor says until when it holds, so two of one place differ.
const CURSORS: ReadonlySet<string> = new Set(["next_cursor", "next_page"])

/** The answer with no cursor in it but the fact that there is one. */
const timeless = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value) => CURSORS.has(name) && value !== null ? "a cursor" : value))

/** What an answer left out, in words; null when it is whole. */
const leftOut = (answer: unknown): string | null =>
  Schema.is(Partial)(answer) ? answer.degraded.join(", ") : Schema.is(Uncounted)(answer) ? "suppressed" : null

// A leg that was late once is mostly in time a moment later.
const ATTEMPTS = 3

export const run = <E>({ me, neighbours, say, seed }: IsolationOptions<E>) =>
  Effect.gen(function*() {
    const data = yield* IsolationData.make(seed)
    const { asked, proof } = secretOf(seed)
    const own = IsolationData.secretRow(`The vault code of ${asked} is ${proof}`)

    const recorded = (tenant: Tenant<E>, all: ReadonlyArray<Request>) =>
      Effect.forEach(
        all,
        ({ asked, check, request, verb }) =>
          tenant.call(verb, request).pipe(
            Effect.repeat({ times: ATTEMPTS - 1, while: (answer) => leftOut(answer) !== null }),
            Effect.map((answer): Answered => ({ check, asked, answer: timeless(answer), missing: leftOut(answer) }))
          ),
        // A few at once, so that a server far away is not asked one by one, and a small one not by all.
        { concurrency: 4 }
      )

    yield* say(`${me.name} writes and asks`)
    yield* me.call("memory.bulk_set", { items: [...data.mine, own] })
    const ids = idsOf(yield* me.call("memory.list", { limit: 1_000 }))
    const everything = requests(data, asked)
    const before = yield* recorded(me, everything)
    const states: Array<ReadonlyArray<Answered>> = []
    const leaks: Array<Finding> = []
    const reached: Array<Finding> = []

    for (const neighbour of neighbours) {
      yield* say(`${neighbour.name} writes the same keys, words and entities, then asks`)
      yield* neighbour.call("memory.bulk_set", { items: data.theirs })
      yield* neighbour.call("memory.bulk_set", {
        items: [...IsolationData.revisions(data.theirs), IsolationData.secretRow("The vault code is another")]
      })
      leaks.push(...(yield* recorded(neighbour, aboutSecret(asked))).map(({ answer, asked }): Finding => ({
        asked: `${neighbour.name}, ${asked}`,
        found: JSON.stringify(answer).includes(proof) ? "holds what the tenant wrote" : null
      })))
    }
    yield* say(`${me.name} asks again`)
    states.push(yield* recorded(me, everything))

    for (const neighbour of neighbours) {
      yield* say(`${neighbour.name} deletes half, writes more, and tries the tenant's ids`)
      yield* Effect.forEach(IsolationData.deletions(data.theirs), (row) => neighbour.call("memory.delete", row))
      yield* neighbour.call("memory.bulk_set", { items: data.later })
      if (neighbour.closed) reached.push(...yield* byId(neighbour, ids.slice(0, IDS_TRIED), proof))
    }
    yield* say(`${me.name} asks once more`)
    states.push(yield* recorded(me, everything))

    return [
      ...(["search", "trace", "ask", "pack", "list", "get", "file"] as const).map((check) =>
        compared(check, before, states)
      ),
      judged("leak", leaks),
      judged("ids", reached)
    ]
  })

interface Request {
  readonly check: CheckName
  readonly asked: string
  readonly verb: string
  readonly request: object
}

/** A word that is asked for and one that only the tenant's own row holds: it shows where it got to. */
const secretOf = (seed: string) => {
  const letters = seed.replaceAll(/[^a-z0-9]/gi, "")
  return { asked: `door${letters}`, proof: `proof${letters}mine` }
}

/** All that a tenant is asked about; the trace of a search holds its answer. */
const requests = ({ questions }: IsolationData.IsolationData, secret: string): ReadonlyArray<Request> => [
  ...questions.map((question) => search("trace", question)),
  ...questions.slice(0, 2).flatMap(({ filter, query }) => [
    search("search", { filter, query }),
    ask(query),
    pack(query)
  ]),
  ...IsolationData.listings.map((request): Request => ({
    check: "list",
    asked: `memory.list ${JSON.stringify(request)}`,
    verb: "memory.list",
    request
  })),
  ...IsolationData.allKeys.map(get),
  ...IsolationData.files.map((file): Request => ({
    check: "file",
    asked: `memory.for_file ${file}`,
    verb: "memory.for_file",
    request: { file }
  })),
  ...aboutSecret(secret)
]

/** What would show the tenant's own row, of whomever it is asked. */
const aboutSecret = (secret: string): ReadonlyArray<Request> => [
  search("search", { query: `vault code of ${secret}`, filter: {} }),
  search("trace", { query: secret, filter: { entity_filter: [IsolationData.SECRET_ENTITY] } }),
  ask(`What is the vault code of ${secret}?`),
  pack(`What is the vault code of ${secret}?`),
  { check: "list", asked: "memory.list of the secret", verb: "memory.list", request: { prefix: "own/" } },
  get("own/secret"),
  {
    check: "file",
    asked: "memory.for_file of the secret",
    verb: "memory.for_file",
    request: { file: IsolationData.SECRET_FILE }
  }
]

const search = (check: "search" | "trace", { filter, query }: IsolationData.IsolationQuestion): Request => {
  const verb = check === "search" ? "memory.search" : "memory.search_trace"
  const request = { query, ...filter, top_k: 100, explain: true }
  return { check, verb, asked: `${verb} ${JSON.stringify(request)}`, request }
}

const ask = (query: string): Request => ({
  check: "ask",
  asked: `memory.ask ${JSON.stringify(query)}`,
  verb: "memory.ask",
  // What a model writes is not the same twice.
  request: { query, allow_synthesis: false }
})

const pack = (query: string): Request => ({
  check: "pack",
  asked: `context.pack ${JSON.stringify(query)}`,
  verb: "context.pack",
  request: { query, token_budget: 1_000 }
})

const get = (memory_key: string): Request => ({
  check: "get",
  asked: `memory.get ${memory_key}`,
  verb: "memory.get",
  request: { memory_key }
})

const compared = (
  check: CheckName,
  before: ReadonlyArray<Answered>,
  states: ReadonlyArray<ReadonlyArray<Answered>>
): IsolationVerdict => {
  let unclear = ""
  for (const state of states) {
    for (const [at, now] of state.entries()) {
      const then = before[at]
      if (now.check !== check || then === undefined) continue
      const missing = then.missing ?? now.missing
      if (missing !== null) unclear = `${now.asked}: not compared, since the server left out ${missing}`
      else {
        const found = difference(then.answer, now.answer)
        if (found !== null) return verdict(check, "breach", before, `${now.asked}: ${found}`)
      }
    }
  }
  return verdict(check, unclear === "" ? "holds" : "unclear", before, unclear)
}

const verdict = (
  check: CheckName,
  outcome: IsolationVerdict["outcome"],
  before: ReadonlyArray<Answered>,
  detail: string
): IsolationVerdict => ({
  check: CHECKS[check],
  outcome,
  answers: before.filter((one) => one.check === check).length,
  detail
})

interface Finding {
  readonly asked: string
  /** Null when nothing is wrong. */
  readonly found: string | null
}

const judged = (check: CheckName, findings: ReadonlyArray<Finding>): IsolationVerdict => {
  const wrong = findings.find(({ found }) => found !== null)
  return {
    check: CHECKS[check],
    outcome: wrong === undefined ? "holds" : "breach",
    answers: findings.length,
    detail: wrong === undefined ? "" : `${wrong.asked} ${wrong.found}`
  }
}

const Ids = Schema.Struct({ memories: Schema.Array(Schema.Struct({ memory_id: Schema.String })) })

const idsOf = (listed: unknown): ReadonlyArray<string> =>
  Schema.is(Ids)(listed) ? listed.memories.map(({ memory_id }) => memory_id) : []

// Ids are alike: a few stand for all.
const IDS_TRIED = 3
// One that names nothing.
const ABSENT = "mem_00000000-0000-7000-8000-000000000000"

/** What each id gives a neighbour: the same as an id of nothing, whatever the verb. */
const byId = <E>(neighbour: Tenant<E>, ids: ReadonlyArray<string>, proof: string) =>
  Effect.forEach(
    ids.flatMap((id) => ID_CALLS.map(([verb, fields]) => ({ id, verb, fields }))),
    ({ fields, id, verb }) =>
      Effect.gen(function*() {
        const there = yield* Effect.either(neighbour.call(verb, { memory_id: id, ...fields }))
        const nowhere = yield* Effect.either(neighbour.call(verb, { memory_id: ABSENT, ...fields }))
        const told = [there, nowhere].map((answer) => textOf(answer).replaceAll(id, ABSENT))
        const found = told[0] !== told[1] || textOf(there).includes(proof)
          ? `told more than an id of nothing: ${textOf(there).slice(0, 200)}`
          : null
        return { asked: `${neighbour.name}, ${verb} ${id}`, found }
      }),
    { concurrency: 4 }
  )

const ID_CALLS: ReadonlyArray<readonly [verb: string, fields: object]> = [
  ["memory.get_by_id", {}],
  ["memory.history", {}],
  ["memory.update_by_id", { value: "changed by a neighbour" }],
  ["memory.delete", {}]
]

const textOf = <A, E>(answer: Either.Either<A, E>): string =>
  Either.match(answer, { onLeft: (error) => `refused ${JSON.stringify(error)}`, onRight: (all) => JSON.stringify(all) })
