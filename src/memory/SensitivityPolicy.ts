/**
 * How sensitive a claim is when its writer did not say, decided before any embedder, model or log sees it: credentials,
 * payment cards, Social Security numbers and stated PINs are high; email addresses, phone numbers and IBANs are medium
 * (docs/adr/0011-sensitivity.md). A pure decision behind a service, so that a deployment can provide its own. It answers
 * with the kind of what it found, never with the text.
 */
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Json } from "../kernel/Json.ts"
import { credentialKind } from "./CredentialShapes.ts"
import type { Sensitivity } from "./MemoryModel.ts"
import { contactKind, guardedNumberKind } from "./PersonalNumbers.ts"
import { claimText, readable, unspaced, untwinned } from "./SensitivityText.ts"
import { statedPinKind, statedSecretKind, urlKind } from "./StatedSecrets.ts"

/** What a value was taken for. */
export interface Judgement {
  readonly sensitivity: Sensitivity
  /** In words with their article ("a payment card number"), empty for none. */
  readonly kind: string
}

export class SensitivityPolicy extends Context.Tag("loom/memory/SensitivityPolicy")<SensitivityPolicy, {
  /** Total and linear in the size of the claim. */
  readonly judge: (claim: { readonly memory_key: string; readonly value: Json }) => Judgement
  /** The kind of a secret that stands in the key itself, which lists show; undefined for none. */
  readonly keyKind: (memory_key: string) => string | undefined
  /** The kind of a credential in a label, all of which lists and searches show; undefined for none. */
  readonly labelKind: (label: string) => string | undefined
}>() {}

const nothing: Judgement = { sensitivity: "none", kind: "" }

/** A credential whose shape alone tells it, in whatever letters it is dressed up. */
const shapeKind = (text: string): string | undefined => {
  const found = credentialKind(text)
  if (found !== undefined) return found
  const plain = untwinned(text)
  return plain === text ? undefined : credentialKind(plain)
}

const spacedKind = (text: string): string | undefined => {
  const closed = unspaced(text)
  return closed === text ? undefined : statedPinKind(closed) ?? guardedNumberKind(closed)
}

const highKind = (text: string): string | undefined =>
  shapeKind(text) ?? statedSecretKind(text) ?? guardedNumberKind(text) ?? spacedKind(text)

/**
 * What is looked for in a label (a tag, a file, an id): what no name has by chance. A word before a value says nothing
 * there (`password:rotation`), and a long number is an id.
 */
const labelKind = (text: string): string | undefined => shapeKind(text) ?? urlKind(text)

/** The label of a text, from the highest kind found in it. */
export const judgeText = (text: string): Judgement => {
  const high = highKind(text)
  if (high !== undefined) return { sensitivity: "high", kind: high }
  const medium = contactKind(text)
  return medium === undefined ? nothing : { sensitivity: "medium", kind: medium }
}

/** Labels what the claim holds. */
export const layerDetect: Layer.Layer<SensitivityPolicy> = Layer.succeed(SensitivityPolicy, {
  judge: ({ memory_key, value }) => judgeText(claimText(memory_key, value)),
  keyKind: (memory_key) => highKind(readable(memory_key)),
  labelKind: (label) => labelKind(readable(label))
})

/** Every value counts as not sensitive unless its writer says otherwise. */
export const layerDeclaredOnly: Layer.Layer<SensitivityPolicy> = Layer.succeed(SensitivityPolicy, {
  judge: () => nothing,
  keyKind: () => undefined,
  labelKind: () => undefined
})

/** On unless `LOOM_MEMORY_SENSITIVITY_AUTODETECT` is false. */
export const setting: Config.Config<boolean> = Config.nested(
  Config.withDefault(Config.boolean("MEMORY_SENSITIVITY_AUTODETECT"), true),
  "LOOM"
)

export const layerConfig: Layer.Layer<SensitivityPolicy, ConfigError.ConfigError> = Layer.unwrapEffect(
  Effect.map(setting, (detect) => detect ? layerDetect : layerDeclaredOnly)
)
