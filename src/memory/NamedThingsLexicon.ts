/**
 * The words by which names are told from other words: what may stand in front of or inside a name, what is a date, and which
 * words with a capital name nothing. Lists of a few languages; a word that is in none of them is judged by how it is written.
 */

import { stopWords } from "../platform/AnalyzerStopWords.ts"
import { formsOf, nounFields, nounLemma } from "./claims/ClaimLexicon.ts"

/** A name as it stands in a text: where, and how sure its writing makes that it is one. */
export interface Mention {
  readonly text: string
  readonly at: number
  readonly weight: number
}

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Small words of European languages, by which a text's language is guessed and sentences begin. */
const small: Readonly<Record<"de" | "fr" | "es" | "it" | "pt" | "nl" | "sv" | "pl" | "ru", ReadonlySet<string>>> = {
  de: set(
    `der die das den dem des ein eine einen einem einer und oder aber ist sind war waren wird werden hat haben nicht
    kein keine mit von zum zur für auf aus bei nach über unter vor ich du er sie es wir ihr mein meine sein seine unser unsere
    im am jeden jede heute gestern morgen immer nie wenn weil dass auch noch nur sehr hier dort`
  ),
  fr: set(
    `le la les un une des du de et ou mais est sont était a ont ne pas avec pour sur dans chez par je tu il elle nous vous
    ils elles mon ma mes son sa ses notre nos ce cette ces hier demain toujours jamais quand où que qui au aux en après avant`
  ),
  es: set(
    `el la los las un una unos unas de del y o pero es son era está están no con por para en sobre yo tú él ella nosotros
    ellos ellas mi mis su sus nuestro nuestra este esta ayer hoy mañana siempre nunca cuando donde que quien al después antes`
  ),
  it: set(
    `il lo la gli le un uno una di del della dei delle e o ma è sono era non con per su nel nella io tu lui lei noi voi loro
    mio mia suo sua nostro questo questa ieri oggi domani sempre mai quando dove che chi al alla dopo prima`
  ),
  pt: set(
    `o a os as um uma de do da dos das e ou mas é são era não com por para em no na eu tu ele ela nós eles elas meu minha
    seu sua nosso este esta ontem hoje amanhã sempre nunca quando onde que quem ao depois antes`
  ),
  nl: set(
    `de het een en of maar is zijn was waren niet geen met van voor op uit bij naar over onder ik jij hij zij wij jullie
    mijn onze vandaag gisteren morgen altijd nooit als omdat dat die ook nog`
  ),
  sv: set(
    `den det en ett och eller men är var inte ingen med av för på ur hos till över under jag du han hon vi ni de min
    mitt vår idag igår imorgon alltid aldrig när att som också i`
  ),
  pl: set(
    `i lub ale jest są był była było nie z ze w we na do od po dla przez ja ty on ona my wy oni mój moja nasz ten ta to
    dziś wczoraj jutro zawsze nigdy gdy że który która`
  ),
  ru: set(
    `и или но не это этот эта мы вы они он она я ты в во на с со по для из от до к у о при за мой моя наш наша сегодня
    вчера завтра всегда никогда когда что как где после перед был была были есть`
  )
}

const everySmall: ReadonlySet<string> = new Set(Object.values(small).flatMap((words) => [...words]))

const englishSmall: ReadonlySet<string> = set(
  `the a an and or but is are was were be been has have had not no of in on at to for with from by as this that these those
  it its he she they we you i my our your his her their will would can could should may must do does did when where which who`
)

/** Which rules hold for a capital: in German every noun has one. */
export type Tongue = "english" | "german" | "other"

/** The language of a text, as far as its small words tell; English where they do not and its words are English ones. */
export const tongueOf = (words: ReadonlyArray<string>): Tongue => {
  const count = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length
  const english = count(englishSmall)
  const [best] = Object.entries(small).map(([name, known]) => ({ name, hits: count(known) }))
    .sort((left, right) => right.hits - left.hits)
  // One word alone may be another language's: "met" is Dutch, too.
  if (best !== undefined && best.hits > english && best.hits > 1) return best.name === "de" ? "german" : "other"
  if (english > 0) return "english"
  const plain = words.filter((word) => /^[a-z]{3,}$/.test(word))
  return plain.filter(isCommon).length * 2 >= words.length ? "english" : "other"
}

// Files of WordNet in which names lie: groups, places, objects in the sky, persons.
const nameFields: ReadonlySet<number> = new Set([14, 15, 17, 18])

/** Whether a word in small letters is an English word that names no one thing, whatever else it may be. */
export const isCommon = (low: string): boolean => {
  if (low.includes("-")) return low.split("-").every((part) => part === "" || isSmall(part) || isCommon(part))
  const { adjective, adverb, tags, verb } = formsOf(low)
  if (tags.length > 0 || verb || adverb) return true
  const fields = nounFields(nounLemma(low))
  return fields.length > 0 ? !fields.some((field) => nameFields.has(field)) : adjective
}

/** Whether a word in small letters is one of the frequent ones, which names are made of mostly where all have capitals. */
export const isEveryday = (low: string): boolean => formsOf(low).tags.length > 0

/** Whether a word in small letters only joins others: in the language of its text, or in any of them. */
export const isSmall = (low: string, tongue?: Tongue): boolean =>
  stopWords.has(low) || englishSmall.has(low) || (tongue !== "english" && everySmall.has(low))

/** What may stand inside a name between two words with a capital. */
export const joins: ReadonlySet<string> = set(
  "of de del della di da do dos du la le van von der den ten ter zu bin ibn al el y"
)

/** Forms of address: no part of the name behind them. */
export const addresses: ReadonlySet<string> = set(
  "mr mrs ms miss dr prof sir madam mister herr frau dhr mevr monsieur madame mme mlle señor señora sr sra don doña signor signora"
)

/** Days and months: dates name no thing. */
export const dates: ReadonlySet<string> = set(`monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
  wednesdays thursdays fridays saturdays sundays mon tue tues wed thu thur thurs fri sat sun
  january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct
  nov dec montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember
  lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre novembre
  décembre lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre
  octubre noviembre diciembre am pm utc gmt cet cest est edt pst pdt bc ad q1 q2 q3 q4 h1 h2`)

/** Words written in capitals for their weight, and units of money and measure: no acronyms. */
export const shouted: ReadonlySet<string> = set(
  `todo note fixme warning warn error info debug important ok okay yes no not never
  always must only all any and or nor but if then else asap fyi btw imo tbd tba na vs eg ie etc eur usd gbp chf jpy inr sek nok dkk
  pln kg km cm mm ml mb gb tb kb ms hz khz mhz ghz kwh mph rpm dpi px new old now stop do dont this that the`
)

/** Acronyms that are words too, when they are written small. */
export const acronyms: ReadonlySet<string> = set("us it ram sap")

/** What a name of two common words ends in when it is one of software and no adjective (`billing-service`, not `long-term`). */
export const heads: ReadonlySet<string> = set(
  `service services server servers worker workers api apis db database cache queue
  client clients job jobs cluster clusters bot bots gateway proxy app apps ui cli sdk lib core config prod staging dev operator
  controller exporter importer extractor scheduler daemon agent bucket topic pipeline repo package plugin module store index
  webhook migrations release team board channel`
)
