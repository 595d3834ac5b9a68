/**
 * The handler of `calibration.get`: what `Thresholds` and the namespace's pins come to, in numbers and in words.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { resolveScope } from "../kernel/Caller.ts"
import type { BoundVerb } from "../kernel/Verb.ts"
import { bind } from "../kernel/Verb.ts"
import { pinsSomething } from "../namespace/NamespaceSettingsModel.ts"
import { NamespaceStore } from "../namespace/NamespaceStore.ts"
import { testEmbedderId } from "../platform/EmbedderTest.ts"
import { CalibrationGet } from "./CalibrationVerbs.ts"
import { Thresholds, thresholdsIn } from "./Thresholds.ts"
import type { Options, ThresholdsInForce } from "./Thresholds.ts"
import { nominationFloor } from "./WritePolicy.ts"

const why = ({ embedder_id, measured, source }: ThresholdsInForce, { adaptive }: Options): string => {
  switch (source) {
    case "type":
      return "The namespace pinned thresholds for this memory type (`type_thresholds` of namespace.register)."
    case "namespace":
      return "The namespace pinned thresholds for all its types (`thresholds` of namespace.register)."
    case "adaptive":
      return `Measured on ${embedder_id}${byWhom[measured?.measured_by ?? "start"]} over ${
        measured?.sentences ?? 0
      } sentences: near pairs begin at ${words(measured?.near_low)}, claims of one topic lie about ${
        words(measured?.topic_median)
      }, others end at ${words(measured?.far_high)}.`
    case "fallback":
      return `${embedder_id} could not be measured and will be tried again; until then LOOM_CONFLICT_THRESHOLD and LOOM_DUPLICATE_THRESHOLD hold.`
    case "configured":
      return adaptive && embedder_id === testEmbedderId
        ? `${embedder_id} knows no meanings that could be measured, so LOOM_CONFLICT_THRESHOLD and LOOM_DUPLICATE_THRESHOLD hold.`
        : "LOOM_ADAPTIVE_THRESHOLDS is off, so LOOM_CONFLICT_THRESHOLD and LOOM_DUPLICATE_THRESHOLD hold."
  }
}

const byWhom = { start: " by the first process that used it", calibration: " by the calibration worker" }

/** What the three numbers decide of a pair of claims; the words of the two decide the rest. */
const decidesOf = ({ conflict, duplicate }: ThresholdsInForce, nomination: number): string =>
  `Claims are compared from ${
    words(nomination)
  }. From there on one that surely says otherwise (another number, name or negation) is a conflict, also below ${
    words(conflict)
  }; from ${words(conflict)} on one that may say otherwise is a conflict too; from ${
    words(duplicate)
  } on one that says the same is a duplicate, below it a conflict. Whether two say the same or otherwise is told from their words alone, and the same canonical form is merged whatever the cosine.`

const words = (cosine: number | undefined): string => (cosine ?? 0).toFixed(3)

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Thresholds | NamespaceStore> = Effect.gen(
  function*() {
    const thresholds = yield* Thresholds
    const namespaces = yield* NamespaceStore
    const view = (found: ThresholdsInForce) => {
      const nomination = nominationFloor({ thresholds: found })
      return {
        nomination,
        conflict: found.conflict,
        duplicate: found.duplicate,
        source: found.source,
        why: why(found, thresholds.options),
        decides: decidesOf(found, nomination)
      }
    }
    return [
      bind(CalibrationGet, (request, caller) =>
        Effect.gen(function*() {
          const scope = yield* resolveScope(caller, request)
          const settings = Option.getOrUndefined(yield* namespaces.find(scope))?.settings
          const base = yield* thresholds.inForce
          // Without type pins: what holds for every type that has none.
          const all = thresholdsIn(base, settings && { ...settings, type_thresholds: {} }, "")
          const types = Object.entries(settings?.type_thresholds ?? {}).filter(([, pins]) => pinsSomething(pins))
          return {
            ...scope,
            embedder_id: base.embedder_id,
            ...view(all),
            types: types.map(([memory_type]) => ({ memory_type, ...view(thresholdsIn(base, settings, memory_type)) })),
            configured: thresholds.options,
            measured: base.measured === undefined
              ? null
              : { ...base.measured, measured_at: new Date(base.measured.measured_at).toISOString() }
          }
        }))
    ]
  }
)
