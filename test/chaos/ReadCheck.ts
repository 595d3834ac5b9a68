/**
 * Reads of one key against its history. A read shows a state that stands in the history, that can have been current within
 * the read, and no earlier one than a read that had ended before it began: acknowledged writes are seen by every read that
 * begins after (through any gateway), nothing is seen that does not stay, and nobody goes back.
 */
import type { Finding } from "./Finding.ts"
import type { Read } from "./Operations.ts"
import type { Timeline } from "./Timeline.ts"

interface Seen {
  readonly read: Read
  readonly index: number
}

export const checkReads = (
  namespace: string,
  key: string,
  reads: ReadonlyArray<Read>,
  timeline: Timeline
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const find = (text: string, calls: ReadonlyArray<number>) =>
    void findings.push({ kind: "stale_head", namespace, key, text, calls })
  const ended: Array<Seen> = []
  for (const read of reads.toSorted((left, right) => left.start - right.start)) {
    const shown = matching(read, timeline)
    const said = read.ending.found
      ? `version ${read.ending.version} with ${read.ending.sha256.slice(0, 12)}`
      : "no live row"
    if (shown.length === 0) {
      // Seen before it was decided: voided, and done again by its retry.
      const again = timeline.states.find(({ version }) => read.ending.found && version.value === read.ending.value)
      const more = again === undefined ? "" : `; its value is there as version ${again.version.version}`
      find(`a read showed ${said}, which is not in the history${more}`, [read.call, ...again?.operation?.calls ?? []])
      continue
    }
    const possible = shown.filter((index) => timeline.possible(index, read.start, read.end))
    if (possible.length === 0) {
      const over = timeline.overBy(Math.max(...shown), read.start)
      const why = over === undefined
        ? "before it was asked for"
        : `although version ${over.version.version} was acknowledged before the read began`
      find(`a read showed ${said} ${why}`, [read.call, ...over?.operation?.calls ?? []])
      continue
    }
    const earlier = furthest(ended, read.start)
    const index = possible.find((one) => one >= (earlier?.index ?? -1))
    if (index === undefined && earlier !== undefined) {
      const before = timeline.states[earlier.index]?.version.version ?? "none"
      find(`a read showed ${said} after another had shown version ${before}`, [earlier.read.call, read.call])
      continue
    }
    ended.push({ read, index: index ?? -1 })
  }
  return findings
}

/** The states that a read can be of, oldest first. A head laid down again has a version of its own. */
const matching = ({ ending }: Read, { states }: Timeline): ReadonlyArray<number> => {
  if (!ending.found) return [-1, ...states.flatMap(({ index, live }) => live ? [] : [index])]
  const exact = states.find(({ version }) => version.version === ending.version)
  if (exact !== undefined) {
    return exact.live && exact.version.sha256 === ending.sha256 && exact.version.value === ending.value
      ? [exact.index]
      : []
  }
  return states
    .filter((state) =>
      state.live && state.number < BigInt(ending.version) && state.version.sha256 === ending.sha256 &&
      state.version.value === ending.value
    )
    .map(({ index }) => index)
}

/** The latest state that was shown by a read that had ended before a moment. */
const furthest = (ended: ReadonlyArray<Seen>, moment: number): Seen | undefined => {
  let found: Seen | undefined
  for (const seen of ended) {
    if (seen.read.end < moment && (found === undefined || seen.index > found.index)) found = seen
  }
  return found
}
