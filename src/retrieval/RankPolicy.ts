/** The one order of what the legs found: a decision that a deployment may replace. The default is `Fusion`. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Fusion from "./Fusion.ts"

export class RankPolicy extends Context.Tag("loom/retrieval/RankPolicy")<RankPolicy, {
  /** All candidates, best first. Total, and the same for any order of the input; components add up to the score. */
  readonly rank: (
    candidates: ReadonlyArray<Fusion.Candidate>,
    evidence: Fusion.Evidence
  ) => ReadonlyArray<Fusion.Ranked>
}>() {}

export const layer: Layer.Layer<RankPolicy> = Layer.succeed(RankPolicy, { rank: Fusion.rank })
