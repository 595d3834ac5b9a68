/**
 * The memory that all actors of a process have for what they know. Each tells what its state takes whenever it has used it;
 * when that is too much together, the states that were used longest ago are thrown away. Their actors load them again for
 * their next write, so a bound that is too small costs time and nothing else. Sizes are estimates in bytes.
 */

/** An actor's state. */
export interface Held {
  /** Throws it away, unless the actor is at work; whether it did. */
  readonly letGo: () => boolean
}

/**
 * Beyond the largest state there is by default (heads, rows and vectors: some 550 MB), and with all else in the process
 * below the 2 GB that Node takes for itself on a machine of 4.
 */
export const DEFAULT_BYTES = 1024 * 1024 * 1024

export class ActorMemory {
  /** In the order of their last use. */
  private readonly states = new Map<Held, number>()
  private total = 0

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.total
  }

  /** Notes that a state was used and what it takes by now. */
  used(one: Held, bytes: number): void {
    this.forget(one)
    this.states.set(one, bytes)
    this.total += bytes
    for (const oldest of this.states.keys()) {
      if (this.total <= this.maxBytes) return
      // Who is at work says so again when he has done it.
      if (oldest !== one && oldest.letGo()) this.forget(oldest)
    }
  }

  /** The state is gone. */
  forget(one: Held): void {
    this.total -= this.states.get(one) ?? 0
    this.states.delete(one)
  }
}
