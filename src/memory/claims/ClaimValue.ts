/** A value found in a claim; two values differ when they share a dimension and not their keys. */
export interface Value {
  /** `number`, `time`, `date`, `weekday`, `version`, `range`, `ordinal`, `repeat`, `money EUR`, or a unit's dimension. */
  readonly dimension: string
  readonly key: string
  /** As the claim has it, for the reason. */
  readonly text: string
}

/** A value and how many tokens it takes. */
export interface Found {
  readonly value: Value
  readonly length: number
}
