/**
 * Phrases of English claims that are said in several ways, brought to one before the grammar reads them: idle openings
 * ("for the record"), abilities and bans ("is unable to", "is not allowed to"), exclusiveness ("nobody but"), spans of
 * repetition ("every other week"), days with a name, abbreviations. A line may only hold what is exchanged without loss in
 * any claim; a phrase is found by its first word, so the time is linear.
 */
import { dressed, type Token } from "./ClaimTokens.ts"

interface Rewriting {
  readonly from: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
  /** Only where the claim begins. */
  readonly opening: boolean
}

const rewritings = new Map<string, Array<Rewriting>>()
const add = (from: string, to: string, opening = false) => {
  const words = from.split(" ")
  const known = rewritings.get(words[0]!)
  const entry = { from: words, to: to === "" ? [] : to.split(" "), opening }
  if (known === undefined) rewritings.set(words[0]!, [entry])
  else known.push(entry)
}

// What opens a claim and says nothing of its subject. Doubt ("I think") says something and is not here.
for (
  const phrase
    of `for the record|for your information|just so you know|so you know|please note that|note that|please note
  |please remember that|remember that|keep in mind that|please keep in mind that|bear in mind that|be aware that
  |please be aware that|as a reminder|just a reminder|reminder|fyi|by the way|btw|in fact|as a matter of fact
  |the fact is that|it is a fact that|it is true that|it is the case that|as a note|for context|as you know
  |as already mentioned|as mentioned|as mentioned before|to be clear|to be precise|in short|basically|actually
  |it should be noted that|it is worth noting that|worth noting`.split("|")
) add(phrase.replace(/\s+/g, " ").trim(), "", true)
add("avoid", "do not use", true)
add("it is not true that", "not", true)
add("it is false that", "not", true)
add("it is not the case that", "not", true)

for (const be of ["is", "are", "am", "was", "were"]) {
  const past = be === "was" || be === "were"
  const may = past ? undefined : "may"
  add(`${be} unable to`, past ? "could not" : "can not")
  add(`${be} not able to`, past ? "could not" : "can not")
  add(`${be} able to`, past ? "could" : "can")
  add(`${be} incapable of`, past ? "could not" : "can not")
  if (may !== undefined) {
    for (
      const ban of [
        "not allowed to",
        "not permitted to",
        "forbidden to",
        "forbidden from",
        "prohibited from",
        "banned from",
        "barred from"
      ]
    ) add(`${be} ${ban}`, "must not")
    for (const leave of ["allowed to", "permitted to"]) add(`${be} ${leave}`, "may")
    for (const duty of ["required to", "obliged to", "obligated to", "to be"]) {
      add(`${be} ${duty}`, duty === "to be" ? "must be" : "must")
    }
    add(`${be} about to`, "will soon")
    add(`${be} going to be`, "will be")
    add(`${be} suffering from`, "has")
    add(`${be} in charge of`, "manages")
    add(`${be} responsible for`, "manages")
    add(`${be} in possession of`, "owns")
    add(`${be} fond of`, "likes")
    add(`${be} no fan of`, "does not like")
    add(`${be} not a fan of`, "does not like")
    add(`${be} a fan of`, "likes")
    add(`${be} capable of`, "can")
    add(`${be} out of order`, `${be} broken`)
    add(`${be} on vacation`, `${be} on holiday`)
    add(`${be} under the responsibility of`, "is managed by")
    add(`${be} made up of`, "consists of")
    add(`${be} composed of`, "consists of")
    add(`${be} equipped with`, "has")
    add(`${be} fitted with`, "has")
    add(`${be} known as`, "is called")
    add(`${be} configured as`, be)
    add(`${be} situated`, "is located")
    add(`${be} set to`, be)
    add(`${be} configured to be`, be)
    for (const end of ["until", "till", "through"]) add(`${be} valid ${end}`, "expires on")
    add(`${be} good until`, "expires on")
    add(`${be} welcome`, `${be} allowed`)
    add(`${be} out of stock`, `${be} sold out`)
    add(`${be} the one who`, "")
    add(`${be} the person who`, "")
    add(`${be} the one that`, "")
  }
}
for (const [be, form] of [["has", "has"], ["have", "have"], ["had", "had"]] as const) {
  add(`${be} got to`, "must")
  add(`${be} got`, form)
  add(`${be} the ability to`, "can")
  add(`${be} permission to`, "may")
  add(`${be} no permission to`, "must not")
  add(`${be} a preference for`, "prefers")
  add(`${be} a job at`, "works at")
  add(`${be} a job as`, "works as")
}
add("comes from", "is from")
add("come from", "are from")
add("hails from", "is from")
add("suffers from", "has")
add("suffer from", "have")
add("takes place", "happens")
add("take place", "happen")
add("took place", "happened")
add("takes care of", "manages")
add("takes effect", "begins")
add("take effect", "begin")
add("comes into effect", "begins")
add("comes into force", "begins")
add("go into", "enter")
add("get into", "enter")
add("makes use of", "uses")
add("make use of", "use")
add("made use of", "used")
add("gives up", "quits")
add("gave up", "quit")
add("given up", "quit")
add("gets up", "rises")
add("lacks", "has no")
add("lack", "have no")
add("took the place of", "replaced")
add("takes the place of", "replaces")
add("in place of", "instead of")
add("rather than", "instead of")
add("in advance", "ahead")
add("in the amount of", "of")
add("nobody but", "only")
add("nobody except", "only")
add("nobody other than", "only")
add("no one but", "only")
add("no one except", "only")
add("no one other than", "only")
add("nothing but", "only")
add("nothing except", "only")
add("nothing other than", "only")
add("none but", "only")
add("no later than", "by")
add("not later than", "by")
add("no larger than", "at most")
add("no bigger than", "at most")
add("no longer than", "at most")
add("and nowhere else", "only")
add("and nothing else", "only")
add("and no one else", "only")
add("and nobody else", "only")
add("every other week", "every 2 weeks")
add("every second week", "every 2 weeks")
add("every fortnight", "every 2 weeks")
add("once a fortnight", "every 2 weeks")
add("fortnightly", "every 2 weeks")
add("every two weeks", "every 2 weeks")
add("every other day", "every 2 days")
add("every second day", "every 2 days")
add("every other hour", "every 2 hours")
add("every second hour", "every 2 hours")
add("every second day", "every 2 days")
add("every second week", "every 2 weeks")
add("every second month", "every 2 months")
add("bi-weekly", "biweekly")
add("bi-monthly", "bimonthly")
add("every other month", "every 2 months")
add("every second month", "every 2 months")
add("every other year", "every 2 years")
add("every second year", "every 2 years")
add("around the clock", "24/7")
add("round the clock", "24/7")
add("24 hours a day", "24/7")
add("ground floor", "0th floor")
add("half of", "50 % of")
add("a quarter of", "25 % of")
add("one quarter of", "25 % of")
add("three quarters of", "75 % of")
add("a third of", "33.33 % of")
add("one third of", "33.33 % of")
add("two thirds of", "66.67 % of")
add("a dozen", "12")
add("half a dozen", "6")
add("half an hour", "30 minutes")
add("a quarter of an hour", "15 minutes")
add("three quarters of an hour", "45 minutes")
add("christmas day", "25 december")
add("christmas eve", "24 december")
add("new year's eve", "31 december")
add("new year's day", "1 january")
add("valentine's day", "14 february")
add("halloween", "31 october")
for (
  const money of [
    "us dollars=usd",
    "american dollars=usd",
    "canadian dollars=cad",
    "australian dollars=aud",
    "british pounds=gbp",
    "pounds sterling=gbp",
    "swiss francs=chf",
    "japanese yen=jpy",
    "indian rupees=inr",
    "swedish kronor=sek",
    "polish zloty=pln",
    "chinese yuan=cny"
  ]
) {
  const [from = "", to = ""] = money.split("=")
  add(from, to)
  add(from.replace(/s$/, ""), to)
}
for (const phrase of ["for good", "once and for all", "of any kind", "of any sort", "whatsoever"]) add(phrase, "")
for (
  const whose of [
    "his",
    "her",
    "its",
    "their",
    "my",
    "our",
    "a",
    "the",
    "her only",
    "his only",
    "my only",
    "their only"
  ]
) {
  for (const have of ["has", "have"]) {
    add(`${have} ${whose} home in`, have === "has" ? "lives in" : "live in")
    add(`${have} ${whose} headquarters in`, have === "has" ? "is headquartered in" : "are headquartered in")
    add(`${have} ${whose} head office in`, have === "has" ? "is headquartered in" : "are headquartered in")
  }
}
add("at all times", "always")
add("by hand", "manually")
add("on his own", "alone")
add("on her own", "alone")
add("on their own", "alone")
add("would like to", "want to")
add("would like", "want")
add("second hand", "used")
add("second-hand", "used")
add("free of", "without")
add("free from", "without")
add("without exception", "")
add("is on the staff of", "works for")
add("are on the staff of", "work for")
add("is on the payroll of", "works for")

// Each abbreviation has one meaning in claims; "LA", "PM" and "MS" have several and stay what they are.
for (
  const pair of `uk=united kingdom|us=united states|usa=united states|u.s=united states|u.s.a=united states
  |u.k=united kingdom|united states of america=united states|nyc=new york city|uae=united arab emirates
  |eu=european union|k8s=kubernetes|appt=appointment|appts=appointments|dept=department|mgr=manager|mgmt=management
  |postgres=postgresql|chief executive officer=ceo|chief executive=ceo|chief technology officer=cto
  |chief financial officer=cfo|chief operating officer=coo|vice president=vp|human resources=hr|quality assurance=qa
  |pull request=pr|pull requests=pr|prs=pr|date of birth=birthday|dob=birthday
  |birth date=birthday|high blood pressure=hypertension|central processing unit=cpu|operating system=os
  |random access memory=ram|user interface=ui|virtual machine=vm|virtual machines=vm|vms=vm|high school diploma=diploma
  |govt=government|tel=telephone|addr=address|qty=quantity|mtg=meeting|bldg=building|ave=avenue|blvd=boulevard
  |intl=international|no. =number|yrs old=years old|wfh=works from home|work remotely=work from home
  |works remotely=works from home|working remotely=working from home|asap=as soon as possible|tbd=to be decided
  |temp=temporary|continuous integration=ci|service level agreement=sla|two-factor authentication=2fa|javascript=js|typescript=ts|full time=full-time
  |part time=part-time|blood group=blood type|machine learning=ml|artificial intelligence=ai`.split("|")
) {
  const [from = "", to = ""] = pair.trim().split("=")
  add(from.trim(), to.trim())
}
for (const list of rewritings.values()) list.sort((one, other) => other.from.length - one.from.length)

const matches = (tokens: ReadonlyArray<Token>, i: number, { from, opening }: Rewriting): boolean => {
  if (opening && !tokens[i]!.first) return false
  for (let k = 1; k < from.length; k++) {
    const token = tokens[i + k]
    if (token === undefined || token.broken || token.first) return false
    if (token.low !== from[k] && !(token.possessive && `${token.low}'s` === from[k])) return false
  }
  return tokens[i]!.low === from[0] || (tokens[i]!.possessive && `${tokens[i]!.low}'s` === from[0])
}

/** The tokens with every such phrase in its one form; the same array where there is none. */
export const rephrased = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  let out: Array<Token> | undefined
  for (let i = 0; i < tokens.length;) {
    const token = tokens[i]!
    const options = rewritings.get(token.possessive ? `${token.low}'s` : token.low) ?? rewritings.get(token.low)
    const found = options?.find((rewriting) => matches(tokens, i, rewriting))
    if (found === undefined || ambiguous(tokens, i, found)) {
      out?.push(token)
      i++
      continue
    }
    out ??= tokens.slice(0, i)
    const last = tokens[i + found.from.length - 1]!
    for (const [k, word] of found.to.entries()) {
      out.push({
        ...token,
        // An acronym or a name that is spelled out stays a name.
        text: named(token, word, found),
        low: dressed(word),
        first: token.first && k === 0,
        broken: token.broken && k === 0,
        assigned: last.assigned && k === found.to.length - 1,
        possessive: last.possessive && k === found.to.length - 1 && last.low === found.from[found.from.length - 1]
      })
    }
    i += found.from.length
    // What follows an idle opening is the beginning.
    const next = tokens[i]
    if (found.opening && found.to.length === 0 && next !== undefined) {
      out.push({ ...next, first: true, broken: false })
      i++
    }
  }
  return out ?? tokens
}

const named = ({ text }: Token, word: string, { from }: Rewriting): string =>
  /^\p{Lu}/u.test(text) && /^[a-z]/.test(word) && (from.length > 1 || text === text.toUpperCase()) &&
    !/^(?:not|only|nobody|must|may|can)$/.test(word)
    ? word.length <= 3 ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1)
    : word

/** Short words that abbreviate only in capitals: "us" is we, "pg" and "ave" are as they are written. */
const ambiguous = (tokens: ReadonlyArray<Token>, i: number, { from }: Rewriting): boolean => {
  const { text } = tokens[i]!
  const next = tokens[i + from.length]?.low ?? ""
  // "The forms are to be signed" is a duty, "the aim is to be first" an aim.
  if (from[1] === "to" && from[2] === "be") return !/(?:ed|en|wn|pt|nt|lt|ld|ut|id)$/.test(next)
  // "Banned from smoking", not "from the club".
  if (
    /^(?:is|are|am)$/.test(from[0]!) && from[from.length - 1] === "from" && from[1] !== "suffering" ||
    from[from.length - 1] === "of" && from[1] === "capable"
  ) {
    return !next.endsWith("ing")
  }
  if (from[0] === "avoid" && (next.endsWith("ing") || !tokens[i]!.first)) return true
  if (from.length > 1) return false
  if (/^(?:us|uk|eu|usa|uae|nyc)$/.test(from[0]!)) return text !== text.toUpperCase()
  if (from[0] === "lack") return !/^(?:i|we|you|they|and|users?|[a-z]+s)$/.test(tokens[i - 1]?.low ?? "")
  return false
}
