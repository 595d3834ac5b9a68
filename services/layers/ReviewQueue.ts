/**
 * All that the review queue of a namespace holds: the one place where a new kind of work for a person joins the list, such
 * as what an extraction could not do.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ReviewSources } from "../../src/memory/ReviewQueueModel.ts"
import * as ReviewQueueRows from "../../src/memory/ReviewQueueRows.ts"
import * as ReviewLetters from "../../src/ops/ReviewLetters.ts"

export const layer = Layer.effect(
  ReviewSources,
  Effect.map(Effect.all([ReviewQueueRows.make, ReviewLetters.make]), (groups) => groups.flat())
)
