/**
 * How long a committer waits for its next commit to grow. A commit costs the store much the same however many batches it
 * holds (one part in each of its tables). While many actors write, those that were answered last come back within a moment;
 * a commit that begins without them leaves them for a second one, and two of half the size cost nearly twice as much. So
 * the committer waits for as many as it has just seen, no longer than a share of what a commit takes. Where nobody came
 * back in time it was in vain, and is not tried again for some commits. A lone actor never waits.
 */

// Of the time that the commit before took. Whoever comes back within that is cheaper to wait for than to leave behind; what
// is lost on those who do not come is bounded by it.
const PATIENCE = 0.5
// Milliseconds at most, however slow the store is: its answers are late enough then.
const LONGEST = 100
// All but a few of those who were there: some always stay away.
const SHARE = 0.75
// Commits without a wait after one in vain, which costs a sixteenth of their time at most then.
const REST = 8

/** What to wait for. */
export interface Wait {
  readonly batches: number
  readonly millis: number
}

export class CommitGather {
  private seen = 0
  private took = 0
  private rest = 0

  /** Before a commit; null when it should begin at once. */
  next(): Wait | null {
    if (this.rest > 0) {
      this.rest--
      return null
    }
    const batches = Math.floor(this.seen * SHARE)
    return batches < 2 ? null : { batches, millis: Math.min(LONGEST, this.took * PATIENCE) }
  }

  /** A wait ended with so many batches there. */
  waited(wait: Wait, there: number): void {
    if (there < wait.batches) this.rest = REST
  }

  /** A commit of so many batches took so long, and at its end so many others had come. */
  committed(batches: number, others: number, millis: number): void {
    this.seen = batches + others
    this.took = millis
  }
}
