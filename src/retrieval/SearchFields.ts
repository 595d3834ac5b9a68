/** Request fields that say what is asked and which memories may answer, the same for every verb that searches. */
import * as Schema from "effect/Schema"
import { OptionalName } from "../kernel/Identity.ts"
import { asOfFields } from "../memory/AsOfFields.ts"
import { Confidence, EntityNames, MemoryTypeName, scopeFields, TimeText, writerFields } from "../memory/MemoryFields.ts"

// A question, or a text to look up word for word; what is longer is a document.
const MAX_QUERY = 8_192

// Longer than any tag or key, so that what cannot match is still taken literally.
const Texts = Schema.Array(Schema.String.pipe(Schema.maxLength(512))).pipe(Schema.maxItems(256))

/** Where is searched, what is asked, and which memories may answer. */
export const questionFields = {
  ...scopeFields,
  ...writerFields,
  session_ids: Schema.optional(Schema.Array(OptionalName).pipe(Schema.maxItems(256))),
  run_id: Schema.optional(OptionalName),
  query: Schema.String.pipe(Schema.maxLength(MAX_QUERY)),
  memory_type: Schema.optional(MemoryTypeName),
  tags: Schema.optional(Texts),
  tags_every: Schema.optional(Texts),
  tags_none: Schema.optional(Texts),
  tags_soft: Schema.optional(Texts),
  demote_tags: Schema.optional(Texts),
  entity_filter: Schema.optional(EntityNames),
  exclude_keys: Schema.optional(Texts),
  include_superseded: Schema.optional(Schema.Boolean),
  ...asOfFields,
  created_after: Schema.optional(TimeText),
  created_before: Schema.optional(TimeText),
  confidence_gte: Schema.optional(Confidence)
}
