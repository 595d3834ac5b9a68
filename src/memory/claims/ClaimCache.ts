/**
 * Parsed claims, kept for the next comparison: the same stored memories are met again and again. Bounded, the longest
 * kept first out.
 */
import { compareClaims, parseClaim } from "./ClaimCompare.ts"
import type { Claim, Comparison } from "./ClaimCompare.ts"

// A longer text is parsed each time: a few of them would take the place of thousands of facts.
const LONGEST_KEPT = 4_000

export class ClaimCache {
  private readonly claims = new Map<string, Claim>()

  constructor(private readonly capacity: number) {}

  private claimOf(text: string): Claim {
    const known = this.claims.get(text)
    if (known !== undefined) return known
    const claim = parseClaim(text)
    if (text.length > LONGEST_KEPT) return claim
    for (const oldest of this.claims.keys()) {
      if (this.claims.size < this.capacity) break
      this.claims.delete(oldest)
    }
    this.claims.set(text, claim)
    return claim
  }

  compare(stored: string, written: string, similarity: number): Comparison {
    return compareClaims(this.claimOf(stored), this.claimOf(written), similarity)
  }
}
