/** Names of months and weekdays in several languages, in lower case with their accents; a month or weekday is its number. */

const numbered = (lines: Readonly<Record<string, string>>): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const out = new Map<string, ReadonlyMap<string, number>>()
  for (const [language, line] of Object.entries(lines)) {
    const names = new Map<string, number>()
    for (const [index, alternatives] of line.trim().split(/\s+/).entries()) {
      for (const name of alternatives.split("/")) names.set(name, index + 1)
    }
    out.set(language, names)
  }
  return out
}

const months = numbered({
  en: `january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct
    november/nov december/dec`,
  de: `januar/jänner/jan februar/feb märz/mär april/apr mai juni/jun juli/jul august/aug september/sep/sept oktober/okt
    november/nov dezember/dez`,
  fr: `janvier/janv février/févr mars avril/avr mai juin juillet/juil août septembre/sept octobre/oct novembre/nov
    décembre/déc`,
  es: `enero/ene febrero/feb marzo abril/abr mayo junio/jun julio/jul agosto/ago septiembre/setiembre/sept octubre/oct
    noviembre/nov diciembre/dic`,
  it: `gennaio/gen febbraio/feb marzo aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago settembre/set ottobre/ott
    novembre/nov dicembre/dic`,
  pt: `janeiro/jan fevereiro/fev março abril/abr maio junho/jun julho/jul agosto/ago setembro/set outubro/out
    novembro/nov dezembro/dez`,
  nl: `januari/jan februari/feb maart/mrt april/apr mei juni/jun juli/jul augustus/aug september/sep/sept oktober/okt
    november/nov december/dec`,
  sv:
    `januari/jan februari/feb mars april maj juni juli augusti/aug september/sep oktober/okt november/nov december/dec`,
  pl: `stycznia/styczeń lutego/luty marca/marzec kwietnia/kwiecień maja/maj czerwca/czerwiec lipca/lipiec
    sierpnia/sierpień września/wrzesień października/październik listopada/listopad grudnia/grudzień`,
  ru: `января/январь/январе февраля/февраль/феврале марта/март/марте апреля/апрель/апреле мая/май/мае июня/июнь/июне
    июля/июль/июле августа/август/августе сентября/сентябрь/сентябре октября/октябрь/октябре ноября/ноябрь/ноябре
    декабря/декабрь/декабре`
})

const weekdays = numbered({
  en: `monday/mondays/mon tuesday/tuesdays/tue/tues wednesday/wednesdays/wed thursday/thursdays/thu/thurs
    friday/fridays/fri saturday/saturdays/sat sunday/sundays/sun`,
  de: `montag/montags dienstag/dienstags mittwoch/mittwochs donnerstag/donnerstags freitag/freitags
    samstag/samstags/sonnabend sonntag/sonntags`,
  fr: `lundi/lundis mardi/mardis mercredi/mercredis jeudi/jeudis vendredi/vendredis samedi/samedis dimanche/dimanches`,
  es: `lunes martes miércoles jueves viernes sábado/sábados domingo/domingos`,
  it: `lunedì martedì mercoledì giovedì venerdì sabato domenica`,
  pt: `segunda-feira/segunda terça-feira/terça quarta-feira/quarta quinta-feira/quinta sexta-feira/sexta sábado/sábados
    domingo/domingos`,
  nl: `maandag/maandags dinsdag/dinsdags woensdag/woensdags donderdag/donderdags vrijdag/vrijdags zaterdag/zaterdags
    zondag/zondags`,
  sv:
    `måndag/måndagar tisdag/tisdagar onsdag/onsdagar torsdag/torsdagar fredag/fredagar lördag/lördagar söndag/söndagar`,
  pl: `poniedziałek/poniedziałki wtorek/wtorki środę/środa czwartek/czwartki piątek/piątki sobotę/sobota
    niedzielę/niedziela`,
  ru: `понедельник вторник среду/среда/среда четверг пятницу/пятница субботу/суббота воскресенье`
})

/** Short forms that are words of their own unless a number stands beside them. */
const doubtful: ReadonlySet<string> = new Set([
  "may",
  "mar",
  "sun",
  "sat",
  "wed",
  "mon",
  "set",
  "out",
  "ago",
  "gen",
  "mag"
])

/** 1 to 12; the language is named by its two letters. */
export const monthOf = (word: string, language: string): number | undefined => months.get(language)?.get(word)
/** 1 for Monday to 7. */
export const weekdayOf = (word: string, language: string): number | undefined => weekdays.get(language)?.get(word)
export const isDoubtful = (word: string): boolean => doubtful.has(word)
/** Every name of a month, and of a weekday, of a language. */
export const monthNames = (language: string): ReadonlyArray<string> => [...months.get(language)?.keys() ?? []]
export const weekdayNames = (language: string): ReadonlyArray<string> => [...weekdays.get(language)?.keys() ?? []]
