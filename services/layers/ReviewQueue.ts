/** All that the review queue of a namespace holds: the one place where a new kind of work for a person joins the list. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ReviewExtractions from "../../src/extraction/ReviewExtractions.ts"
import { ReviewSources } from "../../src/memory/ReviewQueueModel.ts"
import * as ReviewQueueRows from "../../src/memory/ReviewQueueRows.ts"
import * as ReviewLetters from "../../src/ops/ReviewLetters.ts"

export const layer = Layer.effect(
  ReviewSources,
  Effect.map(Effect.all([ReviewQueueRows.make, ReviewExtractions.make, ReviewLetters.make]), (groups) => groups.flat())
)
