/**
 * Claims of the model: "<subject> is <object>" in several forms, with vectors and a comparison made for them, so that what
 * two claims say of each other is known without reading a word. Claims of one subject are close (cosine above the conflict
 * threshold), claims of two are not; the same claim in another form is close enough to be a duplicate unless one of the
 * two is the far form.
 */
import { sha256 } from "../../src/kernel/Json.ts"
import type { Comparison } from "../../src/memory/claims/ClaimCompare.ts"
import type { Content } from "../../src/memory/MemoryContent.ts"

export const SUBJECTS = ["mira", "the gate", "lunch"] as const
export const OBJECTS = ["red", "tall", "late", "forbidden"] as const
/** `dressed` has other bytes and the canonical form of `plain`; `odd` cannot be compared with confidence. */
export const FORMS = ["plain", "dressed", "turned", "far", "odd"] as const
export type Form = typeof FORMS[number]

export interface Claim {
  readonly subject: number
  readonly object: number
  readonly form: Form
}

/** The object that the blacklist refuses. */
export const REFUSED = 3

/** The subject of which several objects hold at once, where the namespace says so. */
export const MANY = 2

const subjectOf = ({ subject }: Claim): string => SUBJECTS[subject] ?? "?"
const objectOf = ({ object }: Claim): string => OBJECTS[object] ?? "?"

export const textOf = (claim: Claim): string => {
  const [subject, object] = [subjectOf(claim), objectOf(claim)]
  switch (claim.form) {
    case "plain":
      return `${subject} is ${object}`
    case "dressed":
      return `${subject} is ${object}!`
    case "turned":
      return `${object} is what ${subject} is`
    case "far":
      return `nobody would deny that ${subject} is ${object}`
    case "odd":
      return `${subject}, hm, ${object}?`
  }
}

const all: ReadonlyArray<Claim> = SUBJECTS.flatMap((_, subject) =>
  OBJECTS.flatMap((_, object) => FORMS.map((form) => ({ subject, object, form })))
)
const known = new Map(all.map((claim) => [textOf(claim), claim]))

export const claimIn = (text: string): Claim => {
  const claim = known.get(text)
  if (claim === undefined) throw new Error(`no claim of the model: ${text}`)
  return claim
}

export const sameBytes = (left: Claim, right: Claim): boolean => textOf(left) === textOf(right)

const canonicalForm = (form: Form): Form => form === "dressed" ? "plain" : form

export const sameCanonical = (left: Claim, right: Claim): boolean =>
  left.subject === right.subject && left.object === right.object &&
  canonicalForm(left.form) === canonicalForm(right.form)

export const isClose = (left: Claim, right: Claim): boolean => left.subject === right.subject

export type Said = "same" | "differs" | "unsure" | "other"

export const saidOf = (stored: Claim, written: Claim): Said =>
  stored.subject !== written.subject
    ? "other"
    : sameCanonical(stored, written)
    ? "same"
    : stored.form === "odd" || written.form === "odd"
    ? "unsure"
    : stored.object === written.object
    ? "same"
    : "differs"

/** Whether the same claim in two forms is close enough for one to answer for the other. */
export const isTwin = (left: Claim, right: Claim): boolean =>
  sameCanonical(left, right) || (left.form !== "far" && right.form !== "far")

const predicateOf = (claim: Claim): string => claim.subject === MANY ? "serves" : "is"

/** The predicate of which the namespace may say that it holds several values. */
export const MANY_VALUED = "serves"

export const compare = (stored: string, written: string): Comparison => {
  const [left, right] = [claimIn(stored), claimIn(written)]
  const relation = saidOf(left, right)
  return {
    relation,
    rule: relation,
    reason: `${relation}: ${stored} / ${written}`,
    substitution: relation === "differs" ? { subject: subjectOf(left), predicate: predicateOf(left) } : null
  }
}

export const THRESHOLDS = { conflict: 0.85, duplicate: 0.97 }

// One axis for each subject, object and form. The weights differ a little so that no two claims are equally close to a third.
const OBJECT_WEIGHTS = [0.28, 0.3, 0.32, 0.34]
const FORM_WEIGHTS: Record<Form, number> = { plain: 0.08, dressed: 0.095, turned: 0.11, far: 0.3, odd: 0.13 }

export const DIMENSIONS = SUBJECTS.length + OBJECTS.length + FORMS.length

export const vectorOf = ({ form, object, subject }: Claim): Float32Array => {
  const vector = new Float32Array(DIMENSIONS)
  vector[subject] = 1
  vector[SUBJECTS.length + object] = OBJECT_WEIGHTS[object] ?? 0
  vector[SUBJECTS.length + OBJECTS.length + FORMS.indexOf(form)] = FORM_WEIGHTS[form]
  const length = Math.hypot(...vector)
  return vector.map((number) => number / length)
}

export const EMBEDDER = "model/1"

// Every write has its own vector object, as every request has.
const contents = new Map<string, Content>()

/** A claim as the edge prepares it; `episodic` is a type that is not searched. */
export const contentOf = (claim: Claim, memory_type: string): Content => {
  const value = textOf(claim)
  const key = `${memory_type}\n${value}`
  const known = contents.get(key)
  const content = known ?? {
    value,
    value_kind: "string",
    content_sha256: sha256(value),
    canonical_sha256: memory_type === "episodic" ? "" : sha256(textOf({ ...claim, form: canonicalForm(claim.form) })),
    memory_type,
    retyped_from: "",
    sensitivity: "none",
    searchable: null
  }
  if (known === undefined) contents.set(key, content)
  return memory_type === "episodic" ? content : {
    ...content,
    searchable: {
      embedder_id: EMBEDDER,
      value_vector: vectorOf(claim),
      key_vector: vectorOf(claim),
      excerpt: value,
      lowered: value,
      stems: [],
      lemmas: [],
      chunks: []
    }
  }
}

/** What is wrong with the vectors, for the test that holds them to what this header says. */
export const vectorFaults = (): ReadonlyArray<string> => {
  const cosine = (left: Claim, right: Claim): number =>
    vectorOf(left).reduce((sum, number, at) => sum + number * (vectorOf(right)[at] ?? 0), 0)
  const faults: Array<string> = []
  for (const left of all) {
    const seen: Array<number> = []
    for (const right of all) {
      const similarity = cosine(left, right)
      const name = `${textOf(left)} / ${textOf(right)}: ${similarity}`
      if (isClose(left, right) !== (similarity >= THRESHOLDS.conflict + 0.001)) faults.push(`close? ${name}`)
      if (saidOf(left, right) === "same" && isTwin(left, right) !== (similarity >= THRESHOLDS.duplicate + 0.001)) {
        faults.push(`twin? ${name}`)
      }
      if (left.subject !== right.subject) continue
      if (seen.some((other) => Math.abs(other - similarity) < 1e-5)) faults.push(`tie: ${name}`)
      seen.push(similarity)
    }
  }
  return faults
}
