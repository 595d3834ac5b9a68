/** Which jobs come next: in order within a session, side by side elsewhere, and none of a model that does not answer. */
import { assert, describe, it } from "@effect/vitest"
import type { JobSign } from "../../src/extraction/ExtractionJobModel.ts"
import { ExtractionLine } from "../../workers/ExtractionLine.ts"
import type { Gates } from "../../workers/ExtractionLine.ts"

const sign = (
  job_id: string,
  changed: Partial<JobSign> & { readonly session?: string; readonly namespace?: string } = {}
) => {
  const { namespace = "eng", session = job_id, ...rest } = changed
  const one: JobSign = {
    scope: { org: "acme", namespace },
    writer: { agent: "", user_id: "ada", session_id: session },
    job_id,
    extractor: "auto",
    state: "queued",
    retry_at: null,
    created_at: 0,
    version: 1n,
    ...rest
  }
  return one
}

const gates = (now: number, changed: Partial<Gates> = {}): Gates => ({
  now,
  isPaused: () => false,
  asks: ({ extractor }) => ({ model: extractor !== "rules", able: true }),
  ...changed
})

const idsOf = (signs: ReadonlyArray<JobSign>) => signs.map(({ job_id }) => job_id)

describe("ExtractionLine", () => {
  it("takes a session's jobs one after another, oldest first, and others beside them", () => {
    const line = new ExtractionLine({ atOnce: 9, ofNamespace: 9 })
    line.note([sign("b", { session: "s", created_at: 2 }), sign("a", { session: "s", created_at: 1 }), sign("c")])
    const taken = line.take(gates(0))
    assert.deepStrictEqual(idsOf(taken), ["a", "c"])
    assert.deepStrictEqual(idsOf(line.take(gates(0))), [])
    line.end(taken[0] ?? sign("a"), sign("a", { session: "s", state: "done", version: 2n }), true)
    assert.deepStrictEqual(idsOf(line.take(gates(0))), ["b"])
    assert.strictEqual(line.size, 2)
  })

  it("leaves room to other namespaces, and no more than there is", () => {
    const line = new ExtractionLine({ atOnce: 3, ofNamespace: 2 })
    line.note(
      [..."abcd"].map((id) => sign(id)).concat(sign("x", { namespace: "ops" }), sign("y", { namespace: "ops" }))
    )
    assert.deepStrictEqual(idsOf(line.take(gates(0))), ["a", "b", "x"])
  })

  it("waits for what is marked, paused, or asks for a model that there is none of", () => {
    const line = new ExtractionLine({ atOnce: 9, ofNamespace: 9 })
    line.note([
      sign("marked", { state: "running", retry_at: 50 }),
      sign("crashed", { state: "running" }),
      sign("later", { state: "waiting", retry_at: 60 }),
      sign("paused", { namespace: "ops" }),
      sign("unable", { extractor: "model" })
    ])
    const asked = (now: number) =>
      gates(now, {
        isPaused: ({ namespace }) => namespace === "ops",
        asks: ({ extractor }) => ({ model: extractor === "model", able: extractor !== "model" })
      })
    assert.deepStrictEqual(idsOf(line.take(asked(49))), ["crashed"])
    assert.deepStrictEqual(idsOf(line.take(asked(60))), ["marked", "later"])
  })

  it("lets the jobs of a model rest that does not answer, but for one that tries, and no others", () => {
    const line = new ExtractionLine({ atOnce: 9, ofNamespace: 9 })
    line.note(["a", "b", "c"].map((id) => sign(id)))
    const [first] = line.take(gates(0))
    line.modelFailed(0)
    line.end(first ?? sign("a"), undefined, true)
    line.note([sign("rules", { extractor: "rules" })])
    assert.deepStrictEqual(idsOf(line.take(gates(500))), ["rules"])
    const others = ["b", "c"].map((id) => sign(id))
    others.forEach((one) => line.end(one, undefined, true))
    const [probe, ...more] = line.take(gates(1_000))
    assert.deepStrictEqual([probe?.job_id, more], ["a", []])
    line.modelFailed(1_000)
    line.end(sign("a"), undefined, true)
    // Twice as long the second time.
    assert.deepStrictEqual(line.take(gates(2_900)), [])
    assert.deepStrictEqual(idsOf(line.take(gates(3_000))), ["a"])
    line.modelAnswered()
    assert.deepStrictEqual(idsOf(line.take(gates(3_000))), ["b", "c"])
  })

  it("goes by the last news of a job, whatever comes late", () => {
    const line = new ExtractionLine({ atOnce: 9, ofNamespace: 9 })
    line.note([sign("a", { state: "waiting", retry_at: 90, version: 3n })])
    line.note([sign("a", { version: 2n })])
    assert.deepStrictEqual(line.take(gates(0)), [])
    line.note([sign("a", { state: "dropped", version: 4n })])
    assert.deepStrictEqual([line.size, line.oldest], [0, undefined])
  })
})
