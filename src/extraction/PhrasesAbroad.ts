/**
 * The plainest statements of German, French and Spanish: where someone lives, works, comes from, what he is called, likes and
 * does not eat. Each is told in its own language, by the pattern it was said in. Pure. Next: `Statement` (English).
 */
import { canonicalEntity } from "../kernel/NamedThing.ts"
import type { DateLanguage } from "./DateWords.ts"
import { USER } from "./KeyMint.ts"
import type { Statement, Teller } from "./Statement.ts"

/** The pattern of a clause, its attribute, and how it is told behind the name; `$1` is the value, `*` makes it the topic. */
type Line = readonly [pattern: RegExp, attribute: string, told: string]

const tables: Readonly<Record<Exclude<DateLanguage, "en">, ReadonlyArray<Line>>> = {
  de: [
    [/^ich (?:wohne|lebe) (?:jetzt |zurzeit |seitdem )?(in .+)$/iu, "residence", "wohnt $1"],
    [/^ich bin (?:jetzt )?nach (.+?) (?:gezogen|umgezogen)$/iu, "residence", "ist nach $1 gezogen"],
    [/^ich arbeite (?:jetzt )?(bei .+)$/iu, "employer", "arbeitet $1"],
    [/^ich arbeite (?:jetzt )?(als .+)$/iu, "occupation", "arbeitet $1"],
    [/^ich (?:heiße|heisse) (\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)$/iu, "name", "heißt $1"],
    [/^ich komme aus (.+)$/iu, "origin", "kommt aus $1"],
    [/^ich bin (\d{1,3}) Jahre alt$/iu, "age", "ist $1 Jahre alt"],
    [/^ich bin ((?:Vegetarier|Veganer)(?:in)?|vegetarisch|vegan)$/iu, "diet", "ist $1"],
    [/^ich bin (?:allergisch gegen|gegen) (.+?)(?: allergisch)?$/iu, "allergy*", "ist allergisch gegen $1"],
    [/^ich (?:mag|liebe) (?!nicht|es\b|das\b|dich\b)(?:keinen? )?(.+)$/iu, "preference*", "mag $1"],
    [/^ich (?:mag|esse|trinke) (kein(?:e|en)? .+)$/iu, "preference*", "mag $1"],
    [/^ich hasse (?!es\b|das\b)(.+)$/iu, "preference*", "hasst $1"],
    [/^ich spreche (.+)$/iu, "language*", "spricht $1"],
    [/^ich studiere (?!noch\b|gerade\b)(.+)$/iu, "field-of-study", "studiert $1"]
  ],
  fr: [
    [/^j'habite (?:maintenant )?((?:à|en|au|aux|dans) .+)$/iu, "residence", "habite $1"],
    [/^(?:je vis|je réside) ((?:à|en|au|aux) .+)$/iu, "residence", "vit $1"],
    [/^j'ai déménagé ((?:à|en|au) .+)$/iu, "residence", "a déménagé $1"],
    [/^je travaille (chez .+)$/iu, "employer", "travaille $1"],
    [/^je travaille (comme .+)$/iu, "occupation", "travaille $1"],
    [/^je m'appelle (\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)$/iu, "name", "s'appelle $1"],
    [/^je viens (d(?:e |u |es |').+)$/iu, "origin", "vient $1"],
    [/^j'ai (\d{1,3}) ans$/iu, "age", "a $1 ans"],
    [/^je suis (végétarien(?:ne)?|végan(?:e)?|végétalien(?:ne)?)$/iu, "diet", "est $1"],
    [/^je suis allergique ((?:à |au |aux ).+)$/iu, "allergy*", "est allergique $1"],
    [/^j'(?:aime|adore) (?!bien ça|ça\b|te\b)(.+)$/iu, "preference*", "aime $1"],
    [/^je (?:déteste|hais) (?!ça\b)(.+)$/iu, "preference*", "déteste $1"],
    [/^je parle (?!de\b|à\b)(.+)$/iu, "language*", "parle $1"]
  ],
  es: [
    [/^(?:yo )?vivo (en .+)$/iu, "residence", "vive $1"],
    [/^me mudé (a .+)$/iu, "residence", "se mudó $1"],
    [/^(?:yo )?trabajo (en .+)$/iu, "employer", "trabaja $1"],
    [/^(?:yo )?trabajo (como .+)$/iu, "occupation", "trabaja $1"],
    [/^me llamo (\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)$/iu, "name", "se llama $1"],
    [/^(?:yo )?soy (de \p{Lu}.+)$/u, "origin", "es $1"],
    [/^tengo (\d{1,3}) años$/iu, "age", "tiene $1 años"],
    [/^(?:yo )?soy (vegetarian[oa]|vegan[oa])$/iu, "diet", "es $1"],
    [/^(?:yo )?soy alérgic[oa] (al? .+)$/iu, "allergy*", "es alérgico $1"],
    [/^me (?:gustan?|encantan?) (?!eso\b|esto\b)(.+)$/iu, "preference*", "le gusta $1"],
    [/^odio (?!eso\b|esto\b)(.+)$/iu, "preference*", "odia $1"],
    [/^hablo (?!de\b|con\b)(.+)$/iu, "language*", "habla $1"]
  ]
}

const users: Readonly<Record<Exclude<DateLanguage, "en">, string>> = {
  de: "Der Nutzer",
  fr: "L'utilisateur",
  es: "El usuario"
}

const fillers =
  /^(?:ja|nein|also|und|aber|übrigens|hallo|danke|oui|non|et|mais|salut|bonjour|merci|sí|no|y|pero|hola|gracias)[,!]? /iu
const tail =
  /,.*$|\s+(?:und|aber|weil|wo|et|mais|parce que|où|y|pero|porque|donde)\s+(?:ich|wir|er|sie|es|je|nous|il|elle|yo|nosotros|mi|él|ella|das|ça|c'est|trabajo|habite|arbeite|wohne)\b.*$|\s+(?:jetzt|maintenant|ahora)$/iu
const outside =
  /(?<!\p{L})(?:mein|dein|ihr|sein|euer|unser|diese|dich|mich|mon|ma|mes|ton|ta|tes|son|sa|ses|notre|votre|cette|ce|mi|mis|tu|tus|su|sus|nuestr|est[ae]|eso|ese)\p{L}{0,3}(?!\p{L})/iu
const article =
  /^(?:kein(?:e|en)?|der|die|das|den|ein(?:e|en)?|le|la|les|l'|un|une|des|du|de|à|au|aux|el|los|las|una|al|a)\s*(?=\p{L})/iu

/** What a clause of one of these languages states of its speaker; its dates are taken out already. */
export const statementAbroad = (
  clause: string,
  language: Exclude<DateLanguage, "en">,
  teller: Teller
): Statement | null => {
  const text = clause.replace(fillers, "").replace(tail, "").replace(/\s+/g, " ").replace(/[\s,.;:]+$/, "").trim()
  for (const [pattern, attribute, told] of tables[language]) {
    const value = pattern.exec(text)?.[1]
    if (value === undefined) continue
    if (outside.test(value) || value.split(" ").length > MOST_WORDS) return null
    const hasTopic = attribute.endsWith("*")
    const topic = hasTopic
      ? canonicalEntity(value.replace(article, "").replace(article, "").split(/,| und | et | y /)[0] ?? "")
      : ""
    const name = teller.subject === USER && teller.name === "The user" ? users[language] : teller.name
    return {
      subject: teller.subject,
      attribute: hasTopic ? `${attribute.slice(0, -1)}/${topic}` : attribute,
      text: `${told.startsWith("le ") ? toWhom(name) : name} ${told.replace("$1", () => value)}`,
      isOther: false,
      isPreference: attribute === "preference*",
      tense: "state",
      confidence: 0.8,
      needsDate: false,
      pronoun: "any"
    }
  }
  return null
}

/** "A Nadia le gusta", "al usuario le gusta". */
const toWhom = (name: string): string => name === users.es ? "Al usuario" : `A ${name}`

// Longer values are clauses that this does not read.
const MOST_WORDS = 7
