/**
 * Units and currencies: every spelling of a unit, its dimension and its factor to the dimension's base, so that 90
 * minutes are 1.5 hours and 1 kg is 1000 g. Letters that stand for several units (`m`) are a dimension of their own and
 * equal themselves only.
 */
export interface Unit {
  readonly dimension: string
  readonly factor: number
  /** Added after the factor, for temperatures. */
  readonly offset?: number
}

const units = new Map<string, Unit>()
const add = (dimension: string, lines: string) => {
  for (const line of lines.trim().split("\n")) {
    const [factor = "", ...names] = line.trim().split(/\s+/)
    for (const name of names) units.set(name, { dimension, factor: Number(factor) })
  }
}

add(
  "duration",
  `
  0.000001 µs microsecond microseconds
  0.001 ms millisecond milliseconds msec millisekunden millisecondes milisegundos
  1 s sec secs second seconds sekunde sekunden secondes seconde segundos segundo secondi secondo seconden секунд
  60 min mins minute minutes minuten minuto minutos minuti minuut minuter минут минуты минуту
  3600 h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur timmar часов часа час
  86400 day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen dagar дней дня день
  604800 week weeks wk wks woche wochen semaine semaines semana semanas settimana settimane weken veckor недели неделю
`
)
add(
  "months",
  `
  1 month months mo monat monate monaten mois mes meses mese mesi maand maanden månader месяцев месяца
  12 year years yr yrs jahr jahre jahren an ans année années año años anno anni ano anos jaar jaren år лет года год
  120 decade decades
`
)
add(
  "length",
  `
  0.001 mm millimetre millimetres millimeter millimeters
  0.01 cm centimetre centimetres centimeter centimeters zentimeter
  1 metre metres meter meters mètre mètres metro metros metri
  1000 km kilometre kilometres kilometer kilometers kilomètres kilómetros chilometri
  0.0254 inch inches zoll
  0.3048 ft foot feet
  0.9144 yd yard yards
  1609.344 mi mile miles meilen
`
)
add(
  "mass",
  `
  0.001 mg milligram milligrams milligramm
  0.000001 µg mcg microgram micrograms
  1 g gram grams gramm grammes gramos grammi
  1000 kg kgs kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos
  1000000 tonne tonnes
  453.59237 lb lbs
  28.349523125 oz ounce ounces
`
)
add(
  "data",
  `
  1 byte bytes
  1000 kb kilobyte kilobytes
  1000000 mb megabyte megabytes
  1000000000 gb gigabyte gigabytes gig gigs
  1000000000000 tb terabyte terabytes
  1000000000000000 pb petabyte petabytes
  1024 kib
  1048576 mib
  1073741824 gib
  1099511627776 tib
`
)
add(
  "bitrate",
  `
  1000 kbps kbit/s
  1000000 mbps mbit/s
  1000000000 gbps gbit/s
`
)
add(
  "volume",
  `
  0.001 ml millilitre millilitres milliliter milliliters
  0.01 cl
  1 l litre litres liter liters litros litri
  3.785411784 gallon gallons gal
`
)
add(
  "speed",
  `
  1 km/h kmh kph
  1.609344 mph
`
)
add(
  "frequency",
  `
  1 hz hertz
  1000 khz
  1000000 mhz
  1000000000 ghz
`
)
add(
  "power",
  `
  1 watt watts
  1000 kw kilowatt kilowatts
  1000000 mw megawatt megawatts
`
)
add(
  "energy",
  `
  1 kwh
  0.001163 kcal
`
)
add(
  "area",
  `
  1 m² m2 sqm
  10000 ha hectare hectares hektar
  4046.8564224 acre acres
`
)
add("pixels", "1 px pixel pixels")
add("percent", "1 % percent pct prozent procent pourcent percento ٪")
for (const name of ["°c", "celsius", "centigrade"]) units.set(name, { dimension: "temperature", factor: 1 })
for (const name of ["°f", "fahrenheit"]) units.set(name, { dimension: "temperature", factor: 5 / 9, offset: -160 / 9 })
// What stands for several things, or is spelled as a letter: equal to itself alone.
for (const name of ["m", "g", "l", "t", "b", "w", "v", "kv", "a", "k", "d", "y", "°", "x", "pm2", "mo"]) {
  if (!units.has(name)) units.set(name, { dimension: `unit ${name}`, factor: 1 })
}
for (const name of ["degree", "degrees", "grad", "degrés", "grados"]) {
  units.set(name, { dimension: "unit °", factor: 1 })
}

export const unitOf = (word: string): Unit | undefined => units.get(word)

/** Letters that are a unit only when they touch their number. */
export const touchesOnly = (word: string): boolean =>
  ["m", "g", "l", "t", "b", "w", "v", "a", "k", "d", "y", "x", "s", "h", "an", "mi", "in", "mo"].includes(word)

const currencies = new Map<string, string>()
const money = (code: string, names: string) => {
  for (const name of [code.toLowerCase(), ...names.trim().split(/\s+/)]) if (name !== "") currencies.set(name, code)
}
money("USD", "$ us$ dollar dollars bucks usd dólares dollari")
money("EUR", "€ euro euros eur")
money("GBP", "£ quid sterling")
money("JPY", "¥ yen 円")
money("CNY", "yuan rmb 元 人民币")
money("CHF", "franken francs fr.")
money("INR", "₹ rupee rupees rs")
money("KRW", "₩ won 원")
money("RUB", "₽ ruble rubles рублей рубля руб")
money("SEK", "kronor")
money("KRONE", "kroner krone")
money("NOK", "")
money("DKK", "")
money("PLN", "zł zloty złotych")
money("BRL", "r$ reais real")
money("CAD", "c$ ca$")
money("AUD", "a$ au$")
money("TRY", "₺")
money("BTC", "₿")
money("CENT", "cent cents ¢")
// Pounds are money or a weight: a value of their own beside £.
money("POUND", "pound pounds")

/** The code of a currency's sign, code or name. */
export const currencyOf = (word: string): string | undefined => currencies.get(word)
/** Currency names that are common words: a number has to stand beside them, and does where this is asked. */
export const isCurrencySign = (sign: string): boolean => /^\p{Sc}$/u.test(sign)

const spans = new Map<string, string>()
for (
  const [span, names] of [
    ["minute", "minute minutes min mins minutely"],
    ["second", "second seconds sec s"],
    ["hour", "hour hours hourly h hr stunde stündlich heure hora"],
    ["day", "day days daily täglich tag jour día dia giorno dag"],
    ["night", "night nights nightly nacht"],
    ["week", "week weeks weekly wöchentlich woche semaine semana settimana"],
    ["fortnight", "fortnight fortnightly biweekly"],
    ["month", "month months monthly monatlich monat mois mes mese maand"],
    ["quarter", "quarter quarters quarterly"],
    ["year", "year years yearly annually annual jährlich jahr an année año anno jaar"],
    ["weekday", "weekday weekdays"],
    ["weekend", "weekend weekends"],
    ["morning", "morning mornings"],
    ["evening", "evening evenings"],
    ["afternoon", "afternoon afternoons"]
  ] as const
) for (const name of names.split(" ")) spans.set(name, span)

/** The span a word repeats by: `monthly`, and the `month` of "a month". */
export const spanOf = (word: string): string | undefined => spans.get(word)
export const repeats: ReadonlySet<string> = new Set(
  `minutely hourly daily nightly weekly fortnightly biweekly bimonthly monthly quarterly yearly annually annual täglich wöchentlich
  monatlich jährlich stündlich`.split(/\s+/)
)
