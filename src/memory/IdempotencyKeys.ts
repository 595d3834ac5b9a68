/**
 * The idempotency keys of a namespace as its actor knows them: the answers given last in full, the keys before them by
 * hash alone (their answers lie in the store). Bounded: beyond `MAX_KEYS` every unknown key is asked of the store.
 */
import { isWriteKey } from "./WriteKeys.ts"

/** An answer given under an idempotency key. */
export interface FirstAnswer {
  readonly payload_hash: string
  readonly answer: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** How long the first answer is given again (milliseconds). */
export const ANSWER_TTL_MILLIS = 24 * 60 * 60 * 1000

// Retries come within seconds; at a few hundred bytes an answer this is about 2 MB.
const MAX_ANSWERS = 4_096
// Sixteen hex digits each, about 80 bytes in a set: some 20 MB for a namespace that writes three keyed writes a second
// for a day. Two digits alike in sixteen only cost a look into the store.
const MAX_KEYS = 250_000
const KEY_BYTES = 80
const ANSWER_BYTES = 1_000
const PREFIX = 16
const prefixOf = (hash: string): string => isWriteKey(hash) ? hash : hash.slice(0, PREFIX)

export class IdempotencyKeys {
  private readonly answers = new Map<string, FirstAnswer>()
  // Keys of the running day and of the one before; a key is kept for one to two days.
  private today = new Set<string>()
  private yesterday = new Set<string>()

  /** What they take, by estimate. */
  get bytes(): number {
    return this.answers.size * ANSWER_BYTES + (this.today.size + this.yesterday.size) * KEY_BYTES
  }

  constructor(earlier: Iterable<string>, private since: number) {
    for (const hash of earlier) this.today.add(prefixOf(hash))
  }

  /** The answer to a key used lately; undefined when the key is not among the last, or was used too long ago. */
  recent(hash: string, now: number): FirstAnswer | undefined {
    const found = this.answers.get(hash)
    return found === undefined || now - found.at > ANSWER_TTL_MILLIS ? undefined : found
  }

  /** Whether the store may hold an answer to the key. */
  mayBeStored(hash: string): boolean {
    const key = prefixOf(hash)
    if (this.today.has(key) || this.yesterday.has(key)) return true
    return this.today.size + this.yesterday.size >= MAX_KEYS && !isWriteKey(hash)
  }

  remember(hash: string, answer: FirstAnswer): void {
    if (answer.at - this.since > ANSWER_TTL_MILLIS) {
      this.yesterday = this.today
      this.today = new Set()
      this.since = answer.at
    }
    this.answers.delete(hash)
    this.answers.set(hash, answer)
    // A write that is remembered by its id comes again within seconds, or never.
    if (this.today.size + this.yesterday.size < MAX_KEYS && !isWriteKey(hash)) this.today.add(prefixOf(hash))
    for (const oldest of this.answers.keys()) {
      if (this.answers.size <= MAX_ANSWERS) return
      this.answers.delete(oldest)
    }
  }
}
