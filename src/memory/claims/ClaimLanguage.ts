/**
 * A guess at the language of a claim: by script, else by the commonest little words. The guess chooses the tables of
 * number words, months and negations; where it is unsure the claim counts as English when most of its words are, else as
 * `other`, for which no two claims are the same unless their words are.
 */
import { isKnown } from "./ClaimLexicon.ts"

export type Language =
  | "en"
  | "de"
  | "fr"
  | "es"
  | "it"
  | "pt"
  | "nl"
  | "sv"
  | "pl"
  | "ru"
  | "zh"
  | "ja"
  | "ko"
  | "other"

const split = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Little words of each language: articles, pronouns, prepositions, auxiliaries. They carry no content of a claim. */
export const littleWords: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: split(`a an the this that these those there here i me my mine we us our ours you your yours he him his she her
    hers it its they them their theirs myself yourself himself herself itself ourselves themselves is am are was were be
    been being do does did have has had having will would shall and or but if so as than then because while of in on at
    by for from to into with about over under out off between through what which who whom whose when where how just
    also too such own same no not never during until since per via within upon toward towards along across`),
  de: split(
    `der die das den dem des ein eine einen einem einer eines und oder aber ich du er sie es wir ihr mich mir uns
    euch ihn ihm ihnen sich mein meine meinen meinem meiner dein deine sein seine seinen seinem seiner ihre ihren ihrem
    ihrer unser unsere unseren unserem unserer ist sind war waren bin bist hat haben habe hatte wird werden wurde wurden
    worden in im am an auf bei beim mit nach von vom zu zum zur aus für über unter vor um durch gegen bis als wie dass
    daß auch noch schon man dieser diese dieses diesen diesem`
  ),
  fr: split(`le la les l un une des du de d et ou mais je j tu il elle on nous vous ils elles me m te t se s lui leur
    leurs mon ma mes ton ta tes son sa ses notre nos votre vos est sont suis es sommes êtes était étaient été être a ai as
    avons avez ont avait avoir en dans à au aux sur sous par pour avec chez que qu qui ce cet cette ces c y aussi où`),
  es: split(
    `el la los las un una unos unas de del y e o u pero yo tú él ella nosotros ellos ellas usted ustedes me te se
    le les lo mi mis tu tus su sus nuestro nuestra nuestros nuestras es son soy eres somos era eran fue fueron ser está
    están estoy estaba ha han he hemos había en a al con por para sobre que como también este esta estos estas`
  ),
  it: split(
    `il lo la i gli le l un uno una di del dello della dei degli delle e ed o ma io tu lui lei noi voi loro mi ti
    si ci vi mio mia miei mie tuo tua suo sua suoi sue nostro nostra è sono sei siamo era erano essere ha ho hai abbiamo
    hanno aveva in nel nello nella nei negli nelle a al allo alla ai agli alle con per da dal dalla su sul sulla che come
    anche questo questa questi queste`
  ),
  pt: split(`o a os as um uma uns umas de do da dos das e ou mas eu tu ele ela nós eles elas você vocês me te se lhe meu
    minha meus minhas seu sua seus suas nosso nossa é são sou somos era eram foi foram ser está estão estou estava tem
    têm tenho temos tinha em no na nos nas ao à aos às com por para pelo pela sobre que como também este esta isso`),
  nl: split(`de het een en of maar ik jij je hij zij ze wij we jullie mij me hem haar ons hun mijn jouw zijn onze is ben
    bent was waren wordt worden werd werden heeft heb hebben had hadden in op aan bij met naar van voor uit over onder om
    door tot als dat die dit deze ook er te`),
  sv: split(
    `en ett den det de och eller men jag du han hon vi ni min mitt mina din sin sitt sina hans hennes vår vårt är
    var varit blir blev har hade i på av med till från för om under över som att också denna detta`
  ),
  pl: split(
    `i oraz lub ale ja ty on ona ono my wy oni one mnie mi mój moja moje jego jej nasz nasza jest są był była było
    były być ma mam mają w we na z ze do od dla o po przy przez pod nad za że to ten ta te się także`
  ),
  ru: split(`и или но я ты он она оно мы вы они меня мне мой моя моё мои его её их наш наша есть был была было были быть
    в во на с со к ко от из за по для о об у при что это этот эта эти также`),
  zh: split(`的 了 是 在 和 与 我 你 他 她 它 我们 他们 个 着 过 地 得 把 被 也 这 那 有`),
  ja: split(`は が を に で と も の へ や から まで です ます だ である いる ある する した して`),
  ko: split(`은 는 이 가 을 를 에 에서 의 와 과 도 로 으로 입니다 이다 있다`),
  other: new Set()
}

/**
 * What of the little words a comparison may drop: articles, the present of "be" and "have", the prepositions of plain
 * place and possession. Pronouns, directions and past tenses stay: they tell claims apart.
 */
export const droppable: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: split("a an the is am are be do does in of at on and this that"),
  de: split(
    "der die das den dem des ein eine einen einem einer eines und ist sind bin bist hat haben habe wird in im am bei beim um schon"
  ),
  fr: split("le la les l un une des du de d et est sont suis es a ai as ont en dans a au aux que c il y"),
  es: split("el la los las un una unos unas de del y es son soy esta estan estoy ha han en al a"),
  it: split(
    "il lo la i gli le l un uno una di del dello della dei degli delle e ed sono ha ho hanno in nel nello nella a al alla"
  ),
  pt: split("o a os as um uma uns umas de do da dos das e sao sou esta estao tem em no na nos nas ao a as"),
  nl: split("de het een en van is zijn ben bent heeft heb hebben in te er om"),
  sv: split("en ett den det och ar har i att"),
  pl: split("i oraz jest sa w we"),
  ru: split("и есть в во"),
  zh: split("的 了 是 在 个 着 也 地 得 和 与"),
  ja: split("は が を に で と の も です ます だ である いる ある する し て た ま す い る"),
  ko: split("은 는 이 가 을 를 에 의 와 과 도"),
  other: new Set()
}

/** Whose: what follows belongs to the subject too. */
export const ownersAbroad: ReadonlySet<string> = split(
  `mein meine dein deine sein seine unser unsere euer eure mon ma mes ton
  ta tes son sa ses notre nos votre vos leur leurs mi mis tu tus su sus nuestro nuestra nuestros nuestras mio mia miei mie
  tuo tua suo sua nostro nostra meu minha meus minhas seu sua nosso nossa mijn jouw zijn haar onze ons min mitt mina din
  moj moja moje twoj jego jej nasz nasza мой моя мое мои твой наш наша наши его ее`
)

/** Letters that hardly any other of the languages here has. */
const letters: Partial<Record<Language, RegExp>> = {
  pt: /[ãõ]/i,
  es: /[ñ¿¡]/i,
  pl: /[łęążśźćń]/i,
  sv: /å/i
}

const latin = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl"] as const

export interface Guess {
  readonly language: Language
  readonly certainty: number
}

/** The language of words that are lower-case already, of a text that may be of another script. */
export const languageOf = (text: string, words: ReadonlyArray<string>): Guess => {
  const sure = (language: Language): Guess => ({ language, certainty: 100 })
  if (/[\u3041-\u30ff]/.test(text)) return sure("ja")
  if (/\p{Script=Han}/u.test(text)) return sure("zh")
  if (/\p{Script=Hangul}/u.test(text)) return sure("ko")
  if (/\p{Script=Cyrillic}/u.test(text)) return sure("ru")
  // A Greek letter or an arrow in an English note is no other language.
  if (/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]{2}/u.test(text)) return sure("other")
  const score = (language: (typeof latin)[number]) =>
    words.reduce((sum, word) => littleWords[language].has(word) ? sum + 1 : sum, 0)
  // Names with digits are of no language; "left-handed" and "read_timeout" are of that of their parts.
  const told = words.filter((word) => !/\d/.test(word))
  const isEnglish = (word: string) => isKnown(word) || littleWords.en.has(word)
  const known =
    told.filter((word) => isEnglish(word) || /[-_]/.test(word) && word.split(/[-_]/).every(isEnglish)).length
  const mostlyEnglish = known * 2 >= told.length
  // Turkish and its neighbours have no grammar here.
  if (/[ışğİ]/.test(text)) return { language: "other", certainty: 1.5 }
  // Little words alone say less than the words around them: "no" and "a" are words of many languages.
  const english = score("en") + (mostlyEnglish ? 1.5 : -0.5)
  // Most claims are plainly English: the other languages are not asked.
  if (known * 4 >= told.length * 3 && english >= 3.5) return { language: "en", certainty: 2 }
  let best: Language = "en"
  let most = english
  let second = 0
  for (const language of latin.slice(1)) {
    const points = score(language) + (/[äöüß]/.test(text) && language === "de" ? 0.5 : 0) +
      (letters[language]?.test(text) === true ? 1.5 : 0)
    if (points > most && (points > 0 || told.length > 2)) {
      second = most
      best = language
      most = points
    } else second = Math.max(second, points)
  }
  if (best === "en" && !mostlyEnglish && score("en") === 0 && told.length > 2) {
    return { language: "other", certainty: 0 }
  }
  return { language: best, certainty: most - second }
}
