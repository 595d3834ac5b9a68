/**
 * Prepares a value for the actor, at the edge and side by side with other requests: text form, hashes, memory type and
 * sensitivity first; then, for a searchable value alone, lexical copies, chunks and vectors. A high-sensitivity or
 * non-searchable value never reaches the embedder. If the embedder fails, the write fails and nothing is written.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { identityOf } from "../kernel/Identity.ts"
import { canonical as canonicalJson, sha256 } from "../kernel/Json.ts"
import type { Json } from "../kernel/Json.ts"
import type { Overloaded, Refusal } from "../kernel/LoomError.ts"
import { refuse, Unavailable } from "../kernel/LoomError.ts"
import { canonical, chunks, excerpt, indexTerms, lowered, words } from "../platform/Analyzer.ts"
import { Embedder } from "../platform/Embedder.ts"
import type { EmbedError } from "../platform/Embedder.ts"
import { valueFault } from "./EmptyValue.ts"
import type { Content, Searchable } from "./MemoryContent.ts"
import { isVerified } from "./MemoryModel.ts"
import type { MemoryRow, Sensitivity } from "./MemoryModel.ts"
import type { Derived } from "./MemoryStore.ts"
import { DEFAULT_TYPE, typeFacts } from "./MemoryType.ts"
import { settledType } from "./ProcedureBody.ts"
import { SensitivityPolicy } from "./SensitivityPolicy.ts"

// The stored form of one value; larger content is a document and belongs to knowledge.
const MAX_VALUE_BYTES = 1024 * 1024
// The page's limit for what one vector is made from.
const EXCERPT_CHARACTERS = 1_200

/** What the writer said of a value. */
export interface Intent {
  readonly memory_key: string
  readonly value: Json
  readonly memory_type: string | undefined
  /** What the writer states; respected, whatever the value looks like. */
  readonly sensitivity: Sensitivity | undefined
  /** The label that the key holds already: a value judged by itself gets no lower one. */
  readonly kept?: Sensitivity
}

/** What a write says of a value beside it; every read shows it, a high row's too. */
export interface Labels {
  readonly tags?: ReadonlyArray<string> | undefined
  readonly entities?: ReadonlyArray<string> | undefined
  readonly relations?: ReadonlyArray<ReadonlyArray<string>> | undefined
  readonly files?: ReadonlyArray<string> | undefined
  readonly source_trace?: string | undefined
  readonly source_resource_id?: string | undefined
  readonly expire_reason?: string | undefined
}

export class MemoryIntake extends Context.Tag("loom/memory/MemoryIntake")<MemoryIntake, {
  /** The embedder that makes the vectors. */
  readonly embedderId: string
  /** Numbers in each vector. */
  readonly dimensions: number
  /**
   * The advisories on what stands in labels. A credential there is refused, since no label is hidden with the value; of a
   * writer who states the `sensitivity` it is taken as it is, and the answer warns.
   */
  readonly labels: (
    labels: Labels,
    stated: Sensitivity | undefined
  ) => Effect.Effect<ReadonlyArray<string>, Refusal>
  /** Refuses texts that are kept beside memories and shown with them when one holds a credential; named by their fields. */
  readonly texts: (texts: Readonly<Record<string, ReadonlyArray<string>>>) => Effect.Effect<void, Refusal>
  readonly prepare: (intent: Intent) => Effect.Effect<Content, Refusal | Unavailable | Overloaded>
  /** Searchable copies of stored heads, for repair and re-embedding. */
  readonly derive: (rows: ReadonlyArray<MemoryRow>) => Effect.Effect<ReadonlyArray<Derived>, Unavailable>
}>() {}

/**
 * The hash under which the same claim is found again, empty for a value that does not say by itself what it is about: a bare
 * word, number, flag or list, which only its key tells (`feature/search/enabled` and `feature/billing/enabled`). A record
 * equals only a record; RFC 8785 has made its keys one order.
 */
const claimHash = ({ value, value_kind }: Pick<Content, "value" | "value_kind">): string => {
  const isRecord = value_kind === "json" && value.startsWith("{")
  if ((value_kind === "json" && !isRecord) || words(value).length < 2) return ""
  return sha256(isRecord ? `record\n${value}` : canonical(value))
}

/** The stored text of a value: a string as it is, other JSON by RFC 8785. */
export const storedForm = (value: Json): Pick<Content, "value" | "value_kind"> =>
  typeof value === "string"
    ? { value, value_kind: "string" }
    : { value: canonicalJson(value), value_kind: "json" }

const termsOf = (text: string): Pick<Searchable, "stems" | "lemmas"> => {
  const { lemmas, stems } = indexTerms(text)
  return { stems, lemmas }
}

/** The words of a key, for its vector: separators become spaces. */
export const keyWords = (key: string): string => key.replace(/[/_.:-]+/g, " ")

const labelFields = [
  "tags",
  "entities",
  "relations",
  "files",
  "source_trace",
  "source_resource_id",
  "expire_reason"
] as const satisfies ReadonlyArray<keyof Labels>

const textsIn = (label: Labels[keyof Labels]): ReadonlyArray<string> =>
  label === undefined ? [] : typeof label === "string" ? [label] : label.flat()

const rank: Record<Sensitivity, number> = { none: 0, medium: 1, high: 2 }

const retypeNote = (retyped_from: string): ReadonlyArray<string> =>
  retyped_from === ""
    ? []
    : [
      `memory_type was set to ${DEFAULT_TYPE}: a ${retyped_from} memory is an object with a \`situation\` and at least two \`steps\``
    ]

export const layer: Layer.Layer<MemoryIntake, never, Embedder | SensitivityPolicy> = Layer.effect(
  MemoryIntake,
  Effect.gen(function*() {
    const embedder = yield* Embedder
    const sensitivities = yield* SensitivityPolicy

    const searchable = (key: string, text: string): Effect.Effect<Searchable, EmbedError> => {
      const head = excerpt(text, EXCERPT_CHARACTERS)
      return Effect.map(embedder.embed([head, keyWords(key)]), ([value, key]) => ({
        embedder_id: embedder.id,
        value_vector: value ?? new Float32Array(embedder.dimensions),
        key_vector: key ?? new Float32Array(embedder.dimensions),
        excerpt: head,
        lowered: lowered(head),
        ...termsOf(head),
        chunks: text.length <= head.length ? [] : chunks(text).map((chunk, index) => ({
          index,
          start: chunk.start,
          end: chunk.end,
          text: chunk.text,
          ...termsOf(chunk.text)
        }))
      }))
    }

    const keyNote = (memory_key: string): ReadonlyArray<string> => {
      const kind = sensitivities.keyKind(memory_key)
      return kind === undefined
        ? []
        : [`\`memory_key\` looks like it holds ${kind}; lists show keys, so keep secrets in the value`]
    }

    /** The label of a value, and why; decided before anything else sees the value. */
    const labelOf = (
      intent: Intent
    ): { readonly sensitivity: Sensitivity; readonly advisories: ReadonlyArray<string> } => {
      const inKey = keyNote(intent.memory_key)
      if (intent.sensitivity !== undefined) return { sensitivity: intent.sensitivity, advisories: inKey }
      const { kind, sensitivity } = sensitivities.judge(intent)
      const kept = intent.kept ?? "none"
      return rank[kept] >= rank[sensitivity]
        ? { sensitivity: kept, advisories: inKey }
        : {
          sensitivity,
          advisories: [`sensitivity was set to ${sensitivity}: the value looks like it holds ${kind}`, ...inKey]
        }
    }

    const labels = (given: Labels, stated: Sensitivity | undefined) =>
      Effect.gen(function*() {
        const advisories: Array<string> = []
        for (const field of labelFields) {
          const found = textsIn(given[field]).map(sensitivities.labelKind).find((kind) => kind !== undefined)
          if (found === undefined) continue
          if (stated === undefined) {
            return yield* refuse(
              "INVALID_ARGUMENT",
              `\`${field}\` looks like it holds ${found}: every read shows it, so keep secrets in the value (or state \`sensitivity\` if it is none)`,
              { field }
            )
          }
          advisories.push(
            `\`${field}\` looks like it holds ${found}; every read shows it, so keep secrets in the value`
          )
        }
        return advisories
      })

    const texts = (given: Readonly<Record<string, ReadonlyArray<string>>>): Effect.Effect<void, Refusal> => {
      for (const [field, all] of Object.entries(given)) {
        const found = all.map(sensitivities.labelKind).find((kind) => kind !== undefined)
        if (found === undefined) continue
        const words = `\`${field}\` looks like it holds ${found}: it is shown as it is, so leave the secret out`
        return Effect.fail(refuse("INVALID_ARGUMENT", words, { field }))
      }
      return Effect.void
    }

    return {
      embedderId: embedder.id,
      labels,
      texts,
      dimensions: embedder.dimensions,
      prepare: Effect.fn("MemoryIntake.prepare")(function*(intent) {
        const form = storedForm(intent.value)
        const fault = valueFault(intent.value)
        if (fault !== undefined) return yield* refuse("INVALID_ARGUMENT", `\`value\` ${fault}`, { field: "value" })
        const bytes = Buffer.byteLength(form.value, "utf8")
        if (bytes > MAX_VALUE_BYTES) {
          return yield* refuse(
            "PAYLOAD_TOO_LARGE",
            `\`value\` is ${bytes} bytes; at most ${MAX_VALUE_BYTES} are stored`,
            {
              field: "value",
              limit_bytes: MAX_VALUE_BYTES
            }
          )
        }
        const type = settledType(intent.memory_type ?? DEFAULT_TYPE, intent.value)
        const label = labelOf(intent)
        const judged = typeFacts(type.memory_type).embedded && label.sensitivity !== "high"
        const content: Content = {
          ...form,
          content_sha256: sha256(form.value),
          canonical_sha256: judged ? claimHash(form) : "",
          ...type,
          sensitivity: label.sensitivity,
          searchable: judged ? yield* searchable(intent.memory_key, form.value) : null,
          advisories: [...label.advisories, ...retypeNote(type.retyped_from)]
        }
        return content
      }),
      derive: Effect.fn("MemoryIntake.derive")(function*(rows) {
        return yield* Effect.forEach(
          rows,
          (row) =>
            searchable(row.memory_key, row.value).pipe(
              Effect.retry({ while: (error) => error._tag === "Overloaded", schedule: Schedule.spaced("100 millis") }),
              Effect.mapError(() => new Unavailable({ operation: "MemoryIntake.derive" })),
              Effect.map((copies): Derived => ({
                identity: identityOf(row),
                content_sha256: row.content_sha256,
                memory_type: row.memory_type,
                source_class: row.source_class,
                verified: isVerified(row),
                version: row.version,
                searchable: copies
              }))
            ),
          { concurrency: 16 }
        )
      })
    }
  })
)
