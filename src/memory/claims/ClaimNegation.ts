/**
 * Words that deny, by language, and how a claim's denials are counted: two claims of one wording with an odd and an even
 * number of denials oppose each other. "No longer", "not any more" and "used to" deny the present.
 */
import type { Language } from "./ClaimLanguage.ts"

const split = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const deniers: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: split(
    `not never no none nobody nothing neither nor nowhere cannot without hardly barely aint dont doesnt didnt isnt
    arent wasnt werent wont cant couldnt shouldnt wouldnt hasnt havent hadnt`
  ),
  de: split(`nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne weder nirgends`),
  fr: split(`pas jamais aucun aucune rien personne sans ni plus guère nulle`),
  es: split(`no nunca jamás ningún ninguno ninguna nada nadie sin ni tampoco`),
  it: split(`non mai nessun nessuno nessuna niente nulla senza né`),
  pt: split(`não nunca jamais nenhum nenhuma nada ninguém sem nem`),
  nl: split(`niet geen nooit niets niemand zonder nergens`),
  sv: split(`inte aldrig ingen inget inga utan ej icke`),
  pl: split(`nie nigdy żaden żadna żadne nic nikt bez ani`),
  ru: split(`не нет никогда никто ничего ничто без нельзя ни`),
  zh: split(`不 没 沒 无 無 未 别 勿 非`),
  ja: split(`ない ません なかった なく ず まい ぬ 不 未 非 無`),
  ko: split(`안 못 않 없 아니`),
  // A language without rules: the denials of the others, so that a difference is at least seen.
  other: split(`nei ikke inte ei hayır yok değil nem nu не না नहीं لا ليس لم לא không jangan tidak bukan hindi ไม่ όχι δεν`)
}

/** Second halves that deny nothing more: the "pas" or "plus" of "ne … pas", "never … again". */
const silent: Readonly<Partial<Record<Language, ReadonlySet<string>>>> = {
  fr: split("ne n"),
  en: split("longer anymore either ever yet any"),
  de: split("mehr"),
  nl: split("meer"),
  es: split("más ya"),
  it: split("più"),
  pt: split("mais já"),
  ru: split("больше"),
  zh: split("再 了")
}

export const denies = (low: string, language: Language): boolean => deniers[language].has(low)
export const isSilent = (low: string, language: Language): boolean => silent[language]?.has(low) === true

/** Endings that deny in languages which write them at the verb; counted once for a whole text. */
export const deniesWithin = (text: string, language: Language): boolean => {
  if (language === "ja") return /ない|ません|なかった|なく|ずに|やめ[たてる]|辞め[たて]/.test(text)
  if (language === "ko") return /지 ?않|지 ?못|없[다는어습었]|아니[다며]|[가-힣] 안 [가-힣]|^안 /.test(text)
  if (language === "other") return /(?:m[iıuü]yor|madı|medi|maz|mez)\b/.test(text)
  return false
}
