/** A value as language models write it when they were asked for nothing but JSON. */

/** By name, so that a test can go through all of them. Each holds the value, whole. */
export const whole = {
  plain: (value: unknown) => JSON.stringify(value),
  fenced: (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
  chatty: (value: unknown) => `Sure! Here is what I found:\n\n${JSON.stringify(value)}\n\nIs there anything else?`,
  "braces in the prose": (value: unknown) =>
    `The form {name} with [items] is used, as in {this}:\n${JSON.stringify(value)}\nI left out {small talk}.`,
  "trailing commas": (value: unknown) =>
    JSON.stringify(value).split(/("(?:[^"\\]|\\.)*")/)
      .map((part, at) => at % 2 === 0 ? part.replace(/(?<![[{,])([\]}])/g, ",$1") : part).join(""),
  "a thought before": (value: unknown) =>
    `<think>\nMaybe {"facts": []}? No, there are some.\n</think>\n${JSON.stringify(value)}`,
  // Bad where the value has an apostrophe.
  "bad escapes": (value: unknown) => JSON.stringify(value).replace(/'/g, "\\'")
} as const satisfies Readonly<Record<string, (value: unknown) => string>>

export type Dress = keyof typeof whole

/** Breaks off in the last item of the list `field`. */
export const truncated = (field: string, items: ReadonlyArray<unknown>): string => {
  const text = JSON.stringify({ [field]: items })
  const last = JSON.stringify(items.at(-1))
  return text.slice(0, text.length - last.length - 2 + Math.ceil(last.length / 2))
}

/** The value with every string of it a number: JSON, and not what was asked for. */
export const misshapen = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => typeof inner === "string" ? inner.length : inner)
