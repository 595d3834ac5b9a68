/** Closed classes of English: what is no content of a claim, and what each little word does to the words around it. */
const split = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const determiners = split("a an the this that these those")
export const definites = split("the this that these those my our your his her its their")
export const possessives = split("my mine our ours your yours his her hers its their theirs whose")
export const pronouns = split(
  "i me we us you he him she it they them myself ourselves himself herself itself themselves who"
)
export const beForms = split("is am are was were be been being s")
export const haveForms = split("have has had having")
export const doForms = split("do does did")
export const modals = split("will would shall should can could may might must ought")
export const prepositions = split(`of in on at by for from to into with without about over under above below between
  through against during until till since per via within inside outside near behind beside beyond before after as than
  upon toward towards along across around onto off among like despite instead because while when if unless except`)
export const conjunctions = split("and or but nor then plus")
export const relatives = split("that which who whom whose where")

/** Verbs whose past is their base form. */
export const unchanging = split("quit put set cut let hit shut split spread hurt read cost bet cast")

/** Adverbs and fillers that may be left out of a claim about the present without changing it. */
export const fillers = split(`currently now presently really very actually please also still indeed already quite simply
  basically definitely certainly too there here so anyway own located situated e.g i.e etc called named thereby`)

/** Which placing prepositions answer one question ("where?"); elsewhere each answers its own. */
export const placing = split("in on at under above below behind beside near inside outside between within onto beneath")

/** Prepositions with a direction or a side: exchanged they turn a claim round. */
export const directed = split(`from to into onto before after without over under above below behind beside near between
  against inside outside off than instead until till since through across around beyond during upon with despite except unless
  if when whenever because while`)

/** What a preposition at the end of its clause says of the subject: "the flag is on". */
export const states = split("on off up down in out over")

/** Nouns that only name the kind of what stands before them: the production environment, the city of Lisbon. */
/** Nouns that say what the name beside them is: the host alder-2, the novel "Grey Harbour". */
export const classNouns = split(
  `host node server cluster machine vm repo repository project app application service package library module tool
  company firm novel book film movie song album play village town island river lake mountain station airport hotel museum
  restaurant team branch model brand ship train engine product website site worker job queue bucket table user`
)

export const kindNouns = split(
  "environment language city method process system country town method number count amount"
)
