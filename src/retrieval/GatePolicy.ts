/** When a search says that it does not know: a decision that a deployment may replace. The default is `Gate`. */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Gate from "./Gate.ts"

export class GatePolicy extends Context.Tag("loom/retrieval/GatePolicy")<GatePolicy, {
  /** Whether a memory of this relevance, 0 to 1, can stand in an answer. */
  readonly isEnough: (relevance: number) => boolean
  /** The verdict on the relevances that were found; `degraded` names what did not answer. */
  readonly judge: (relevances: ReadonlyArray<number>, degraded: ReadonlyArray<string>) => Gate.Verdict
}>() {}

/** Abstains below this relevance; with null, never. */
export const layerWith = (floor: number | null): Layer.Layer<GatePolicy> =>
  Layer.succeed(GatePolicy, {
    isEnough: (relevance) => Gate.isEnough(floor, relevance),
    judge: (relevances, degraded) => Gate.judge(floor, relevances, degraded)
  })

export const layer: Layer.Layer<GatePolicy> = layerWith(Gate.DEFAULT_FLOOR)

const floorOf = (text: string): Either.Either<number | null, ConfigError.ConfigError> => {
  if (text === "on") return Either.right(Gate.DEFAULT_FLOOR)
  if (text === "off") return Either.right(null)
  const floor = Number(text)
  return text.trim() !== "" && floor >= 0 && floor <= 1
    ? Either.right(floor)
    : Either.left(ConfigError.InvalidData(["SEARCH_GATE"], "expected on, off or a number from 0 to 1"))
}

/** As `LOOM_SEARCH_GATE` says: `on` with the default floor, `off`, or a floor. */
export const setting: Config.Config<number | null> = Config.nested(
  Config.string("SEARCH_GATE").pipe(Config.withDefault("on"), Config.mapOrFail(floorOf)),
  "LOOM"
)

export const layerConfig: Layer.Layer<GatePolicy, ConfigError.ConfigError> = Layer.unwrapEffect(
  Effect.map(setting, layerWith)
)
