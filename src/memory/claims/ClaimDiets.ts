/**
 * Ways of life that rule something out: who is vegetarian does not eat steak, who is teetotal drinks no wine. Each line
 * is the state's words and the things it excludes.
 */
import type { Frame } from "./ClaimFrame.ts"
import { complements } from "./ClaimFrame.ts"
import { conceptOf } from "./ClaimSynonyms.ts"

const flesh = `meat steak beef pork ham bacon sausage chicken turkey lamb veal duck goose burger hamburger hotdog salami
  ribs brisket schnitzel mutton venison meatball carnivore`
const seafood = "fish salmon tuna shrimp prawn lobster crab oyster sushi seafood cod trout mussel anchovy"
const dairy = "milk cheese butter cream yoghurt yogurt latte cappuccino ice-cream"
const gluten = "bread pasta wheat barley rye pizza noodle beer croissant bagel baguette"
const alcohol = `alcohol beer wine whisky whiskey vodka gin rum champagne cocktail cider brandy tequila sherry port
  liquor martini`

const table = [
  ["vegetarian", `${flesh} ${seafood}`],
  ["vegan", `${flesh} ${seafood} ${dairy} egg honey omelette`],
  ["pescatarian", flesh],
  ["teetotal teetotaler teetotaller sober abstinent", alcohol],
  ["coeliac celiac gluten-intolerant glutenfree", gluten],
  ["lactose lactoseintolerant lactosefree", dairy],
  ["nonsmoker", "smoke cigarette cigar pipe tobacco"]
] as const

const excluded = new Map<string, ReadonlySet<string>>()
for (const [states, things] of table) {
  const set = new Set(things.split(/\s+/).map(conceptOf))
  for (const state of states.split(" ")) excluded.set(conceptOf(state), set)
}

const consuming: ReadonlySet<string> = new Set(
  "eat drink have love like enjoy order smoke take consume prefer devour grill taste".split(" ").map(conceptOf)
)

/** What "eats no meat" and "never drinks alcohol" rule out, by the category they name. */
const categories: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ([
    ["meat", flesh],
    ["fish", seafood],
    ["seafood", seafood],
    ["dairy", dairy],
    ["gluten", gluten],
    ["alcohol", alcohol],
    ["caffeine", "coffee espresso tea cola latte cappuccino"],
    ["nut", "peanut almond walnut hazelnut cashew pistachio"]
  ] as const)
    .map(([name, things]) => [conceptOf(name), new Set(things.split(/\s+/).map(conceptOf))])
)

const abstained = (state: Frame, habit: Frame): string | undefined => {
  if (state.denials % 2 === 0 || habit.denials % 2 === 1) return undefined
  if (!consuming.has(state.verb) || !consuming.has(habit.verb) || habit.tense === "past") return undefined
  const only = complements(state).filter(({ kind }) => kind === "noun")
  const things = only.length === 1 ? categories.get(only[0]!.concept) : undefined
  return things === undefined ? undefined : complements(habit).find(({ concept }) => things.has(concept))?.text
}

const ruledOut = (state: Frame, habit: Frame): string | undefined => {
  const given = abstained(state, habit)
  if (given !== undefined) return given
  if (state.denials % 2 === 1 || habit.denials % 2 === 1) return undefined
  if (!consuming.has(habit.verb) && !keeping.has(habit.verb)) return undefined
  const items = complements(habit)
  const concepts = new Set([...items.map(({ concept }) => concept), habit.verb])
  for (const { concept } of complements(state)) {
    for (const thing of excluded.get(concept) ?? []) {
      if (concepts.has(thing)) return items.find((item) => item.concept === thing)?.text ?? habit.verbText
    }
  }
  // An allergy rules out the thing itself.
  const allergy = state.verb === "allergic" || complements(state).some(({ concept }) => concept === "allergic")
  if (!allergy) return undefined
  return complements(state).find(({ concept }) => concept !== "allergic" && concepts.has(concept))?.text
}

const keeping: ReadonlySet<string> = new Set(["own", "keep", "have", "breed"].map(conceptOf))

/** What one claim consumes that the other's state rules out, or undefined. */
export const ruledOutBy = (one: Frame, other: Frame): string | undefined => ruledOut(one, other) ?? ruledOut(other, one)
