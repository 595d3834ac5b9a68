/**
 * What stands behind the verb of a statement, cut to what can be read alone: subordinate clauses, asides and fillers go, the
 * speaker's "my" and "me" become his name, and what points at something outside ("it", "this", "you") is left out with its
 * preposition. Null when nothing is left that says something. Pure. The topic of an attribute is read from the same words.
 */
import { canonicalEntity } from "../kernel/NamedThing.ts"

// A short sentence; a longer rest is told up to a preposition.
const MOST_WORDS = 14

const subordinate = new RegExp(
  "\\s*,?\\s+(?:because|so(?! far\\b)|but|which|who|whom|whose|that|when|while|where|whenever|wherever|although|though|unless|until" +
    "|till|if|hoping|thinking|knowing|making|giving|helping|letting|showing|wanting|leading|even|plus|yet|rather than|instead" +
    "|in order|thanks to|due to|despite|except|inspired|how|what|why|i|i am|we" +
    "|(?:since|as|like|after|before)(?= (?:i|we|my|it|you|he|she|they|well|\\p{L}+ing)\\b)|or(?= (?:so|something|whatever)\\b))" +
    "(?![\\p{L}'-]).*$",
  "iu"
)
const purpose =
  /\s+to (?:see|help|make|keep|let|show|get|be|feel|express|have|give|do|find|share|support|create|connect|raise|learn|improve|celebrate|spend|take|use|try|relax|remember|honor|honour|explore|hang|catch|meet|enjoy|start|unwind|clear|escape|stay|remind|bring|check|cheer|end|benefit|boost)(?=\s|$).*$/iu
const continued =
  /\s*,?\s+(?:and|&)\s+(?=(?:it|he|she|they|we|i|you|this|that|these|there|then|now|also|am|is|are|was|were|have|has|had|just|really|even|so|still|got|get|can|could|will|would|do|did|not|love|loving|hope|feel|felt|feeling|want|need|never|always|all|everyone|everything|what|how|let|thought|trying|hoping|more|one|the \p{L}+ (?:is|was|were|are)|seeing|been|being|having|found|getting|\p{L}{3,}ed)(?:'\p{L}+)?(?=\s|$)).*$/iu
const trailing =
  /[\s,]+(?:too|not|(?:just )?like me|as well|already|now|right now|though|lol|haha|tbh|a lot|so much|very much|these days|recently|lately|together|myself|anymore any|so far|of course|for sure|for now|at the moment|again|you know|by the way|btw|in the end|at last|currently|actually|with (?:it|that|this|them|you|us|him|her)|at all|there|here|and|or|with|of|to|for|in|on|at|by|from|the|a|an|my|about|into|like)$/iu

// A mark before a word says that it points at the subject itself.
const OWN = "\u0001"
const outside =
  /(?<![\p{L}\u0001'-])(?:it|its|this|that|these|those|here|there|them|they|their|theirs|he|him|his|she|her|hers|you|your|yours|we|us|our|ours|myself|yourself|ourselves|themselves|itself|one|ones|such|same|everyone|someone|something|anything|everything|nothing|stuff|things?|what|how|whatever)(?![\p{L}-])/iu
const boundary =
  /,|\s(?=(?:for|to|with|in|on|at|by|of|from|about|into|and|or|like|after|before|during|around|near|as|over|through|toward|towards|without|under)\s)/giu

const vague =
  /^(?:(?:a|an|the|some|so|such|very|really|pretty|my|more|much|many|all|another|any|every|no|great|good|nice|cool|amazing|awesome|awesome|big|little|few|lots?|bit|ton|tons|bunch|of|time|times|fun|blast|day|days|while|way|ways|lot|point|idea|chance|part|kind|sort|people|work|life|stuff|thing|things|hard|well|better|best|own|new|self|first|last|next|other|different|to|with|in|on|at|for|from|about|and|up|out|back|be|do|go|get|make|have|take|see|try|keep|help|start|give|learn|love|explore|share|feel|games?|together)(?:\s+|$))+$/iu

/** "a, b and c" stays; what else stands behind a comma goes, but for the larger place that a place lies in. */
const withinCommas = (text: string): string => {
  const parts = text.split(/,\s*/)
  if (parts.length === 1) return text
  const [first = "", ...rest] = parts
  // "a safe, loving home": two adjectives of one noun.
  if (
    /(?:^|\s)(?:a|an|the|my) (?:\p{L}+ly )?\p{Ll}+$/u.test(first) && /^\p{Ll}+ \p{Ll}+/u.test(rest[0] ?? "") &&
    !/^(?:and|or|with|to|so)\s/.test(rest[0] ?? "")
  ) {
    return withinCommas(`${first}\u0002 ${rest.join(", ")}`)
  }
  const isList = /^(?:and|or)\s/.test(rest.at(-1) ?? "") && rest.every((part) => part.split(" ").length <= 4)
  if (
    isList ||
    (rest.length >= 2 && rest.slice(0, -1).every((part) => part.split(" ").length <= 3) &&
      / (?:and|or) /.test(rest.at(-1) ?? "") && (rest.at(-1) ?? "").split(" ").length <= 5)
  ) {
    return text
  }
  const place = rest[0] ?? ""
  return /\p{Lu}\p{L}+$/u.test(first) && /^\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?$/u.test(place) ? `${first}, ${place}` : first
}

export interface ObjectOptions {
  /** The speaker, and his possessive: "Nadia", "Nadia's". */
  readonly name: string
  readonly owner: string
  /** Whether "to …" says what is planned rather than what for. */
  readonly keepsPurpose: boolean
  /** Whether "his", "her" and "their" mean the subject. */
  readonly isOther: boolean
}

/** The object in the third person. */
export const objectOf = (text: string, { isOther, keepsPurpose, name, owner }: ObjectOptions): string | null => {
  let rest = text.replace(/[\u0000-\u0002]/g, "").replace(/\s+/g, " ").replace(/^[\s,]+/, "")
  if (isOther) rest = rest.replace(/(?<![\p{L}'-])(?=(?:his|her|their) \p{L})/giu, OWN)
  rest = ` ${rest}`.replace(subordinate, "").replace(continued, "")
  if (!keepsPurpose) rest = rest.replace(purpose, "")
  rest = withinCommas(rest.trim()).replaceAll("\u0002", ",")
  rest = within(rest)
  for (let before = ""; before !== rest;) {
    before = rest
    rest = rest.replace(/[\s,.;:!?–—-]+$/, "").replace(trailing, "")
  }
  rest = rest.replaceAll(OWN, "")
  if (rest === "" || vague.test(rest)) return null
  return rest.replace(/(?<![\p{L}'-])my own(?![\p{L}'-])/giu, owner).replace(/(?<![\p{L}'-])my(?![\p{L}'-])/giu, owner)
    .replace(/(?<![\p{L}'-])(?:me|I)(?![\p{L}'-])/gu, name)
}

/** The text up to the last boundary before a word that points outside it, and before it grows too long. */
const within = (text: string): string => {
  const at = outside.exec(text)?.index ?? text.length
  const words = text.split(" ")
  const end = Math.min(at, words.length > MOST_WORDS ? words.slice(0, MOST_WORDS).join(" ").length : text.length)
  if (end === text.length) return text
  const cuts = [...text.matchAll(boundary)].map(({ index }) => index).filter((index) => index < end)
  return text.slice(0, cuts.at(-1) ?? 0).trim()
}

const lead =
  /^(?:(?:not|no|to|in|at|on|for|with|about|into|of|from|by|as|back|up|over|out|through|around|across|near|how|off|along|down|all|hard|together|go|going|get|have|be|become|forward|the way|a|an|the|my|another|some|several|many|both|one|two|three|four|five|six|seven|eight|nine|ten|\d+|new|own|really|very|super|quite|pretty|cool|awesome|amazing|great|nice|good|big|huge|beautiful|lovely|fun|little|small|local|few|couple|pair|of|part|lot|lots|bunch|set|piece|kind|type|sort|bit|got|fluent|basic|myself|only|mostly|always|usually|often|fellow|first|second) )+/iu
const generic =
  /^(?:accepted|promoted|hired|admitted|elected|selected|drafted|signed|fired|injured|diagnosed|kids?|child|children|family|fam|dad|mom|trip|vacation|holiday|tour|visit|lot|kind|couple|bunch|piece|bit|group|part|type|pair|set|cup|class|classes|course|lessons?|workshop|way|job|position|degree|member|fan|love|interest|book|books|documentary|exhibition|exam|collection)$/iu
const end =
  /\s(?:for|to|with|in|on|at|by|from|about|into|and|or|like|after|before|during|around|near|as|over|through|named|called|of|since|every|each|when|than|using|because|while|is|are|was|were)\s/iu

// "lgbtq support group", "charity race": more words make a topic that nobody says again.
const MOST_TOPIC = 4

/** The thing that the words are about: the first noun phrase without what only describes it; empty when there is none. */
export const topicOf = (object: string): string => {
  const text = ` ${object.replace(/["“”„«»,.;:!?]/g, " ").replace(/\s+/g, " ").trim()} `.trimStart().replace(lead, "")
  const cut = end.exec(text)
  const first = (cut === null ? text : text.slice(0, cut.index)).trim()
  const rest = cut === null ? "" : text.slice(cut.index).replace(/^\s(?:and|or)\s.*$/iu, "").trim()
  const inner = first.split(" ").filter((word) => !/^(?:the|a|an|my|some)$/iu.test(word) && !word.endsWith("'s"))
  const topic = inner.slice(-MOST_TOPIC).join(" ")
  if (generic.test(topic) && rest !== "") {
    const further = topicOf(rest)
    if (further !== "") return canonicalEntity(`${topic} ${further}`.split(" ").slice(0, MOST_TOPIC + 1).join(" "))
  }
  return canonicalEntity(topic)
}
