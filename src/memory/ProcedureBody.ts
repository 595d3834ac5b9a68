/**
 * What makes a value a procedure: an object with a non-blank `situation` and at least two steps. A `procedural` write of
 * anything else is a fact about a procedure and is stored as the default type, marked with what it was asked to be.
 */
import * as Either from "effect/Either"
import { parse } from "../kernel/Json.ts"
import type { Json } from "../kernel/Json.ts"
import { DEFAULT_TYPE, PROCEDURAL_TYPE } from "./MemoryType.ts"

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A step is a non-blank text, or an object that says something. */
const isStep = (step: unknown): boolean =>
  typeof step === "string" ? step.trim() !== "" : isRecord(step) && Object.keys(step).length > 0

// The page asks for more than one: a single step is an instruction.
const FEWEST_STEPS = 2

/** The body as an object, or as the JSON text of one: many clients send records as text. */
export const isProcedureBody = (value: Json): boolean => {
  const body = typeof value === "string" && value.trimStart().startsWith("{")
    ? Either.getOrElse(parse(value), () => null)
    : value
  if (!isRecord(body)) return false
  const { situation, steps } = body
  return typeof situation === "string" && situation.trim() !== "" && Array.isArray(steps) &&
    steps.filter(isStep).length >= FEWEST_STEPS
}

/** The type a value is stored as, and the type it was asked to be when that is another (else empty). */
export const settledType = (
  memory_type: string,
  value: Json
): { readonly memory_type: string; readonly retyped_from: string } =>
  memory_type === PROCEDURAL_TYPE && !isProcedureBody(value)
    ? { memory_type: DEFAULT_TYPE, retyped_from: memory_type }
    : { memory_type, retyped_from: "" }
