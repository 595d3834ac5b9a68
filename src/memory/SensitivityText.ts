/**
 * The text in which a claim is searched for sensitive values: typographic variants made plain, and every leaf of a JSON
 * value on its own line behind the name it stands under, so that `{"password": "hunter2"}` reads like `password: hunter2`.
 * Linear in the size of the value.
 */
import type { Json } from "../kernel/Json.ts"

const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g
const spaces = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g
const invisible = /[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/g

/** Full-width forms, dashes, spaces and invisible characters as plain ones; what is hidden to the eye hides nothing here. */
export const readable = (text: string): string =>
  /[^\x00-\x7F]/.test(text)
    ? text.normalize("NFKC").replace(dashes, "-").replace(spaces, " ").replace(invisible, "")
    : text

// Letters that print like an ASCII one (Unicode's confusables.txt): of Cyrillic and Greek, and two Latin ones.
const twins = [
  ["АВЕЅІЈКМНОРСТУХԚԜаеѕіјорсухһԁԛԝѵк", "ABESIJKMHOPCTYXQWaesijopcyxhdqwvk"],
  ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορτυ", "ABEZHIKMNOPTYXayikvoptu"],
  ["ɡı", "gi"]
] as const
const twinOf = new Map(
  twins.flatMap(([letters, plain]) => [...letters].map((letter, place) => [letter, plain[place] ?? letter] as const))
)
const twin = new RegExp(`[${twins.map(([letters]) => letters).join("")}]`, "g")

/** Letters that only look like ASCII ones as the ones they look like: for shapes that no word has, not for words. */
export const untwinned = (text: string): string => text.replace(twin, (letter) => twinOf.get(letter) ?? letter)

// One digit at a time, four to nineteen of them: a PIN to a card number.
const spacedDigits = /(?<![\p{L}\d_.,/-]|\d )\d(?:[ -]\d){3,18}(?![\p{L}\d_]|[ .,:/-]\d)/gu

/** Digits that are read out one by one as one number. */
export const unspaced = (text: string): string => text.replace(spacedDigits, (run) => run.replace(/\D/g, ""))

// Members that hold the value of what they stand in, or of the name beside them.
const holders: ReadonlySet<string> = new Set(["value", "text", "plain", "plaintext", "data"])
const namers = ["name", "key", "label", "field", "variable"] as const

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

// Short names that mean a password as the name of a member, and much else in a sentence.
const shortNames: ReadonlySet<string> = new Set(["pass", "pw"])

// Members of one list that are read behind the list's name; each of them repeats it, so the rest go without.
const NAMED_MEMBERS = 256

const lines = (name: string, value: Json, into: Array<string>): void => {
  if (value === null || typeof value === "boolean") return
  if (typeof value !== "object") {
    const label = shortNames.has(name.toLowerCase()) && !/^\d*$/.test(String(value)) ? "password" : name
    into.push(label === "" ? String(value) : `${label}: ${value}`)
  } else if (isList(value)) {
    value.forEach((member, index) => lines(index < NAMED_MEMBERS ? name : "", member, into))
  } else {
    const named = namers.map((namer) => value[namer]).find((one) => typeof one === "string")
    for (const [key, member] of Object.entries(value)) {
      if (holders.has(key.toLowerCase())) {
        lines(typeof named === "string" ? named : name === "" ? key : name, member, into)
      } else lines(key, member, into)
    }
  }
}

/**
 * What the last segment of a key says of a bare value: `db/prod/password` with `hunter2`. Joined by a verb, not a colon: a
 * key names a topic, and a plain word under it ("okta") is more often about the secret than the secret.
 */
const labelOf = (memory_key: string): string => memory_key.slice(memory_key.lastIndexOf("/") + 1)

export const claimText = (memory_key: string, value: Json): string => {
  if (typeof value === "string" || typeof value === "number") return readable(`${labelOf(memory_key)} is ${value}`)
  const into: Array<string> = []
  lines(isList(value) ? labelOf(memory_key) : "", value, into)
  return readable(into.join("\n"))
}
