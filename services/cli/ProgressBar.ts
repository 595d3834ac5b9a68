/**
 * How far a long command is, on stderr: a bar that is drawn over itself on a terminal, else a plain line now and then. It
 * says the rate of this run and, by that, how long the rest takes.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Streams } from "./Streams.ts"
import type { Writer } from "./Streams.ts"

export interface ProgressBar {
  /** Counts what was done. */
  readonly advance: (count: number) => Effect.Effect<void>
  /** Writes a line between two states of the bar. */
  readonly say: (line: string) => Effect.Effect<void>
  /** Draws the last state. */
  readonly end: Effect.Effect<void>
}

export interface ProgressOptions {
  readonly label: string
  readonly total: number
  /** What earlier runs did: it counts as done and not for the rate. */
  readonly before: number
}

// A terminal is drawn ten times a second; a log wants a line every five seconds.
const TTY_MILLIS = 100
const LOG_MILLIS = 5_000
const WIDTH = 24

const span = (seconds: number): string => {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The words of one state; `elapsed` in milliseconds. */
export const words = ({ before, label, total }: ProgressOptions, done: number, elapsed: number): string => {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total)
  const rate = elapsed <= 0 ? 0 : ((done - before) * 1000) / elapsed
  const left = done >= total ? `in ${span(elapsed / 1000)}` : rate === 0 ? "" : `${span((total - done) / rate)} left`
  return [`${label} ${done} of ${total} (${percent} %)`, ...(rate === 0 ? [] : [`${Math.round(rate)}/s`]), left]
    .filter((part) => part !== "").join(", ")
}

const bar = (done: number, total: number): string => {
  const full = total === 0 ? WIDTH : Math.floor((WIDTH * done) / total)
  return `[${"#".repeat(full)}${"-".repeat(WIDTH - full)}]`
}

const on = (options: ProgressOptions, screen: Writer, began: number): ProgressBar => {
  const tty = screen.isTTY === true
  let done = options.before
  let drawnAt = began
  const draw = (now: number) => {
    drawnAt = now
    const text = words(options, done, now - began)
    // \x1b[K clears what a longer line left behind.
    screen.write(tty ? `\r${bar(done, options.total)} ${text}\x1b[K` : `${text}\n`)
  }
  return {
    advance: (count) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        done += count
        if (now - drawnAt >= (tty ? TTY_MILLIS : LOG_MILLIS)) draw(now)
      }),
    say: (line) => Effect.sync(() => void screen.write(tty ? `\r\x1b[K${line}\n` : `${line}\n`)),
    end: Effect.map(Clock.currentTimeMillis, (now) => {
      draw(now)
      if (tty) screen.write("\n")
    })
  }
}

/** A bar on stderr that begins now. */
export const make = (options: ProgressOptions): Effect.Effect<ProgressBar> =>
  Effect.zipWith(Streams, Clock.currentTimeMillis, ({ stderr }, began) => on(options, stderr, began))
