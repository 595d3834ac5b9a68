/**
 * The handlers of review and administration, gathered: contradictions, provenance, promotion, redaction, and the care of a
 * namespace.
 */
import * as Effect from "effect/Effect"
import * as ConflictHandlers from "./ConflictHandlers.ts"
import * as InspectHandlers from "./InspectHandlers.ts"
import * as NamespaceReviewHandlers from "./NamespaceReviewHandlers.ts"
import * as PromoteHandlers from "./PromoteHandlers.ts"
import * as ProvenanceHandlers from "./ProvenanceHandlers.ts"
import * as RedactHandlers from "./RedactHandlers.ts"
import * as RollbackHandlers from "./RollbackHandlers.ts"

export const make = Effect.map(
  Effect.all([
    ConflictHandlers.make,
    ProvenanceHandlers.make,
    InspectHandlers.make,
    PromoteHandlers.make,
    RedactHandlers.make,
    NamespaceReviewHandlers.make,
    RollbackHandlers.make
  ]),
  (groups) => groups.flat()
)
