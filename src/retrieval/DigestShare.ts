/**
 * What a digest is worth to the memories it was made from. Pure. A digest speaks only while every one of them is live with
 * the content it had: a text made from what was deleted or corrected since would still answer to its words.
 */
import type { StandingHead } from "./DigestIndex.ts"
import type { FoundDigest } from "./DigestModel.ts"
import { placeKey } from "./SearchModel.ts"
import type { Head } from "./SearchModel.ts"

/** How close a digest is to the question, 0 to 1: the mean of its cosine and the share of the words it holds. */
export const closeness = ({ cosine, held }: FoundDigest): number =>
  cosine === null ? held : (Math.max(cosine, 0) + held) / 2

/** The more memories a digest sums up, the less it says of each: a text of four says half of what a text of one does. */
export const shareOf = (digest: FoundDigest): number =>
  closeness(digest) / Math.sqrt(Math.max(digest.members.length, 1))

export interface DigestHit {
  readonly head: Head
  /** 0 to 1. */
  readonly share: number
  /** The digest that led to it. */
  readonly digest_id: string
}

/** The memories that digests lead to, each by the digest that says most of it, the best first. */
export const hitsOf = (
  digests: ReadonlyArray<FoundDigest>,
  heads: ReadonlyArray<StandingHead>,
  limit: number
): ReadonlyArray<DigestHit> => {
  const best = new Map<string, DigestHit>()
  for (const digest of digests) {
    const named = digest.members.map((member) => heads.filter(({ head }) => isMember(digest, member, head)))
    if (named.some((live) => live.length === 0)) continue
    const share = shareOf(digest)
    if (share <= 0) continue
    for (const { head, isFound } of named.flat()) {
      const key = placeKey(head)
      if (isFound && share > (best.get(key)?.share ?? 0)) best.set(key, { head, share, digest_id: digest.digest_id })
    }
  }
  return [...best.values()].sort((a, b) => b.share - a.share || compare(a.head, b.head)).slice(0, limit)
}

const isMember = (digest: FoundDigest, member: FoundDigest["members"][number], head: Head): boolean =>
  head.memory_key === member.memory_key && head.content_sha256 === member.content_sha256 &&
  head.user_id === digest.user_id && (digest.agent === "" || head.agent === digest.agent) &&
  (digest.session_id === "" || head.session_id === "" || head.session_id === digest.session_id)

const compare = (a: Head, b: Head): number =>
  a.version !== b.version ? (a.version > b.version ? -1 : 1) : a.memory_id < b.memory_id ? -1 : 1
