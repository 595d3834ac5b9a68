/**
 * Classes of English verbs (as concepts) that decide what a second claim with another object means: whether a subject
 * has one such object or several, whether the verb ends a state, changes a value, works both ways or has one holder.
 */
import { conceptOf } from "./ClaimSynonyms.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/).map(conceptOf))

/** Verbs that say little by themselves: a claim keeps its meaning when a noun or adjective carries it. */
export const lightVerbs = set("be have do exist")

/** A subject may have many objects of these, at once or one after the other. */
export const manyValued = set(`have like love enjoy hate dislike know visit see watch read contain include support
  need eat drink meet befriend write make create build develop publish attend buy sell send receive add remove fix
  say tell ask help teach study research mention discuss cover handle provide offer collect follow subscribe
  try test try join invite believe think want wish hope plan see find notice remember forget expose return accept
  accompany cook bake grow plant paint compose sing perform record speak win lose beat play own raise keep adopt avoid
  break damage check review approve reject do go travel come depend import export take log track
  bring wear carry connect integrate depend mention allow forbid fear tolerate understand translate
  run work feature get give involve belong monitor measure get show ignore protect block`)

/** Objects of these exclude each other however the object looks. */
export const oneValued = set(`live born die locate name marry prefer cost weigh expire due begin end drive
  report equal total face measure last arrive leave listen default point resolve graduate major stand mean
  own lead head chair manage belong move schedule rank score rate total host base learn use write`)

/** Verbs that leave the value they name with `to`, `with` or as their object in force. */
export const changeVerbs = set(`move change switch migrate upgrade downgrade update reschedule shift postpone delay
  rename raise increase lower reduce decrease convert transfer relocate swap replace bump extend shorten set reset
  advance push transition lengthen widen narrow expand double halve trim hike slash grow promote cut correct amend revise`)

/** Verbs whose object or `-ing` complement has ended. */
export const ceaseVerbs = set(`stop quit cease discontinue abandon cancel drop`)

/** Verbs that hold in both directions. */
export const symmetric = set(`marry divorce meet equal match resemble neighbour neighbor border adjoin cooperate
  collaborate compete agree argue differ date share intersect overlap touch friend sibling cousin partner spouse
  colleague twin compatible incompatible identical equivalent adjacent`)

/** Verbs that usually have one subject for one definite object: another subject is another answer. */
export const oneHolder = set(`lead manage own head chair maintain win host found invent write direct run hold
  supervise coordinate captain moderate organise sponsor author oversee`)

/** Nouns that, as `X's N is Y`, say what a verb says of X. */
export const nominal: ReadonlyMap<string, string> = new Map(
  `home live;residence live;employer work;birthday born;birthplace born;birthdate born;birth born;job work;workplace work
  price cost;cost cost;deadline due;expiry expire;expiration expire;start begin;end end;departure leave;arrival arrive
  headquarters headquarter;date happen;timing happen
  name name;weight weigh;duration last;usage use;spouse marry;preference prefer`.split(/[;\n]/)
    .map((pair) => pair.trim().split(" ")).map(([noun = "", verb = ""]) => [noun, conceptOf(verb)])
)

/** Verbs of one state that answer the same question: where one lives, for whom one works. */
export const questions: ReadonlyMap<string, string> = new Map([
  ...["live", "move", "relocate", "settle", "base"].map((verb) => [conceptOf(verb), "live"] as const),
  ...["work", "join", "hire", "leave", "quit"].map((verb) => [conceptOf(verb), "work"] as const),
  ...["marry", "divorce", "separate", "wed", "engage"].map((verb) => [conceptOf(verb), "marry"] as const),
  ...["cost", "charge", "price"].map((verb) => [conceptOf(verb), "cost"] as const),
  ...["begin", "schedule", "happen"].map((verb) => [conceptOf(verb), "begin"] as const),
  ...["due", "expire", "end"].map((verb) => [conceptOf(verb), "end"] as const)
])
