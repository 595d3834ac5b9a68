/**
 * Multinomial logistic regression by gradient descent with momentum over standardised features, deterministic. Small
 * enough for a thousand examples and a hundred features; the fit ends in a few seconds.
 */

export interface Example {
  readonly features: Readonly<Record<string, number>>
  /** Index of the class. */
  readonly label: number
}

export interface Fit {
  readonly bias: ReadonlyArray<number>
  readonly features: Readonly<Record<string, ReadonlyArray<number>>>
}

export interface FitOptions {
  readonly classes: number
  /** Weight of the squared norm beside the mean loss. */
  readonly penalty: number
  readonly steps: number
}

// Standardised features have a curvature of about their number; with momentum this step is stable and quick.
const rate = 0.05
const momentum = 0.9

export const fit = (examples: ReadonlyArray<Example>, { classes, penalty, steps }: FitOptions): Fit => {
  const names = [...new Set(examples.flatMap(({ features }) => Object.keys(features)))].sort()
  const raw = examples.map(({ features }) => names.map((name) => features[name] ?? 0))
  const means = names.map((_, at) => raw.reduce((sum, row) => sum + row[at]!, 0) / raw.length)
  const spreads = names.map((_, at) =>
    Math.sqrt(raw.reduce((sum, row) => sum + (row[at]! - means[at]!) ** 2, 0) / raw.length) || 1
  )
  const rows = raw.map((row) => Float64Array.from(row, (value, at) => (value - means[at]!) / spreads[at]!))
  const width = names.length + 1
  const weights = new Float64Array(classes * width)
  const speed = new Float64Array(weights.length)
  const gradient = new Float64Array(weights.length)
  for (let step = 0; step < steps; step++) {
    gradient.fill(0)
    for (const [index, row] of rows.entries()) {
      const odds = softmax(weights, row, classes)
      for (let k = 0; k < classes; k++) {
        const error = odds[k]! - (examples[index]!.label === k ? 1 : 0)
        const start = k * width
        for (let at = 0; at < row.length; at++) gradient[start + at]! += error * row[at]!
        gradient[start + row.length]! += error
      }
    }
    for (let at = 0; at < weights.length; at++) {
      const isBias = at % width === width - 1
      const slope = gradient[at]! / rows.length + (isBias ? 0 : penalty * weights[at]!)
      speed[at] = momentum * speed[at]! - rate * slope
      weights[at]! += speed[at]!
    }
  }
  const unscaled = (k: number, at: number) => weights[k * width + at]! / spreads[at]!
  const each = Array.from({ length: classes }, (_, k) => k)
  return {
    bias: each.map((k) =>
      names.reduce((sum, _, at) => sum - unscaled(k, at) * means[at]!, weights[k * width + names.length]!)
    ),
    features: Object.fromEntries(names.map((name, at) => [name, each.map((k) => unscaled(k, at))]))
  }
}

const softmax = (weights: Float64Array, row: Float64Array, classes: number): ReadonlyArray<number> => {
  const width = row.length + 1
  const sums = Array.from({ length: classes }, (_, k) => {
    let sum = weights[k * width + row.length]!
    for (let at = 0; at < row.length; at++) sum += weights[k * width + at]! * row[at]!
    return sum
  })
  const most = Math.max(...sums)
  const powers = sums.map((sum) => Math.exp(sum - most))
  const all = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / all)
}
