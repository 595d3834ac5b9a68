/** Parts of a score for tests that are about something else. */
import type { Components } from "../../src/retrieval/Fusion.ts"

export const noComponents: Components = {
  words: 0,
  vector: 0,
  identifier: 0,
  entities: 0,
  digests: 0,
  names: 0,
  time: 0,
  exact: 0,
  fullness: 0,
  recency: 0,
  confidence: 0,
  trust: 0,
  usage: 0,
  sensitivity: 0,
  tags_soft: 0,
  demote_tags: 0
}
