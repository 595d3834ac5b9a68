/**
 * What a store must hold after writes of which each was applied exactly once: an exact model of the keys of one writer.
 * A step is a request with its idempotency key, what it does to the model, and what its answer must say then; a step
 * applied twice, or lost, shows in `reinforcement_count` or in the number of versions.
 */
import { assert } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { unrelated } from "../support/Facts.ts"
import { randomOf } from "../support/Seeded.ts"

/** One key as the model knows it. */
export interface Claim {
  readonly value: string
  readonly live: boolean
  readonly count: number
  readonly versions: number
}

export interface Step {
  readonly verb: string
  readonly body: { readonly namespace: string; readonly idempotency_key: string }
  /** The keys it may change. */
  readonly keys: ReadonlyArray<string>
  /** Looks at the answer and changes the model. */
  readonly settle: (answer: unknown) => void
}

const Answer = Schema.Struct({
  memory_key: Schema.String,
  merged_into_key: Schema.NullOr(Schema.String),
  reinforcement_count: Schema.Number
})
const Updated = Schema.Struct({ updated: Schema.Boolean, reinforcement_count: Schema.optional(Schema.Number) })
const Deleted = Schema.Struct({ tombstoned: Schema.Boolean, count: Schema.Number })
const Restored = Schema.Struct({ restored: Schema.Boolean, reinforcement_count: Schema.optional(Schema.Number) })
const Bulk = Schema.Struct({
  ok: Schema.Boolean,
  results: Schema.Array(Schema.Struct({ answer: Schema.NullOr(Answer) }))
})

// Longer than a vector's excerpt, so that it has passages.
const longText = (what: string) => `${what}. `.repeat(50)

export class Writer {
  readonly claims = new Map<string, Claim>()
  private readonly random: () => number
  private steps = 0
  private values = 0

  constructor(readonly name: string, readonly namespace: string, private readonly seed: number) {
    this.random = randomOf(seed)
  }

  private below(bound: number): number {
    return Math.floor(this.random() * bound)
  }

  private newValue(): string {
    // A fact of its own: what other facts it contradicted would be written to them too.
    const what = unrelated(this.seed * 10_000 + this.values++)
    return this.below(8) === 0 ? longText(what) : what
  }

  private put(key: string, change: Partial<Claim>): void {
    const before = this.claims.get(key) ?? { value: "", live: false, count: 0, versions: 0 }
    this.claims.set(key, { ...before, versions: before.versions + 1, ...change })
  }

  private step(verb: string, fields: object, keys: ReadonlyArray<string>, settle: (answer: unknown) => void): Step {
    const idempotency_key = `${this.name}-${this.steps}`
    return { verb, body: { namespace: this.namespace, ...fields, idempotency_key }, keys, settle }
  }

  private told(answer: { readonly reinforcement_count?: number | undefined }, count: number, what: string) {
    assert.strictEqual(answer.reinforcement_count, count, `${what} of ${this.name} at step ${this.steps}`)
  }

  /** A set of this value, as the model sees it. */
  private state(key: string, value: string): Step {
    const before = this.claims.get(key)
    const again = before !== undefined && before.live && before.value === value
    const count = again ? before.count + 1 : 1
    const labels = { tags: [`step-${this.steps}`], entities: ["The Oat Mill", `thing ${this.steps}`] }
    return this.step("memory.set", { memory_key: key, value, ...labels }, [key], (raw) => {
      this.told(Schema.decodeUnknownSync(Answer)(raw), count, `set ${key}`)
      this.put(key, { value, live: true, count })
    })
  }

  private bulk(keys: ReadonlyArray<string>): Step {
    const values = keys.map(() => this.newValue())
    const items = keys.map((memory_key, index) => ({ memory_key, value: values[index] }))
    return this.step("memory.bulk_set", { items }, keys, (raw) => {
      const answer = Schema.decodeUnknownSync(Bulk)(raw)
      assert.isTrue(answer.ok)
      answer.results.forEach((result, index) => {
        this.told(result.answer ?? {}, 1, `bulk_set ${keys[index]}`)
        this.put(keys[index] ?? "", { value: values[index] ?? "", live: true, count: 1 })
      })
    })
  }

  /** The next request of this writer; it must be settled before another one is asked for. */
  next(): Step {
    this.steps++
    const key = `${this.name}/fact/${this.below(5)}`
    const claim = this.claims.get(key)
    if (claim === undefined || this.below(6) === 0) return this.state(key, this.newValue())
    const { count, live, value } = claim
    switch (this.below(7)) {
      case 0:
        return this.bulk([0, 1, 2].map((index) => `${this.name}/bulk/${index}`))
      case 1:
        return this.state(key, live ? value : this.newValue())
      case 2: {
        // The same words under a key that never holds a row: they merge into this one.
        if (!live) break
        const other = `${this.name}/merged/${this.steps}`
        return this.step(
          "memory.set",
          { memory_key: other, value: `  ${value.toUpperCase()} ` },
          [key, other],
          (raw) => {
            const answer = Schema.decodeUnknownSync(Answer)(raw)
            assert.strictEqual(answer.merged_into_key, key)
            this.told(answer, count + 1, `merge into ${key}`)
            this.put(key, { count: count + 1 })
          }
        )
      }
      case 3: {
        const changed = this.newValue()
        return this.step("memory.update", { memory_key: key, value: changed }, [key], (raw) => {
          const answer = Schema.decodeUnknownSync(Updated)(raw)
          assert.strictEqual(answer.updated, live)
          if (!live) return
          this.told(answer, count, `update ${key}`)
          this.put(key, { value: changed })
        })
      }
      case 4:
        return this.step("memory.update", { memory_key: key, tags: [`labelled-${this.steps}`] }, [key], (raw) => {
          assert.strictEqual(Schema.decodeUnknownSync(Updated)(raw).updated, live)
          if (live) this.put(key, {})
        })
      case 5:
        return this.step("memory.delete", { memory_key: key }, [key], (raw) => {
          assert.strictEqual(Schema.decodeUnknownSync(Deleted)(raw).tombstoned, live)
          if (live) this.put(key, { live: false })
        })
      default:
        break
    }
    if (live) return this.state(key, this.newValue())
    return this.step("memory.restore", { memory_key: key }, [key], (raw) => {
      const answer = Schema.decodeUnknownSync(Restored)(raw)
      assert.isTrue(answer.restored)
      this.told(answer, count, `restore ${key}`)
      this.put(key, { live: true })
    })
  }
}
