/**
 * The checker itself: it holds nothing against a true run, whatever the moments and lost answers, and it finds each kind of
 * fault in a run that was broken on purpose, by hand and at random.
 */
import { assert, describe, it } from "@effect/vitest"
import { check, explain } from "./Checker.ts"
import { isLive } from "./Facts.ts"
import type { Facts, KeyFacts, Version } from "./Facts.ts"
import type { FindingKind } from "./Finding.ts"
import type { Begun, Call, Ending } from "./History.ts"
import { play, shaOf } from "./ReferenceStore.ts"
import type { Run } from "./ReferenceStore.ts"

const kindsOf = ({ calls, facts }: Run): ReadonlyArray<FindingKind> =>
  [
    ...new Set(check(calls, facts).findings.map(({ kind }) => kind))
  ].sort()

const clean = (run: Run) => assert.deepStrictEqual(check(run.calls, run.facts).findings.map(explain), [])

// ---- histories by hand: one namespace, one key, calls at whole moments ---------------------------------------------

let calls = 0

const call = (
  action: Call["action"],
  [start, end]: readonly [number, number],
  value: string | null,
  ending: Ending,
  more: Partial<Begun> = {}
): Call => {
  const id = ++calls
  return {
    id,
    op: `op-${id}`,
    client: "c",
    namespace: "n",
    action,
    parts: [{ key: "k", value }],
    if_match: null,
    idempotency_key: null,
    dry_run: false,
    attempt: "first",
    start,
    end,
    ending,
    ...more
  }
}

const done = (version: number, value: string, reinforcement_count = 1): Ending => ({
  _tag: "done",
  effects: [{ key: "k", version: String(version), sha256: shaOf(value), reinforcement_count }],
  answer: `${version} ${value}`
})
const unknown: Ending = { _tag: "unknown", reason: "broken" }
const refused: Ending = { _tag: "refused", code: "PRECONDITION_FAILED" }
const none: Ending = { _tag: "none", reason: "not_found", answer: "none" }
const read = (version: number, value: string): Ending => ({
  _tag: "read",
  found: true,
  version: String(version),
  sha256: shaOf(value),
  value
})
const missed: Ending = { _tag: "read", found: false, version: "", sha256: "", value: "" }

const version = (number: number, change: string, value: string, more: Partial<Version> = {}): Version => ({
  version: String(number),
  value,
  sha256: shaOf(value),
  status: change === "delete" ? "tombstoned" : "active",
  change,
  write_id: `w-${number}`,
  memory_id: "id",
  reinforcement_count: 1,
  reason: "",
  ...more
})

const headOf = (last: Version | undefined): KeyFacts["head"] =>
  last !== undefined && isLive(last.status)
    ? { found: true, version: last.version, sha256: last.sha256, value: last.value }
    : { found: false, version: "", sha256: "", value: "" }

/** A run whose head and list are what the history ends with. */
const run = (history: ReadonlyArray<Call>, versions: ReadonlyArray<Version>, head?: KeyFacts["head"]): Run => {
  const real = headOf(versions.at(-1))
  return {
    calls: history,
    facts: {
      keys: [{ namespace: "n", key: "k", versions, head: head ?? real, past: [] }],
      namespaces: [{
        namespace: "n",
        listed: real.found ? [{ key: "k", sha256: real.sha256 }] : [],
        changes: versions.map(({ change, version }) => ({ key: "k", change, version })),
        chainFaults: []
      }]
    }
  }
}

const first = call("set", [0, 10], "a", done(1, "a"))
const second = call("set", [20, 30], "b", done(2, "b"))
const [one, two] = [version(1, "create", "a"), version(2, "revise", "b")]
const ifA = { if_match: shaOf("a") }

const sound: ReadonlyArray<readonly [string, Run]> = [
  ["nothing at all", run([], [])],
  ["two writes", run([first, second], [one, two])],
  [
    "writes that overlap, in either order",
    run([call("set", [0, 30], "b", done(2, "b")), call("set", [5, 40], "a", done(1, "a"))], [one, two])
  ],
  ["an unknown write that is there", run([first, call("set", [20, 30], "b", unknown)], [one, two])],
  ["an unknown write that is not there", run([first, call("set", [20, 30], "b", unknown)], [one])],
  [
    "an unknown write that came in long after",
    run([call("set", [0, 5], "b", unknown), call("set", [20, 30], "a", done(1, "a"))], [one, two])
  ],
  [
    "a compare-and-set on what it named",
    run([first, call("update", [20, 30], "b", done(2, "b"), ifA)], [one, version(2, "correct", "b")])
  ],
  [
    "a compare-and-set that lost against one beside it",
    run([first, second, call("update", [25, 40], "c", refused, ifA)], [one, two])
  ],
  [
    "a delete by its reason, and its restore",
    run([
      first,
      call("delete", [20, 30], null, unknown, { op: "d" }),
      call("restore", [40, 50], null, unknown)
    ], [one, version(2, "delete", "a", { reason: "d" }), version(3, "restore", "a")])
  ],
  ["nothing to delete", run([call("delete", [0, 10], null, none)], [])],
  [
    "a retry with the first answer",
    run([
      call("set", [0, 10], "a", unknown, { op: "r", idempotency_key: "i" }),
      call("set", [20, 30], "a", done(1, "a"), { op: "r", idempotency_key: "i", attempt: "retry" }),
      call("set", [40, 50], "a", done(1, "a"), { op: "r", idempotency_key: "i", attempt: "replay" })
    ], [one])
  ],
  [
    "reads beside a write, of before and after",
    run([
      first,
      second,
      call("get", [21, 40], null, read(1, "a")),
      call("get", [21, 25], null, read(2, "b"))
    ], [one, two])
  ],
  [
    "a head that was laid down again",
    run([first, call("get", [20, 30], null, read(9, "a"))], [one], { ...headOf(one), version: "9" })
  ],
  ["a dry run", run([first, call("set", [20, 30], "b", done(2, "b"), { dry_run: true })], [one])]
]

const broken: ReadonlyArray<readonly [string, FindingKind, Run]> = [
  ["an acknowledged write is not there", "lost", run([first, second], [one])],
  [
    "an acknowledged version holds another value",
    "lost",
    run([first, call("set", [20, 30], "c", done(2, "c"))], [
      one,
      two
    ])
  ],
  [
    "two writes were told one version",
    "lost",
    run([first, call("set", [20, 30], "b", done(1, "b"))], [one])
  ],
  ["a value stands twice", "applied_twice", run([first], [one, version(2, "restate", "a")])],
  [
    "an unknown write stands twice",
    "applied_twice",
    run([call("set", [0, 10], "a", unknown)], [one, version(2, "revise", "a")])
  ],
  [
    "a write was counted twice",
    "applied_twice",
    run([call("set", [0, 10], "a", done(1, "a", 2))], [{ ...one, reinforcement_count: 2 }])
  ],
  [
    "a delete took place twice, by its write id",
    "applied_twice",
    run([
      first,
      call("delete", [20, 30], null, done(2, "a"), { op: "d" }),
      call("restore", [40, 50], null, done(3, "a"))
    ], [
      one,
      version(2, "delete", "a", { reason: "d" }),
      version(3, "restore", "a"),
      version(4, "delete", "a", { reason: "d", write_id: "w-2" })
    ])
  ],
  [
    "a write stands behind a later one",
    "order",
    run([call("set", [0, 10], "a", done(2, "a")), call("set", [20, 30], "b", done(1, "b"))], [
      version(1, "create", "b"),
      version(2, "revise", "a")
    ])
  ],
  [
    "versions do not grow",
    "order",
    run([first, call("set", [20, 30], "b", done(1, "b"))], [one, { ...two, version: "1" }])
  ],
  [
    "a compare-and-set stands on another value",
    "cas",
    run([first, second, call("update", [40, 50], "c", done(3, "c"), ifA)], [one, two, version(3, "correct", "c")])
  ],
  [
    "an unknown compare-and-set stands on another value",
    "cas",
    run([first, second, call("update", [40, 50], "c", unknown, ifA)], [one, two, version(3, "correct", "c")])
  ],
  [
    "a correction stands on a deleted row",
    "cas",
    run([
      first,
      call("delete", [20, 30], null, done(2, "a"), { op: "d" }),
      call("update", [40, 50], "b", done(3, "b"))
    ], [one, version(2, "delete", "a", { reason: "d" }), version(3, "correct", "b")])
  ],
  [
    "a delete brings an older value back",
    "cas",
    run([first, second, call("delete", [40, 50], null, unknown, { op: "d" })], [
      one,
      two,
      version(3, "delete", "a", { reason: "d" })
    ])
  ],
  [
    "the row changed its id",
    "cas",
    run([first, second], [one, { ...two, memory_id: "other" }])
  ],
  [
    "a refused write is there",
    "refused_applied",
    run([first, call("update", [20, 30], "b", refused, { if_match: "x" })], [one, version(2, "correct", "b")])
  ],
  [
    "a dry run is there",
    "dry_run",
    run([first, call("set", [20, 30], "b", done(2, "b"), { dry_run: true })], [one, two])
  ],
  ["a version that nobody asked for", "unexplained", run([first], [one, two])],
  [
    "a restore that nobody asked for by then",
    "unexplained",
    run([
      first,
      call("delete", [20, 30], null, done(2, "a"), { op: "d" }),
      call("set", [40, 50], "b", done(4, "b")),
      call("restore", [60, 70], null, unknown)
    ], [one, version(2, "delete", "a", { reason: "d" }), version(3, "restore", "a"), version(4, "revise", "b")])
  ],
  [
    "a retry got another answer",
    "idempotency",
    run([
      call("set", [0, 10], "a", done(1, "a"), { op: "r", idempotency_key: "i" }),
      call("set", [20, 30], "a", done(1, "A"), { op: "r", idempotency_key: "i", attempt: "replay" })
    ], [one])
  ],
  [
    "a replay was refused",
    "idempotency",
    run([
      first,
      call("update", [20, 30], "b", done(2, "b"), { op: "r", idempotency_key: "i", ...ifA }),
      call("update", [40, 50], "b", refused, { op: "r", idempotency_key: "i", attempt: "replay", ...ifA })
    ], [one, version(2, "correct", "b")])
  ],
  [
    "a retry was refused although the first attempt was in",
    "idempotency",
    run([
      first,
      call("update", [20, 30], "b", unknown, { op: "r", idempotency_key: "i", ...ifA }),
      call("set", [40, 50], "c", done(3, "c")),
      call("update", [60, 70], "b", refused, { op: "r", idempotency_key: "i", attempt: "retry", ...ifA })
    ], [one, version(2, "correct", "b"), version(3, "revise", "c")])
  ],
  [
    "a compare-and-set was refused without a reason",
    "no_reason",
    run([first, call("update", [20, 30], "b", refused, ifA)], [one])
  ],
  ["a live row was not found", "no_reason", run([first, call("delete", [20, 30], null, none)], [one])],
  [
    "a deleted row was not restored",
    "no_reason",
    run([
      first,
      call("delete", [20, 30], null, done(2, "a"), { op: "d" }),
      call("restore", [40, 50], null, none)
    ], [one, version(2, "delete", "a", { reason: "d" })])
  ],
  ["a strange refusal", "odd", run([call("set", [0, 10], "a", { _tag: "refused", code: "LOCKED" })], [])],
  ["a strange answer", "odd", run([call("set", [0, 10], "a", { _tag: "odd", text: "merged" })], [])],
  ["the head is an older version", "stale_head", run([first, second], [one, two], headOf(one))],
  ["the head is missing", "stale_head", run([first], [one], headOf(undefined))],
  [
    "a read of before an acknowledged write",
    "stale_head",
    run([
      first,
      second,
      call("get", [40, 50], null, read(1, "a"))
    ], [one, two])
  ],
  ["a miss after an acknowledged write", "stale_head", run([first, call("get", [40, 50], null, missed)], [one])],
  [
    "a read of what never became",
    "stale_head",
    run([
      first,
      call("set", [20, 30], "b", unknown),
      call("get", [40, 50], null, read(2, "b"))
    ], [one])
  ],
  [
    "a read of what was not asked for yet",
    "stale_head",
    run([
      first,
      second,
      call("get", [12, 15], null, read(2, "b"))
    ], [one, two])
  ],
  [
    "reads that go back",
    "stale_head",
    run([
      first,
      call("set", [20, 100], "b", done(2, "b")),
      call("get", [30, 40], null, read(2, "b")),
      call("get", [50, 60], null, read(1, "a"))
    ], [one, two])
  ],
  [
    "a miss after a read of a write under way",
    "stale_head",
    run([
      call("set", [20, 100], "a", done(1, "a")),
      call("get", [30, 40], null, read(1, "a")),
      call("get", [50, 60], null, missed)
    ], [one])
  ]
]

describe("a sound history", () => {
  for (const [what, sample] of sound) it(what, () => clean(sample))
})

describe("a broken history", () => {
  for (const [what, kind, sample] of broken) {
    it(`${kind}: ${what}`, () => assert.include(kindsOf(sample), kind))
  }

  it("a conditional write is explained by its calls", () => {
    const late = call("update", [40, 50], "c", done(3, "c"), ifA)
    const [found] = check([first, second, late], run([], [one, two, version(3, "correct", "c")]).facts).findings
    assert.include(found?.text, "stands on version 2")
    assert.deepStrictEqual(found?.calls, [second.id, late.id])
  })
})

describe("a store that tells something else elsewhere", () => {
  const { calls, facts } = run([first, second], [one, two])
  const [key] = facts.keys
  const [namespace] = facts.namespaces
  const changed = (
    more: { readonly key?: Partial<KeyFacts>; readonly namespace?: Partial<Facts["namespaces"][number]> }
  ) =>
    kindsOf({
      calls,
      facts: {
        keys: key ? [{ ...key, ...more.key }] : [],
        namespaces: namespace ? [{ ...namespace, ...more.namespace }] : []
      }
    })
  const feed = namespace?.changes ?? []

  it("is found in the feed, the chain, the list and the past", () => {
    assert.deepStrictEqual(changed({}), [])
    assert.deepStrictEqual(changed({ namespace: { changes: feed.slice(1) } }), ["feed"])
    assert.deepStrictEqual(
      changed({ namespace: { changes: [...feed, { key: "k", change: "revise", version: "3" }] } }),
      ["feed"]
    )
    assert.deepStrictEqual(changed({ namespace: { changes: feed.toReversed() } }), ["feed"])
    assert.deepStrictEqual(changed({ namespace: { chainFaults: ["the link 2 has not its hash"] } }), ["chain"])
    assert.deepStrictEqual(changed({ namespace: { listed: [] } }), ["stale_head"])
    assert.deepStrictEqual(changed({ namespace: { listed: [{ key: "k", sha256: shaOf("a") }] } }), ["stale_head"])
    assert.deepStrictEqual(changed({ key: { past: [{ at: 1, found: true, sha256: shaOf("b") }] } }), [])
    assert.deepStrictEqual(changed({ key: { past: [{ at: 1, found: true, sha256: shaOf("a") }] } }), ["past"])
    assert.deepStrictEqual(changed({ key: { past: [{ at: 0, found: true, sha256: shaOf("a") }] } }), ["past"])
  })
})

describe("a true random run", () => {
  it("is clean", () => {
    let written = 0
    let open = 0
    for (let seed = 1; seed <= 400; seed++) {
      const played = play(seed, 60)
      clean(played)
      written += played.facts.keys.reduce((sum, { versions }) => sum + versions.length, 0)
      open += played.calls.filter(({ ending }) => ending._tag === "unknown").length
    }
    assert.isAbove(written, 5_000)
    assert.isAbove(open, 1_000)
  })
})

/** A run with the versions of one key changed; undefined when the change has nothing to change. */
type Breaking = (
  versions: ReadonlyArray<Version>,
  acknowledged: ReadonlySet<string>
) => ReadonlyArray<Version> | undefined

const breakings: ReadonlyArray<readonly [string, FindingKind, Breaking]> = [
  ["an acknowledged version taken out", "lost", (versions, acknowledged) => {
    const at = versions.findLastIndex((row) => acknowledged.has(row.version))
    return at < 0 ? undefined : versions.toSpliced(at, 1)
  }],
  ["a version laid down once more", "applied_twice", (versions) => {
    const last = versions.findLast(({ change }) => change !== "delete" && change !== "restore")
    return last &&
      [...versions, { ...last, change: "revise", status: "active", version: "9999000000000", write_id: "again" }]
  }],
  ["the values of two versions swapped", "lost", (versions, acknowledged) => {
    const at = versions.findIndex((row, index) =>
      index > 0 && acknowledged.has(row.version) && row.value !== versions[index - 1]?.value
    )
    const [before, row] = [versions[at - 1], versions[at]]
    return row && before && versions.with(at, { ...row, value: before.value, sha256: before.sha256 })
  }],
  ["the last version under the lowest number", "order", (versions) => {
    const last = versions.at(-1)
    return versions.length < 2 ? undefined : last && versions.with(-1, { ...last, version: "1" })
  }]
]

describe("a true random run, broken in one place", () => {
  for (const [what, kind, breaking] of breakings) {
    it(`${kind}: ${what}`, () => {
      let broken = 0
      for (let seed = 1; seed <= 60; seed++) {
        const played = play(seed, 60)
        const acknowledged = new Set(
          played.calls.flatMap(({ ending }) => ending._tag === "done" ? ending.effects.map((one) => one.version) : [])
        )
        const target = played.facts.keys[seed % played.facts.keys.length]
        const versions = target && breaking(target.versions, acknowledged)
        if (versions === undefined) continue
        broken++
        const keys = played.facts.keys.map((key) => key === target ? { ...key, versions } : key)
        assert.include(kindsOf({ calls: played.calls, facts: { ...played.facts, keys } }), kind, `seed ${seed}`)
      }
      assert.isAbove(broken, 30)
    })
  }

  it("stale_head: the read after an acknowledged write shows the state before it", () => {
    let broken = 0
    for (let seed = 1; seed <= 60; seed++) {
      const { calls: played, facts } = play(seed, 60)
      for (const { key, namespace, versions } of facts.keys) {
        const at = versions.findLastIndex(({ status }, index) => isLive(status) && index < versions.length - 1)
        const [old, next] = [versions[at], versions[at + 1]]
        const writer = played.find(({ ending }) =>
          ending._tag === "done" && ending.effects.some((effect) => effect.version === next?.version)
        )
        // Of a dry run's answer, which names a version too, there is nothing to be stale against.
        if (old === undefined || writer === undefined || writer.dry_run) continue
        broken++
        const { sha256, value, version: number } = old
        const late: Call = {
          ...call("get", [writer.end + 1, writer.end + 2], null, {
            _tag: "read",
            found: true,
            version: number,
            sha256,
            value
          }),
          namespace,
          parts: [{ key, value: null }]
        }
        assert.include(kindsOf({ calls: [...played, late], facts }), "stale_head", `seed ${seed}`)
      }
    }
    assert.isAbove(broken, 60)
  })
})
