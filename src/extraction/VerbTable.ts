/**
 * What people state of themselves with a verb: for each verb, what must stand behind it, which attribute it states, and
 * whether that attribute has a topic. An attribute without a topic holds one value ("residence"); one with a topic is asked of
 * many things at a time, and its value is what is said of the topic (ADR 0024). English. Next: `CopulaTable`.
 */
import { counts } from "./ClauseWords.ts"
import { events } from "./VerbEvents.ts"
import { idle, states } from "./VerbStates.ts"

export interface VerbUse {
  /** What stands behind the verb, from its first letter on. */
  readonly object: RegExp
  readonly attribute: string
  readonly hasTopic: boolean
  /** Which tellings count: a state as it is, an event that was, one under way or to come. */
  readonly tenses: ReadonlyArray<"state" | "event" | "ongoing">
  readonly isPreference: boolean
}

const tenseOf: Readonly<Record<string, "state" | "event" | "ongoing">> = { s: "state", e: "event", o: "ongoing" }

const table = new Map<string, Array<VerbUse>>()
for (const [verbs, object, attribute, tenses] of [...states, ...events]) {
  const use: VerbUse = {
    object: new RegExp(`^(?:${object})`, "u"),
    attribute: attribute.replace("*", ""),
    hasTopic: attribute.endsWith("*"),
    tenses: [...tenses].flatMap((letter) => tenseOf[letter] ?? []),
    isPreference: attribute === "preference*"
  }
  for (const verb of verbs.split(" ")) table.set(verb, [...table.get(verb) ?? [], use])
}

/** What a verb states with this behind it in this tense; null for nothing that is a fact. */
export const useOf = (verb: string, object: string, tense: VerbUse["tenses"][number]): VerbUse | null =>
  table.get(verb)?.find((use) => use.tenses.includes(tense) && use.object.test(object)) ?? null

// What goes on in a head or between two who talk, and verbs that say nothing without more than their object: no events.
const unspecific: ReadonlySet<string> = new Set(
  `accept admit admire afford agree allow answer appear appreciate argue ask assume be bear become believe blow bother call care
  chat choose come complain consider continue count cry dare deal depend deserve doubt end enjoy ensure excuse exist expect
  experience explain express face fall fear feel figure focus follow forget forgive gain get give go grow guess handle happen hate have
  hear hit hold hope imagine improve include inspire interest keep know laugh lean let lie like listen look love manage matter mean
  mention mind miss motivate need notice offer overcome owe pause persuade picture prefer pretend promise prove push put reach realise
  realize recall recognize refuse regret relate relax rely remember remind reply say seem see share show sleep smile sound stand start
  stay stick struggle stop suggest support suppose surprise surround survive take talk tell tend thank think throw touch trust try turn
  understand use value view wait wake want watch wish wonder worry worship work capture reflect treasure cherish embrace balance
  bring catch change connect lose make set shape spark test encourage hope plan decide attempt intend vow`.split(/\s+/)
)
const concrete = new RegExp(
  `^(?:(?:with|to|at|in|on|for|from|into|through|around|over|by|about|out|up|off|down|back) )?(?:a|an|my|another|${counts}|["“]?\\p{Lu}[\\p{L}']+|\\p{L}{3,}[^s\\W]s)(?= )(?! (?:of (?:it|that|this|them)|me|us|you)\\b)`,
  "u"
)
const anything =
  /^(?!(?:it|that|this|them|you|him|her|us|me|so|how|what|like|as|and|but|too|to|away|well|good|great)\b)\p{L}/u
const noIdle = new RegExp(`^(?:(?:with|to|at|in|on|for|from|into|about|out|up) )?${idle}`, "u")
// Of these a date makes an event: what was had, taken or brought on a day.
const datedOnly: ReadonlySet<string> = new Set(["have", "take", "bring", "make", "catch", "watch", "work"])

/**
 * An event of a verb that has no line, or that a date makes one: what somebody did with something that is named or counted. The
 * verb is a part of its topic.
 */
export const eventOf = (verb: string, object: string, isDated: boolean): VerbUse | null => {
  const isOpen = isDated ? !unspecific.has(verb) || datedOnly.has(verb) : !unspecific.has(verb) && !table.has(verb)
  return isOpen && noIdle.test(object) && (isDated && !datedOnly.has(verb) ? anything : concrete).test(`${object} `)
    ? { object: anything, attribute: "event", hasTopic: true, tenses: ["event", "ongoing"], isPreference: false }
    : null
}

// What people make, get or find, and show.
const shown =
  /^(?:make|paint|draw|buy|get|write|build|bake|cook|create|find|design|knit|sew|craft|take|adopt|receive|win|carve|compose|order|plant)$/

/** "I made this bowl", said with a picture, tells of a bowl; what "this" means to other verbs is not said. */
export const withArticle = (verb: string, object: string): string =>
  shown.test(verb)
    ? object.replace(/^these (?=\p{L}+s\b)/u, "some ").replace(
      /^this (?!(?:is|was|one|time|way|kind|for|in|at|when|after|to|with|as)\b)(?=(\p{Ll}))/u,
      (_: string, letter: string) => /[aeiou]/.test(letter) ? "an " : "a "
    )
    : object

export const isKnownVerb = (verb: string): boolean => table.has(verb)
