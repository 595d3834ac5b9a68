/**
 * What people state of themselves with "am" and "was": age, trade, family status, origin, health, what they are fond or afraid
 * of. Each use gives the attribute, and the part of the words that is its topic where it has one. English. Pure.
 */
import { nationalities, occupations } from "./ClauseWords.ts"

export interface CopulaUse {
  readonly attribute: string
  /** The words that name the topic; null for an attribute that holds one value. */
  readonly topic: string | null
  readonly isPreference: boolean
}

type Line = readonly [pattern: RegExp, attribute: string, topic: number | null]

const person = "(?:big |huge |massive |avid |total |real |such |true |lifelong |keen )*"

const lines: ReadonlyArray<Line> = [
  [
    /^(?:now |only |about |almost )?(?:\d{1,3}|(?:\p{L}+ty|\p{L}+teen|ten|eleven|twelve)(?:-\p{L}+)?)(?: years old| years of age)?$/u,
    "age",
    null
  ],
  [
    /^(?:an? )?(?:strict |full-time |lifelong |mostly )?(?:vegan|vegetarian|pescatarian|carnivore|flexitarian|pescetarian)s?\b/iu,
    "diet",
    null
  ],
  [/^(?:lactose|gluten|fructose) intolerant\b/iu, "diet", null],
  [/^(?:\p{L}+ly )?allergic to (.+)$/iu, "allergy", 1],
  [
    /^(?:happily |newly |not |still )?(?:married|divorced|widowed|engaged|single|separated)\b(?! to (?:the|my (?:job|work)))/iu,
    "marital-status",
    null
  ],
  [/^in a relationship\b/iu, "marital-status", null],
  [
    /^(?:an? )?(?:single |proud |working |stay-at-home |new )*(?:parent|mother|mom|mum|father|dad|grandmother|grandfather)(?: of (?:\p{L}+|\d+)(?: \p{L}+)?)?$/iu,
    "family-role",
    null
  ],
  [/^(?:an? |the )?(?:only child|twin|triplet|oldest|youngest|middle child|eldest)\b/iu, "siblings", null],
  [/^pregnant\b|^expecting\b/iu, "pregnancy", null],
  [/^(?:semi-)?retired\b|^unemployed\b|^self-employed\b|^between jobs\b/iu, "occupation", null],
  [/^(?:originally )?from (?!(?:the start|it|there|here|now|time)\b)(.+)$/iu, "origin", null],
  [/^(?:based|located|living) (?:in|near|out of) /iu, "residence", null],
  [
    /^born (?:and raised )?in (?=\p{Lu})(?!(?:the|\d|January|February|March|April|May|June|July|August|September|October|November|December))/u,
    "birthplace",
    null
  ],
  [/^born (?:on|in) /iu, "birthday", null],
  [/^raised (?:in|by|on) /iu, "grew-up", null],
  [/^named after /iu, "name-origin", null],
  [
    /^(?:really |very |super |so |also |most |always )*(?:interested in|passionate about|fond of|keen on|crazy about|obsessed with|addicted to|a sucker for) (?!(?:it|that|this|you|how|what)\b)(.+)$/iu,
    "preference",
    1
  ],
  [/^(?:really |very |so |also |totally )*into (?!(?:it|that|this|you)\b)(.+)$/iu, "preference", 1],
  [new RegExp(`^an? ${person}(?:fan|lover|admirer) of (?!(?:it|that|this|yours?)\\b)(.+)$`, "iu"), "preference", 1],
  [
    new RegExp(
      `^an? ${person}((?:\\p{L}+ ){1,2})(?:fan|lover|enthusiast|person|buff|nerd|geek|addict|aficionado)\\b`,
      "iu"
    ),
    "preference",
    1
  ],
  [
    /^not (?:really |much of )?(?:an? )?(?:big |huge )?(?:fan of|into|fond of|keen on) (?!(?:it|that|this)\b)(.+)$/iu,
    "preference",
    1
  ],
  [/^(?:\p{L}+ly )?(?:afraid|scared|terrified|frightened) of (?!(?:it|that|this|what|how)\b)(.+)$/iu, "fear", 1],
  [
    /^(?:really |very |pretty |quite |not )*(?:good|great|bad|terrible|skilled|experienced) (?:at|in|with) (?!(?:it|that|this)\b)(.+)$/iu,
    "skill",
    1
  ],
  [/^(?:pretty |quite |almost )?fluent in (.+)$/iu, "language", 1],
  [/^(?:owned|maintained) by /iu, "owner", null],
  [/^written in (?=\p{Lu})/u, "written-in", null],
  [/^(?:hosted|deployed) (?:on|at|by|to|in) (?!(?:it|that|this)\b)/iu, "platform", null],
  [/^(?:left|right)-handed\b|^ambidextrous\b/iu, "handedness", null],
  [
    /^(?:colou?r[- ]?blind|blind|deaf|diabetic|asthmatic|autistic|dyslexic|bipolar|epileptic|near-?sighted|short-sighted)\b/iu,
    "health",
    0
  ],
  [/^diagnosed with (.+)$/iu, "health", 1],
  [/^(?:trans|transgender|nonbinary|non-binary|gay|lesbian|bisexual|queer|straight|asexual)\b/iu, "identity", null],
  [
    /^an? (?:proud |practi[sc]ing |devout )*(?:trans(?:gender)? (?:woman|man|person)|christian|muslim|jew|hindu|buddhist|atheist|catholic)\b/iu,
    "identity",
    null
  ],
  [/^(?:an? )?(?:\p{L}+ )?members? of (?!(?:it|that|this)\b)(.+)$/iu, "membership", 1],
  [/^(?:promoted|appointed|elected) (?:to|as) (?!(?:it|that)\b)/iu, "occupation", null],
  [/^(?:accepted|admitted) (?:to|into|by|at) (?!(?:it|that)\b)(.+)$/iu, "milestone", 1],
  [
    /^(?:about to|going to) (?:start|graduate|retire|move|marry|get married|turn|become|open|launch|join|leave|quit|adopt|finish)\b(.*)$/iu,
    "plan",
    0
  ]
]

/** "a software engineer at Alder", "an ICU nurse": the last word before what belongs to it is a trade. */
const trade =
  /^(?:an?|the) ((?:[\p{L}\p{N}&/+.-]+ ){0,4}?[\p{L}-]+)(?=$| (?:at|for|in|with|by|of|on|from|working|specializing|and|who|living|turned)\b)/iu

/** What a complement of "am" states; `isPast` for "was", of which few things are facts for long. */
export const copulaOf = (complement: string, isPast: boolean): CopulaUse | null => {
  for (const [pattern, attribute, group] of lines) {
    const found = pattern.exec(complement)
    if (found === null) continue
    if (isPast && !past.has(attribute)) return null
    return { attribute, topic: group === null ? null : found[group] ?? null, isPreference: attribute === "preference" }
  }
  if (isPast) return null
  const head = trade.exec(complement)?.[1]?.toLowerCase().split(" ").at(-1) ?? ""
  if (occupations.has(head)) return { attribute: "occupation", topic: null, isPreference: false }
  const first = /^(?:an? )?(?:half[- ])?(\p{L}+)(?: citizen| national)?$/iu.exec(complement)?.[1]?.toLowerCase() ?? ""
  return nationalities.has(first) ? { attribute: "nationality", topic: null, isPreference: false } : null
}

const past: ReadonlySet<string> = new Set([
  "birthplace",
  "birthday",
  "grew-up",
  "name-origin",
  "health",
  "occupation",
  "milestone"
])
