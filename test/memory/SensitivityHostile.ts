/**
 * Values of a given size that make a careless pattern read the same stretch again and again: beginnings without an end, runs of
 * what may follow them, and records that repeat a name.
 */
import type { Json } from "../../src/kernel/Json.ts"

const filled = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)

const units: ReadonlyArray<string> = [
  ["a", "A1", "1", "1 ", "1-", "-", "+", "+1", "<", "*", "\n", " ", "é", "ー", "😀", "a_", "a-", "a."],
  [
    "(1",
    "(212) ",
    "+44 (",
    "+44 1 ",
    "0 ",
    "00 44 ",
    "020 ",
    "212-555-",
    "01 02 ",
    "phone ",
    "phone: 1",
    "call me at "
  ],
  ["4111 ", "4111-1111-1111-1112 ", "411111111111111 ", "4111 111111 ", "ssn ", "ssn 1", "123-45-", "123-45-6789-"],
  ["DE89 ", "DE89 3704 0044 0532 0130 01 ", "a@", "a@a.", "@", "a@a.a", "://", "://a:", "://a:b", "a://a:b@ "],
  [
    "password ",
    "password: ",
    "password: a ",
    "password:'",
    "password for ",
    "password (",
    "token a",
    "secret",
    "api_key="
  ],
  ["secret=a.", "secret=a.a.a.a.", "secret: a-a-", "token 0123456789abcdef ", "pass: ", "{\"password\":\"", "\\\""],
  ["4 8 2 1, ", "4 8 2 1 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 ,", "PIN: 4 8 2 1 x ", "pw for ", "pw is "],
  ["\u0455\u043A-", "\u0410\u041AI\u0410", "\u0441\u043E\u0440 "],
  ["pin ", "PIN: ", "pin for ", "bearer ", "bearer aaaaaaaaaaaaaaaaaaaa ", "Authorization: Basic aaaaaaaa "],
  [
    "eyJ",
    "-eyJaaaaaaaaa.",
    "SG.aaaaaaaaaaaaaaaa.",
    "xoxb-",
    "sk-",
    "AKIA",
    "Mxxxxxxxxxxxxxxxxxxxxxxx.",
    "0123456789abcdef-us"
  ],
  ["-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "PuTTY-User-Key-File-2: a", "8Q~", ".atlasv1.", "+ABa"]
].flat()

const long = "password".repeat(120)

const texts = (size: number): ReadonlyArray<readonly [string, Json]> => units.map((unit) => [unit, filled(unit, size)])

const records = (size: number): ReadonlyArray<readonly [string, Json]> => [
  ["a long name over many members", { [long]: Array.from({ length: size / 4 }, () => "x") }],
  ["many records under a long name", { [long]: Array.from({ length: size / 16 }, () => ({ value: "x" })) }],
  ["many short members", Object.fromEntries(Array.from({ length: size / 16 }, (_, index) => [`p${index}`, "x"]))],
  ["numbers", Array.from({ length: size / 4 }, (_, index) => index % 100)]
]

/** By name; `size` in characters, a multiple of 16. */
export const hostileValues = (size: number): ReadonlyMap<string, Json> => new Map([...texts(size), ...records(size)])
