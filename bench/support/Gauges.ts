/**
 * What a runner tells of itself at `/metrics`: its actors, its shards, and what it has committed.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export interface Gauges {
  readonly actors: number
  readonly shards: number
  readonly commits: number
  readonly rows: number
}

export class NoMetrics extends Data.TaggedError("NoMetrics")<{ readonly url: string; readonly cause: unknown }> {}

/** The sum over all labels of a metric. */
const total = (text: string, name: string): number =>
  text.split("\n")
    .filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0)

/** Of the process whose HTTP is at this address, without a slash at the end. */
export const of = (url: string): Effect.Effect<Gauges, NoMetrics> =>
  Effect.tryPromise({
    try: async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return {
        actors: total(text, "loom_actors_active"),
        shards: total(text, "loom_shards"),
        commits: total(text, "loom_commits_total"),
        rows: total(text, "loom_commit_rows_total")
      }
    },
    catch: (cause) => new NoMetrics({ url, cause })
  })
