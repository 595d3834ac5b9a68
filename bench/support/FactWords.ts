/**
 * The words that generated facts are made of: who or what a fact is about, and what is said of it. Every `say` draws its
 * values, so that one attribute of one subject can be stated anew with another value.
 */
import type { Chance } from "./Chance.ts"

export interface Attribute {
  /** The last segment of the key. */
  readonly name: string
  readonly tag: string
  /** The sentence about a subject. */
  readonly say: (subject: string, chance: Chance) => string
}

export interface Kind {
  /** The first segment of the key. */
  readonly name: string
  /** The words of a subject, one list a word. */
  readonly parts: ReadonlyArray<ReadonlyArray<string>>
  /** How the words stand in a sentence. */
  readonly phrase: (words: ReadonlyArray<string>) => string
  readonly attributes: ReadonlyArray<Attribute>
}

const list = (words: string): ReadonlyArray<string> => words.split(" ")

const firstNames = list(
  "Amara Bruno Chloe Dmitri Elif Farid Grace Hana Ivo Jamal Keiko Lena Mateo Nadia Omar Priya Quentin Rosa Stefan Tamsin Umut Vera Wanjiru Xenia Yusuf Zofia Anneli Bram Carla Declan Esther Felipe Gita Hugo Ines Joris Kwame Liv Milan Noor"
)
const lastNames = list(
  "Abara Bergman Castillo Duarte Eriksen Fontaine Gruber Haddad Ivanova Jansen Kaplan Lindqvist Moreau Nakamura Okafor Petrov Quist Rahman Schmidt Takeda Ueda Varga Weiss Xu Yilmaz Zielinski Anders Brandt Costa Delgado Engel Farkas Gallo Horvat Ibsen Jokinen Keller Lopes Marino Novak"
)
const cities = list(
  "Oslo Lisbon Nairobi Kyoto Lyon Bergen Porto Turin Gdansk Leipzig Malmo Utrecht Seville Tampere Basel Cork Graz Ghent Riga Brno Dakar Quito Perth Osaka Bogota"
)
const qualities = list(
  "amber brisk cobalt dusty early frozen gentle hollow ivory jagged keen lunar mellow narrow olive patient quiet rapid silver tidal upper velvet western young zinc bright copper distant even fallow"
)
const works = list(
  "billing catalog checkout delivery export feed gateway identity journal ledger mailer notice order payment pricing quota refund report routing schedule search session shipping signal stock survey ticket upload wallet webhook"
)
const trades = list("Foods Logistics Textiles Optics Timber Ceramics Robotics Energy Shipping Instruments Pharma Media")
const firms = list(
  "Halden Ostara Brightwell Corvane Delmont Fernhill Graviton Hexley Inverna Juniper Kestrel Lumora Maribel Northgate Orinda Palisade Quarry Redmark Solvane Tarnhill Umbra Vantor Westerly Yarrow Zephyr"
)
const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
const months = list("January February March April May June July August September October November December")

const person = (chance: Chance) => `${chance.pick(firstNames)} ${chance.pick(lastNames)}`
const day = (chance: Chance) => `${chance.between(1, 28)} ${chance.pick(months)} ${chance.between(2024, 2029)}`

export const kinds: ReadonlyArray<Kind> = [
  {
    name: "service",
    parts: [qualities, works, cities],
    phrase: ([quality, work, city]) => `the ${quality} ${work} service in ${city}`,
    attributes: [
      { name: "port", tag: "network", say: (it, c) => `${it} listens on port ${c.between(1024, 65_000)}` },
      { name: "owner", tag: "team", say: (it, c) => `${it} is looked after by ${person(c)}` },
      {
        name: "database",
        tag: "storage",
        say: (it, c) =>
          `${it} keeps its rows in ${c.pick(list("PostgreSQL MariaDB SQLite CockroachDB"))} ${c.between(9, 18)}`
      },
      {
        name: "deploy-window",
        tag: "release",
        say: (it, c) =>
          `${it} may be deployed on ${c.pick(weekdays)} from ${c.between(6, 12)}:00 to ${c.between(13, 20)}:30`
      },
      { name: "replicas", tag: "capacity", say: (it, c) => `${it} runs with ${c.between(2, 40)} replicas` },
      {
        name: "timeout",
        tag: "network",
        say: (it, c) => `calls to ${it} time out after ${c.between(2, 90) * 100} milliseconds`
      },
      { name: "retention", tag: "storage", say: (it, c) => `${it} keeps its logs for ${c.between(3, 365)} days` },
      {
        name: "language",
        tag: "code",
        say: (it, c) => `${it} is written in ${c.pick(list("TypeScript Rust Go Kotlin Elixir Python Scala"))}`
      }
    ]
  },
  {
    name: "person",
    parts: [firstNames, lastNames, cities],
    phrase: ([first, last, city]) => `${first} ${last} from ${city}`,
    attributes: [
      {
        name: "role",
        tag: "team",
        say: (it, c) =>
          `${it} works as ${c.pick(["a designer", "an accountant", "a site engineer", "a support lead", "a buyer"])}`
      },
      { name: "manager", tag: "team", say: (it, c) => `${it} reports to ${person(c)}` },
      {
        name: "editor",
        tag: "preference",
        say: (it, c) => `${it} prefers ${c.pick(["Vim", "Emacs", "a plain notepad", "Helix", "Zed"])} for editing text`
      },
      { name: "start-date", tag: "contract", say: (it, c) => `${it} started on ${day(c)}` },
      {
        name: "meeting-time",
        tag: "preference",
        say: (it, c) => `${it} takes meetings on ${c.pick(weekdays)} after ${c.between(9, 16)}:00`
      },
      {
        name: "diet",
        tag: "preference",
        say: (it, c) => `${it} eats ${c.pick(["no meat", "no nuts", "anything", "no dairy", "fish but no meat"])}`
      },
      {
        name: "desk",
        tag: "office",
        say: (it, c) => `${it} sits at desk ${c.between(1, 480)} on floor ${c.between(1, 9)}`
      },
      {
        name: "budget",
        tag: "contract",
        say: (it, c) => `${it} may spend ${c.between(2, 90) * 100} euros a month without asking`
      }
    ]
  },
  {
    name: "customer",
    parts: [firms, trades, cities],
    phrase: ([firm, trade, city]) => `${firm} ${trade} of ${city}`,
    attributes: [
      {
        name: "plan",
        tag: "contract",
        say: (it, c) => `${it} is on the ${c.pick(list("starter team business enterprise"))} plan`
      },
      { name: "seats", tag: "contract", say: (it, c) => `${it} pays for ${c.between(3, 900)} seats` },
      { name: "contact", tag: "team", say: (it, c) => `the contact at ${it} is ${person(c)}` },
      { name: "renewal", tag: "contract", say: (it, c) => `the contract with ${it} is renewed on ${day(c)}` },
      {
        name: "currency",
        tag: "billing",
        say: (it, c) => `${it} is billed in ${c.pick(["euros", "pounds", "yen", "dollars", "Swiss francs", "kroner"])}`
      },
      { name: "discount", tag: "billing", say: (it, c) => `${it} gets a discount of ${c.between(1, 35)} percent` },
      {
        name: "support",
        tag: "release",
        say: (it, c) => `${it} is promised an answer within ${c.between(1, 48)} hours`
      },
      {
        name: "visits",
        tag: "office",
        say: (it, c) => `${it} is visited every ${c.between(2, 12)} weeks by ${person(c)}`
      }
    ]
  },
  {
    name: "project",
    parts: [qualities, firms, works],
    phrase: ([quality, firm, work]) => `project ${quality} ${firm} (${work})`,
    attributes: [
      { name: "lead", tag: "team", say: (it, c) => `${it} is led by ${person(c)}` },
      { name: "deadline", tag: "release", say: (it, c) => `${it} has to be finished by ${day(c)}` },
      { name: "budget", tag: "billing", say: (it, c) => `${it} has a budget of ${c.between(5, 990)} thousand euros` },
      {
        name: "status",
        tag: "release",
        say: (it, c) => `${it} is ${c.pick(["on hold", "in review", "on track", "late by two weeks", "not started"])}`
      },
      {
        name: "review-day",
        tag: "team",
        say: (it, c) => `${it} is reviewed every ${c.pick(weekdays)} at ${c.between(8, 17)}:15`
      },
      {
        name: "branch",
        tag: "code",
        say: (it, c) =>
          `releases of ${it} are cut from the branch ${c.pick(list("main stable next trunk"))}-${c.between(1, 60)}`
      },
      { name: "sponsor", tag: "billing", say: (it, c) => `${it} is paid for by the ${c.pick(cities)} office` },
      { name: "team-size", tag: "capacity", say: (it, c) => `${c.between(2, 30)} people work on ${it}` }
    ]
  }
]
