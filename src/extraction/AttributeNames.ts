/**
 * Which attributes are one: the words people use for where someone lives, works, comes from and so on, each with the name
 * that stands in keys. The groups are common knowledge of English (and of the plainest German, French and Spanish), not taken
 * from any data. An attribute that is in no group is its own name. Pure. Next: `KeyMint`.
 */
import { lowered } from "../platform/Analyzer.ts"
import { slugOf } from "./KeySlug.ts"

/** Each name with its other words. */
const persons: Readonly<Record<string, string>> = {
  residence: `residence, place of residence, home, home city, hometown now, home town now, city, current city, city of
    residence, town, current town, location, current location, place, address city, lives, lives in, lives at, live in, living
    in, living place, living location, resides in, moved to, has moved to, relocated to, relocation, new home, where lives,
    wohnort, wohnt in, lieu de résidence, habite à, residencia, vive en`,
  employer:
    `employer, company, current company, current employer, workplace, place of work, works at, works for, work at,
    working at, employed at, employed by, employment, firm, organisation, organization, joined company, arbeitgeber, arbeitet
    bei, employeur, travaille chez, empleador, trabaja en`,
  occupation:
    `occupation, job, job title, profession, career, role, job role, position, title, line of work, works as, work
    as, is employed as, current job, current role, beruf, arbeitet als, métier, travaille comme, profesión, trabaja como`,
  industry: `industry, field of work, sector, works in, area of work`,
  "field-of-study":
    `field of study, studies, study, studying, study subject, major, degree, degree program, course of study,
    studienfach, studiert`,
  school: `school, university, college, attends, studies at, goes to school at, alma mater, educational institution`,
  age: `age, how old, years old, alter, âge, edad`,
  birthday: `birthday, birth date, birthdate, date of birth, born on, geburtstag, anniversaire, cumpleaños`,
  birthplace: `birthplace, place of birth, born in, was born in`,
  origin: `origin, home country, country of origin, comes from, is from, from, hometown, home town, native of`,
  "grew-up": `grew up, grew up in, childhood home, raised in, was raised in`,
  nationality: `nationality, citizenship, citizen of`,
  "marital-status": `marital status, relationship status, married, single, civil status`,
  partner:
    `partner, spouse, husband, wife, married to, is married to, boyfriend, girlfriend, fiancé, fiancée, fiance, fiancee,
    engaged to, dating, in a relationship with`,
  name: `name, full name, is called, called, first name, vorname, nombre, prénom`,
  nickname: `nickname, goes by`,
  gender: `gender, gender identity`,
  pronouns: `pronouns`,
  religion: `religion, faith`,
  diet:
    `diet, dietary preference, dietary preferences, eating habits, dietary habit, is vegan, is vegetarian, ernährung`,
  email: `email, e mail, email address, mail address`,
  phone: `phone, phone number, telephone, mobile number, cell number`,
  timezone: `timezone, time zone`,
  preference:
    `preference, preferences, likes, like, loves, love, enjoys, hates, hate, dislikes, dislike, prefers, fond of, opinion
    of, opinion on, opinion about, attitude to, attitude towards, feeling about, interest, interests, interested in, hobby, hobbies,
    passion, fan of, mag, hasst, aime, déteste, le gusta`,
  allergy: `allergy, allergies, allergic to, is allergic to, intolerance`,
  language: `language, languages, speaks, speaks language, language spoken, languages spoken`,
  fear: `fear, fears, afraid of, scared of, phobia`,
  plan:
    `plan, plans, plans to, planned, intends to, goal, goals, wants to, aims to, intention, upcoming plans, future plan`,
  visit: `visit, visited, went to, has been to, travelled to, traveled to, flew to, trip, trips, trip to, travel`,
  purchase: `purchase, bought, purchases, buys`,
  owns: `owns, ownership, has, possession, possessions`,
  pet: `pet, pets`,
  uses: `uses, tool, tools, uses tool`,
  plays: `plays, instrument, instruments, plays instrument, sport played`
}

const ofThings: Readonly<Record<string, string>> = {
  deadline: `deadline, due date, due, release date, ships on, launch date, ship date`,
  owner: `owner, owned by, maintainer, maintained by, responsible team`,
  version: `version, current version, release version`,
  status: `status, state, current status, condition`,
  price: `price, cost, costs`,
  opening: `opening hours, opens at, open hours, hours`
}

const named = (groups: Readonly<Record<string, string>>) =>
  Object.entries(groups).flatMap(([name, words]) => words.split(",").map((word) => [slugOf(word), name] as const))

const names: ReadonlyMap<string, string> = new Map([...named(ofThings), ...named(persons)])
const thingNames: ReadonlySet<string> = new Set(Object.keys(ofThings))

// What stands before an attribute and says nothing of it.
const lead = /^(?:(?:the|a|an|his|her|their|its|my|your|current|present|new|is|are|has|own|user's|person's) )+(?=.)/
const favourite =
  /^(?:favou?rite|preferred|most liked|best liked|lieblings|preferid[oa]|préférée?)[ -]?(?:kind of |type of |sort of )?(?=.)/

/** The name of an attribute in keys; empty only for one without visible signs. */
export const attributeName = (attribute: string): string => {
  const text = lowered(attribute).replace(/[_-]+/g, " ").replace(/colour/g, "color").replace(/\s+/g, " ").trim()
  const whole = names.get(slugOf(text))
  if (whole !== undefined) return whole
  const bare = text.replace(lead, "")
  const known = names.get(slugOf(bare))
  if (known !== undefined) return known
  return favourite.test(bare) ? `favourite-${slugOf(bare.replace(favourite, ""))}`.slice(0, LONGEST) : slugOf(bare)
}

// As long as a slug may be.
const LONGEST = 64

/** Whether only things have an attribute of this name. */
export const isOfThings = (name: string): boolean => thingNames.has(name)
