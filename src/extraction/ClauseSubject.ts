/**
 * Whom a clause is about: the speaker ("I", and "we" for what they did), somebody or something that belongs to him ("my
 * colleague Jonas", "my sister"), or a name. What is about nobody in particular has no subject. English. Pure.
 */
import { lemma } from "./ClauseVerb.ts"
import { isRelation, plurals, relations } from "./ClauseWords.ts"
import { isKnownVerb } from "./VerbTable.ts"

export interface ClauseSubject {
  readonly kind: "speaker" | "together" | "relation" | "named" | "attribute"
  /** The name of another person where it is said, else empty. */
  readonly name: string
  /** What the person is to the speaker, or which attribute of his "my …" names; else empty. */
  readonly relation: string
  readonly isPlural: boolean
  readonly pronoun: "she" | "he" | "any"
  /** What stands behind the subject. */
  readonly rest: string
}

const subject = (fields: Partial<ClauseSubject> & Pick<ClauseSubject, "kind" | "rest">): ClauseSubject => ({
  name: "",
  relation: "",
  isPlural: false,
  pronoun: "any",
  ...fields
})

const NAME = "\\p{Lu}[\\p{L}'-]+(?: (?:van |von |de |da |del |al-)?\\p{Lu}[\\p{L}'-]+){0,2}"
const kin =
  "((?:(?:best|close|old|younger|older|little|big|elder|twin|new|former|ex|late|first|second|only|middle|youngest|oldest|dear|good|business|dance|work|tennis|running|three|two|four|five|\\d+)[ -]){0,2})([\\p{L}-]+)"
const related = new RegExp(`^[Mm]y ${kin},? (?:named |called )?(${NAME}),? (?=\\p{Ll})(.+)$`, "u")
const unnamed = new RegExp(`^[Mm]y ${kin} (?=\\p{Ll})(.+)$`, "u")
const attribute = /^[Mm]y ((?:favou?rite|preferred) (?:[\p{L}-]+ ){1,3}?|(?:[\p{L}'-]+ ){1,2}?)(?:is|are) (.+)$/u
const apposed = new RegExp(`^(${NAME}), my ${kin}, (.+)$`, "u")
const introduced = new RegExp(
  `^(?:I have|I've got|I got) an? ${kin} (?:named|called|whose name is) (${NAME}),? who (.+)$`,
  "u"
)
const named = new RegExp(`^(${NAME}) (?=\\p{Ll})(.+)$`, "u")
const article =
  /^(?:The|Our) ((?:[\p{L}\d.-]+ ){1,3}?)(?=(?:is|are|has|have|runs|uses|ships|depends|owns|deploys|happens|happen)\b)(.+)$/u

/** Words with a capital that are no names, where they begin a clause. */
const noNames: ReadonlySet<string> = new Set(
  `i the a an this that these those it he she they we you my your his her our their there here what who how why when where which
  everyone everybody someone nobody nothing something everything all some many most every each both either neither one two
  life love work music art nature family friends people kids time today tomorrow yesterday god not no yes just only even still also
  maybe if and or but so as at in on for with from to of by thanks thank glad happy sorry sounds looks feels being having getting
  taking making going doing seeing let hope good great nice awesome wow anyone anything our`.split(/\s+/)
)

// "Just signed up for a class": people leave themselves out where they tell what they did.
const unsaid = /^(?:(?:Just|Also|Recently|Finally|Already|Even|Actually) )?(\p{L}+) (?=\p{L})/u

/** A clause whose subject is left out and whose verb is a past one, as a clause about its speaker; else itself. */
export const withSubject = (clause: string): string => {
  const verb = unsaid.exec(clause)?.[1]?.toLowerCase() ?? ""
  const isPast = /(?:ed|went|got|took|made|ran|met|won|bought|saw|built|wrote|found|began|taught|sold)$/.test(verb) &&
    lemma(verb) !== verb
  return isPast && isKnownVerb(lemma(verb)) ? `I ${clause.slice(0, 1).toLowerCase()}${clause.slice(1)}` : clause
}

/** The subject of a clause; null when it has none that this reads. */
export const subjectOf = (clause: string): ClauseSubject | null => {
  const own = /^(?:I|i) (.+)$/u.exec(clause)
  const who = introduced.exec(clause)
  if (who !== null) return kinOf(who[2] ?? "", who[3] ?? "", who[4] ?? "")
  if (own !== null) return subject({ kind: "speaker", rest: own[1] ?? "" })
  const we =
    /^(?:We|we|My (?:family|husband|wife|partner|kids|friends?|girlfriend|boyfriend) and I|me and my \p{L}+) (.+)$/u
      .exec(clause)
  if (we !== null) return subject({ kind: "together", rest: we[1] ?? "" })
  const by = apposed.exec(clause)
  if (by !== null) return kinOf(by[3] ?? "", by[1] ?? "", by[4] ?? "")
  const known = related.exec(clause)
  if (known !== null && isRelation((known[2] ?? "").toLowerCase())) {
    return kinOf(known[2] ?? "", known[3] ?? "", known[4] ?? "")
  }
  const kinsman = unnamed.exec(clause)
  if (kinsman !== null && isRelation((kinsman[2] ?? "").toLowerCase())) {
    return kinOf(kinsman[2] ?? "", "", kinsman[3] ?? "", kinsman[1])
  }
  const turned =
    /^((?:The )?\p{L}[\p{L}\d' -]{1,60}?) (?:is|are) (?:definitely |by far |still |probably )?my ((?:favou?rite|preferred) [\p{L} -]+?)$/u
      .exec(clause)
  if (
    turned !== null &&
    !/^(?:it|this|that|these|those|they|he|she|which|what|one|(?:this|that|these|those|your|his|her) .*)$/iu.test(
      turned[1] ?? ""
    )
  ) {
    return subject({ kind: "attribute", relation: turned[2] ?? "", rest: ordinary(turned[1] ?? "") })
  }
  const mine = attribute.exec(clause)
  if (mine !== null) return subject({ kind: "attribute", relation: (mine[1] ?? "").trim(), rest: mine[2] ?? "" })
  const part = article.exec(clause)
  if (part !== null) return subject({ kind: "named", name: `the ${(part[1] ?? "").trim()}`, rest: part[2] ?? "" })
  const other = named.exec(clause)
  if (other === null || noNames.has((other[1] ?? "").split(" ")[0]?.toLowerCase() ?? "")) return null
  return subject({ kind: "named", name: other[1] ?? "", rest: other[2] ?? "" })
}

/** A first word has its capital from its place where the next has none. */
const ordinary = (text: string): string =>
  /^\p{Lu}\p{Ll}+ \p{Ll}/u.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text

const kinOf = (word: string, name: string, rest: string, adjectives = ""): ClauseSubject => {
  const lower = word.toLowerCase()
  const single = plurals.get(lower)
  return subject({
    kind: "relation",
    name,
    relation: `${adjectives.toLowerCase()}${lower}`.trim(),
    isPlural: single !== undefined && !relations.has(lower),
    pronoun: relations.get(single ?? lower) ?? "any",
    rest
  })
}
