/**
 * The jobs that are not finished as the owner of the queue knows them, and which of them come next. The jobs of one session
 * are taken one after another, oldest first, so that what was said later is judged later; sessions go side by side, and no
 * namespace takes all the room. While the model does not answer its jobs rest, but for one that tries; nothing else waits.
 */
import { isFinished } from "../src/extraction/ExtractionJobModel.ts"
import type { JobSign } from "../src/extraction/ExtractionJobModel.ts"
import { waitMillis } from "../src/extraction/ExtractionJobPolicy.ts"
import { actorId } from "../src/kernel/Identity.ts"
import type { Scope } from "../src/kernel/Identity.ts"

export interface Room {
  /** Jobs at a time. */
  readonly atOnce: number
  /** Of these, at most so many of one namespace. */
  readonly ofNamespace: number
}

/** What decides whether a job may be taken now. */
export interface Gates {
  readonly now: number
  readonly isPaused: (scope: Scope) => boolean
  readonly asks: (job: Pick<JobSign, "extractor">) => { readonly model: boolean; readonly able: boolean }
}

const keyOf = ({ job_id, scope }: JobSign): string => `${actorId(scope)} ${job_id}`

const laneOf = ({ scope, writer: { agent, session_id, user_id } }: JobSign): string =>
  JSON.stringify([actorId(scope), agent, user_id, session_id])

const byAge = (left: JobSign, right: JobSign): number =>
  left.created_at - right.created_at || (left.job_id < right.job_id ? -1 : 1)

export class ExtractionLine {
  /** The unfinished jobs of each session, oldest first; the sessions in the order in which they came. */
  private readonly lanes = new Map<string, Array<JobSign>>()
  /** Jobs that are being worked on, by session. */
  private readonly busy = new Map<string, JobSign>()
  private readonly busyIn = new Map<string, number>()
  private modelAtWork = 0
  private modelFailures = 0
  private modelRestsUntil = 0

  constructor(private readonly room: Room) {}

  /** Jobs that are not finished, those at work included. */
  get size(): number {
    let size = 0
    for (const lane of this.lanes.values()) size += lane.length
    return size
  }

  /** When the oldest of them came; undefined when there is none. */
  get oldest(): number | undefined {
    let oldest: number | undefined
    for (const [first] of this.lanes.values()) {
      if (first !== undefined && (oldest === undefined || first.created_at < oldest)) oldest = first.created_at
    }
    return oldest
  }

  /** What the store says of jobs; older news of a job than the last is left aside. */
  note(signs: ReadonlyArray<JobSign>): void {
    for (const sign of signs) {
      const lane = laneOf(sign)
      const before = this.lanes.get(lane) ?? []
      const known = before.find((one) => keyOf(one) === keyOf(sign))
      if (known !== undefined && known.version > sign.version) continue
      const others = before.filter((one) => one !== known)
      this.keep(lane, isFinished(sign) ? others : [...others, sign].sort(byAge))
    }
  }

  private keep(lane: string, signs: Array<JobSign>): void {
    if (signs.length === 0) this.lanes.delete(lane)
    else this.lanes.set(lane, signs)
  }

  /** The jobs to begin now; each is at work until `end`. */
  take(gates: Gates): ReadonlyArray<JobSign> {
    const taken: Array<JobSign> = []
    for (const [lane, [sign]] of this.lanes) {
      if (this.busy.size >= this.room.atOnce) break
      if (sign === undefined || this.busy.has(lane) || !this.isDue(sign, gates)) continue
      const namespace = actorId(sign.scope)
      const atWork = this.busyIn.get(namespace) ?? 0
      if (atWork >= this.room.ofNamespace) continue
      this.busy.set(lane, sign)
      this.busyIn.set(namespace, atWork + 1)
      if (gates.asks(sign).model) this.modelAtWork++
      taken.push(sign)
    }
    return taken
  }

  private isDue(sign: JobSign, { asks, isPaused, now }: Gates): boolean {
    if ((sign.retry_at !== null && sign.retry_at > now) || isPaused(sign.scope)) return false
    const { able, model } = asks(sign)
    if (!able) return false
    if (!model || this.modelFailures === 0) return true
    return now >= this.modelRestsUntil && this.modelAtWork === 0
  }

  /** A job is no longer at work; `next` is how it stands. Undefined when nothing was done with it. */
  end(sign: JobSign, next: JobSign | undefined, asksModel: boolean): void {
    this.busy.delete(laneOf(sign))
    const namespace = actorId(sign.scope)
    const left = (this.busyIn.get(namespace) ?? 1) - 1
    if (left === 0) this.busyIn.delete(namespace)
    else this.busyIn.set(namespace, left)
    if (asksModel) this.modelAtWork--
    if (next !== undefined) this.note([next])
  }

  /** The model answered: nothing rests any more. */
  modelAnswered(): void {
    this.modelFailures = 0
  }

  /** The model did not answer: its jobs rest, the longer the more often it did not. */
  modelFailed(now: number): void {
    // Those that were at work together fail together.
    if (now < this.modelRestsUntil) return
    this.modelFailures++
    this.modelRestsUntil = now + waitMillis(this.modelFailures)
  }
}
