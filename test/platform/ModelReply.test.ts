import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { read, readings } from "../../src/platform/ModelReply.ts"

type Dress = (json: string) => string

const value = (text: string) => Either.getOrThrow(read(text)).value
const fault = (text: string) => Either.match(read(text), { onLeft: ({ message }) => message, onRight: () => undefined })

/** Any JSON, with texts that hold what fences, thoughts, braces and escapes are made of. */
const words = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme" }),
  FastCheck.constantFrom(
    "```json",
    "</think>",
    "<think>",
    "{",
    "}]",
    "// no",
    "/* no",
    "C:\\new\\temp",
    "\\d+\\s",
    "it's",
    "a\nb\t",
    "\"",
    ",]"
  )
)
const { json } = FastCheck.letrec<{ readonly json: unknown }>((tie) => ({
  json: FastCheck.oneof(
    { depthSize: "small" },
    FastCheck.oneof(
      words,
      FastCheck.integer(),
      FastCheck.double({ noNaN: true, noDefaultInfinity: true }),
      FastCheck.boolean(),
      FastCheck.constant(null)
    ),
    FastCheck.array(tie("json"), { maxLength: 4 }),
    FastCheck.dictionary(words, tie("json"), { maxKeys: 4 })
  )
}))
const container = FastCheck.oneof(
  FastCheck.array(json, { minLength: 1, maxLength: 5 }),
  FastCheck.dictionary(words, json, { minKeys: 1, maxKeys: 4 })
)

/** How it comes; `as` writes the value, the rest stands around it. */
const around: Readonly<Record<string, Dress>> = {
  plain: (json) => json,
  fenced: (json) => `\`\`\`json\n${json}\n\`\`\``,
  "fenced without a language": (json) => `\`\`\`\n${json}\`\`\``,
  "thought before": (json) => `<think>Maybe {"facts": []}, or [1, 2]?</think>\n${json}`,
  "thought without a beginning": (json) => `The user wants {"facts": [1]}.\n</think>\n\n${json}`,
  "chatter around": (json) => `Sure! Here is what I found:\n\n${json}\n\nLet me know if that helps. :-}`,
  "braces in the prose": (json) =>
    `As the form {name} asks (see [below]), with { and } and :[ signs:\n${json}\nI left out {other} and [more].`,
  "fenced in chatter": (json) => `Sure, {as asked}:\n\`\`\`json\n${json}\n\`\`\`\nAnything else? [y/n]`,
  "fenced behind a thought": (json) => `<thinking>\n{"a": \n</thinking>\n\`\`\`JSON\n${json}\n\`\`\``
}

const outsideStrings = (json: string, change: Dress): string =>
  json.split(/("(?:[^"\\]|\\.)*")/).map((part, at) => at % 2 === 0 ? change(part) : part).join("")
const inStrings = (json: string, change: Dress): string =>
  json.split(/("(?:[^"\\]|\\.)*")/).map((part, at) => at % 2 === 1 ? change(part) : part).join("")

// A backslash that no escape begins with, and line breaks as they are.
const slips = /(\\\\)(?=[^"\\/bfnrtu'])|\\./g
const slip = (escape: string, alone: string | undefined) =>
  alone !== undefined ? "\\" : escape === "\\n" ? "\n" : escape === "\\t" ? "\t" : escape

const written: Readonly<Record<string, Dress>> = {
  "as JSON": (json) => json,
  indented: (json) => JSON.stringify(JSON.parse(json), null, 2),
  "with trailing commas": (json) => outsideStrings(json, (part) => part.replace(/(?<![[{,])([\]}])/g, ", $1")),
  "with comments": (json) =>
    outsideStrings(json, (part) => part.replace(/,/g, ", // {next}: [\n").replace(/:/g, ": /* a \"quoted\" one */ ")),
  "with escapes of another language": (json) =>
    inStrings(json, (part) => part.replace(slips, slip).replace(/'/g, "\\'"))
}
// A trailing comma behind an empty container is two faults, and none that models make.
const isTrailing = (json: string) => !/\[\]|\{\}/.test(outsideStrings(json, (part) => part))

describe("ModelReply", () => {
  for (const [how, dress] of Object.entries(around)) {
    for (const [as, write] of Object.entries(written)) {
      it(`reads any value ${as}, ${how}`, () => {
        FastCheck.assert(
          FastCheck.property(container, (any) => {
            const json = JSON.stringify(any)
            FastCheck.pre(as !== "with trailing commas" || isTrailing(json))
            const read = Either.getOrThrow(readings(dress(write(json))))
            assert.deepStrictEqual<unknown>([read[0]?.value, read[0]?.truncated], [JSON.parse(json), false])
          }),
          { numRuns: 60 }
        )
      })
    }
  }

  it("reads what is no container where nothing else is said", () => {
    FastCheck.assert(
      FastCheck.property(json, (any) => {
        const text = JSON.stringify(any)
        for (const how of ["plain", "fenced", "thought before"]) {
          assert.deepStrictEqual<unknown>(value(around[how]?.(text) ?? ""), JSON.parse(text))
        }
      }),
      { numRuns: 100 }
    )
  })

  for (const [how, dress] of Object.entries(around)) {
    it(`keeps whole items alone of a list that broke off, and says so, ${how}`, () => {
      FastCheck.assert(
        FastCheck.property(FastCheck.array(json, { minLength: 1, maxLength: 5 }), FastCheck.nat(), (items, cut) => {
          const list = JSON.stringify(items)
          const [before = ""] = dress("\u0000").split("\u0000")
          const end = 1 + cut % (list.length - 1)
          for (const text of [before + list.slice(0, end), `${before}{"facts": ${list.slice(0, end)}`]) {
            const read = readings(text)
            if (Either.isLeft(read)) continue
            const [first] = read.right
            assert.isTrue(first?.truncated)
            const kept = text.includes("\"facts\": ") && !Array.isArray(first?.value)
              ? Object(first?.value).facts
              : first?.value
            assert.deepStrictEqual<unknown>(kept, JSON.parse(list).slice(0, kept.length))
            assert.isBelow(kept.length, items.length + (end === list.length ? 1 : 0) + 1)
          }
        }),
        { numRuns: 100 }
      )
    })
  }

  it("keeps every item that was whole when it broke off", () => {
    assert.deepStrictEqual<unknown>(
      read("{\"facts\": [{\"a\": 1}, {\"a\": 2}, {\"a\":"),
      Either.right({
        value: { facts: [{ a: 1 }, { a: 2 }] },
        truncated: true,
        fenced: false
      })
    )
    assert.deepStrictEqual<unknown>(value("[[1, 2], [3, 4"), [[1, 2]])
    assert.deepStrictEqual<unknown>(value("```json\n[\"a\", \"b\n```"), ["a"])
    assert.deepStrictEqual<unknown>(value("[10, 20"), [10])
    assert.deepStrictEqual<unknown>(value("{\"a\": {\"b\": [1,"), { a: { b: [1] } })
    assert.deepStrictEqual<unknown>(value("{\"a\": 1, \"b\": \"half"), { a: 1 })
  })

  it("invents nothing", () => {
    const faults: ReadonlyArray<readonly [string, string]> = [
      ["", "it holds no JSON"],
      ["I cannot help with that.", "it holds no JSON"],
      ["<think>{\"a\": 1}", "it broke off while thinking"],
      ["Here it is: {", "it broke off before anything was whole"],
      ["{\"a\": 1, \"a\": 2}", "an object has the same key twice"],
      ["{\"id\": 12345678901234567890}", "a number has more digits than can be kept"],
      ["{\"a\": 1 \"b\": 2}", "a comma is missing between two values"],
      ["{\"a\": yes}", "a value is neither JSON word nor number"],
      ["{\"a\": 01}", "a value is neither JSON word nor number"],
      [`${"[".repeat(200)}1${"]".repeat(200)}`, "it is nested deeper than 128"]
    ]
    for (const [text, message] of faults) assert.strictEqual(fault(text), message, text)
  })

  it("takes no piece out of a value that cannot be read", () => {
    assert.strictEqual(
      fault("{\"keep\": {\"key\": \"a\"}, oops, \"delete\": {\"key\": \"b\"}}"),
      "a key is not in double quotes"
    )
    assert.deepStrictEqual<unknown>(value("{\"keep\": {\"a\": 1}, oops} so, once more: {\"keep\": []}"), { keep: [] })
  })

  it("tells the likeliest first: fenced, then the longest, then the last", () => {
    const all = (text: string) => Either.getOrThrow(readings(text)).map(({ value }) => value)
    assert.deepStrictEqual<unknown>(all("By [1], {\"facts\": [1, 2]} and [2]."), [{ facts: [1, 2] }, [2], [1]])
    assert.deepStrictEqual<unknown>(all("{\"draft\": [1, 2, 3]}\n```json\n{\"a\": 1}\n```"), [{ a: 1 }, {
      draft: [1, 2, 3]
    }])
  })

  it("keeps names that objects of this language have of their own", () => {
    const read = value("Look: {\"__proto__\": {\"a\": 1}, \"constructor\": 2,}")
    assert.deepStrictEqual(Object.keys(Object(read)), ["__proto__", "constructor"])
  })

  it("reads long nonsense in time", () => {
    for (const piece of ["{", "[", "{\"a\" ", "{\"a\":", "[1 ", "<think>", "\\", "/*", "{\"a\": \"\\"]) {
      readings(piece.repeat(20_000))
    }
  })
})
