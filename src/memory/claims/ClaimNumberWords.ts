/** Number words: what each word of a language counts, and how a run of them adds up to one number. */
import type { Language } from "./ClaimLanguage.ts"

const table = (text: string): ReadonlyMap<string, number> =>
  new Map(text.trim().split(/\s+/).map((pair) => pair.split("=")).map(([word = "", value]) => [word, Number(value)]))

const numbered = (text: string, from = 0): string =>
  text.trim().split(/\s+/).map((word, i) => `${word}=${i + from}`).join(" ")

const english = table(
  `${
    numbered(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`)
  } twenty=20 thirty=30 forty=40 fourty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90 hundred=100 thousand=1000
  million=1000000 billion=1000000000 dozen=12`
)

const german = table(
  `${
    numbered(`null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
  siebzehn achtzehn neunzehn`)
  } zwanzig=20 dreißig=30 dreissig=30 vierzig=40 fünfzig=50 sechzig=60 siebzig=70 achtzig=80 neunzig=90 hundert=100
  tausend=1000 million=1000000 millionen=1000000 zwo=2`
)

const french = table(
  `${
    numbered(`zéro x deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize`)
  } vingt=20 trente=30 quarante=40 cinquante=50 soixante=60 cent=100 cents=100 mille=1000 million=1000000
  millions=1000000`
)

const spanish = table(
  `${
    numbered(
      `cero x dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete
  dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho
  veintinueve`
    )
  } treinta=30 cuarenta=40 cincuenta=50 sesenta=60 setenta=70 ochenta=80 noventa=90 cien=100 ciento=100 doscientos=200
  trescientos=300 quinientos=500 mil=1000 millón=1000000 millones=1000000`
)

const italian = table(
  `${
    numbered(`zero x due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
  diciassette diciotto diciannove venti ventuno ventidue ventitré ventiquattro venticinque`)
  } trenta=30 quaranta=40 cinquanta=50 sessanta=60 settanta=70 ottanta=80 novanta=90 cento=100 mille=1000 mila=1000
  milione=1000000 milioni=1000000`
)

const portuguese = table(
  `${
    numbered(`zero x dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete
  dezoito dezenove vinte`)
  } duas=2 dezasseis=16 dezassete=17 dezanove=19 trinta=30 quarenta=40 cinquenta=50 sessenta=60 setenta=70 oitenta=80
  noventa=90 cem=100 cento=100 mil=1000 milhão=1000000 milhões=1000000`
)

const dutch = table(
  `${
    numbered(
      `nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien
  achttien negentien twintig`
    )
  } dertig=30 veertig=40 vijftig=50 zestig=60 zeventig=70 tachtig=80 negentig=90 honderd=100 duizend=1000 miljoen=1000000`
)

const swedish = table(`${numbered("noll x två tre fyra fem sex sju åtta nio tio elva tolv")} tjugo=20 trettio=30
  fyrtio=40 femtio=50 hundra=100 tusen=1000`)

const polish = table(`${numbered("zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć")} dwie=2 dwóch=2
  trzech=3 czterech=4 pięciu=5 dwanaście=12 dwadzieścia=20 trzydzieści=30 sto=100 tysiąc=1000`)

const russian = table(`${numbered("ноль один два три четыре пять шесть семь восемь девять десять")} одна=1 две=2 двое=2
  трое=3 двух=2 трёх=3 трех=3 одиннадцать=11 двенадцать=12 пятнадцать=15 двадцать=20 тридцать=30 сорок=40 пятьдесят=50
  сто=100 тысяча=1000`)

// Korean's own numbers, as they stand before what they count.
const korean = table(
  `하나=1 한=1 둘=2 두=2 셋=3 세=3 넷=4 네=4 다섯=5 여섯=6 일곱=7 여덟=8 아홉=9 열=10 스무=20 스물=20 서른=30
  마흔=40 쉰=50`
)

// Turkish, Hindi and Arabic up to ten, without the words that are an article too.
const elsewhere = table(
  `iki=2 üç=3 dört=4 beş=5 altı=6 yedi=7 sekiz=8 dokuz=9 yirmi=20 otuz=30 kırk=40 elli=50 yüz=100 दो=2
  तीन=3 चार=4 पाँच=5 पांच=5 छह=6 सात=7 आठ=8 नौ=9 दस=10 ثلاثة=3 ثلاث=3 أربعة=4 أربع=4 خمسة=5 خمس=5 ستة=6 سبعة=7 ثمانية=8
  تسعة=9 عشرة=10`
)

const none: ReadonlyMap<string, number> = new Map()

const tables: Readonly<Record<Language, ReadonlyMap<string, number>>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  sv: swedish,
  pl: polish,
  ru: russian,
  zh: none,
  ja: none,
  ko: korean,
  other: elsewhere
}

const joining: ReadonlySet<string> = new Set(["and", "und", "et", "y", "e", "en", "и"])
const germanTens =
  /^(ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und(zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)$/
const germanHundreds = /^(ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)?(hundert|tausend)(?:und)?(.*)$/

/** German writes its numbers in one word: `dreiundzwanzig`, `zweihundertfünfzig`. */
const germanNumber = (word: string): number | undefined => {
  const one = (name: string | undefined) => name === undefined || name === "ein" ? 1 : german.get(name) ?? 0
  const tens = germanTens.exec(word)
  if (tens !== null) return one(tens[1]) + (german.get(tens[2]!) ?? 0)
  const hundreds = germanHundreds.exec(word)
  if (hundreds === null) return undefined
  const rest = hundreds[3] === "" ? 0 : german.get(hundreds[3]!) ?? germanNumber(hundreds[3]!)
  return rest === undefined ? undefined : one(hundreds[1]) * (hundreds[2] === "hundert" ? 100 : 1000) + rest
}

/** What one word counts, or undefined. */
export const numberOf = (word: string, language: Language): number | undefined =>
  tables[language].get(word) ?? (language === "de" && word.length > 5 ? germanNumber(word) : undefined)

/** The number a run of words from `start` says, and how many words it takes; undefined when there is none. */
export const numberRun = (
  words: ReadonlyArray<string>,
  start: number,
  language: Language
): { readonly value: number; readonly length: number } | undefined => {
  let total = 0
  let part = 0
  let last = Number.POSITIVE_INFINITY
  let i = start
  for (; i < words.length; i++) {
    const value = numberOf(words[i]!, language)
    if (value === undefined) {
      const next = words[i + 1]
      if (
        i > start && joining.has(words[i]!) && last >= 20 && next !== undefined &&
        (numberOf(next, language) ?? Number.POSITIVE_INFINITY) < last
      ) continue
      break
    }
    if (value === 100 || value === 12 && words[i] === "dozen") part = (part === 0 ? 1 : part) * value
    else if (value >= 1000) {
      total += (part === 0 ? 1 : part) * value
      part = 0
    } else if (i === start || last >= 100 || (last >= 20 && value < 20)) part += value
    // "two three" and "five twenty" are two numbers.
    else break
    last = value
  }
  return i === start ? undefined : { value: total + part, length: i - start }
}

const ordinals = table(`${
  numbered(
    `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
  sixteenth seventeenth eighteenth nineteenth twentieth`,
    1
  )
} thirtieth=30`)

/** What an English ordinal counts ("third", "21st"), or undefined. */
export const ordinalOf = (word: string): number | undefined => {
  const digits = /^(\d{1,4})(?:st|nd|rd|th)$/.exec(word)
  return digits === null ? ordinals.get(word) : Number(digits[1])
}

const chineseDigits = "零一二三四五六七八九"

/** A number in Chinese digits up to the ten thousands, or undefined. */
export const chineseNumber = (text: string): number | undefined => {
  let total = 0
  let digit = -1
  for (const sign of text.replaceAll("两", "二").replaceAll("〇", "零")) {
    const value = chineseDigits.indexOf(sign)
    const unit = sign === "十" ? 10 : sign === "百" ? 100 : sign === "千" ? 1000 : sign === "万" ? 10_000 : 0
    if (value >= 0) {
      if (digit > 0) return undefined
      digit = value
    } else if (unit === 10_000) {
      total = (total + Math.max(digit, 0)) * unit
      digit = -1
    } else if (unit > 0) {
      total += (digit < 0 ? 1 : digit) * unit
      digit = -1
    } else return undefined
  }
  return total + Math.max(digit, 0)
}
