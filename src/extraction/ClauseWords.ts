/** The little words that the parts of a clause are told by, as patterns and sets; English. */

export const counts =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|both|several|a few|a couple of|a pair of|some|many|\\d+"
export const determiner = `(?:a|an|the|my|another|${counts})`
/** Something that is named or counted: how the object of most statements begins. */
export const thing = `(?=${determiner}\\b|["“]?\\p{Lu}|\\p{L}+s\\b)`

/** People and animals that belong to somebody, with `she`, `he` or neither. */
export const relations: ReadonlyMap<string, "she" | "he" | "any"> = new Map([
  ..."mother mom mum mama sister daughter wife girlfriend fiancée aunt niece grandmother grandma granny stepmother stepsister goddaughter"
    .split(" ").map((word) => [word, "she"] as const),
  ..."father dad papa brother son husband boyfriend fiancé uncle nephew grandfather grandpa granddad stepfather stepbrother godson"
    .split(" ").map((word) => [word, "he"] as const),
  ...`partner spouse fiance fiancee cousin friend colleague coworker co-worker boss manager neighbour neighbor roommate flatmate
    housemate teacher professor coach mentor doctor therapist teammate classmate student client assistant intern landlord child kid
    baby toddler grandchild sibling twin parent dog puppy cat kitten pet horse parrot rabbit hamster turtle bird`
    .split(/\s+/).map((word) => [word, "any"] as const)
])

export const plurals: ReadonlyMap<string, string> = new Map([
  ...[...relations.keys()].map((word) => [`${word}s`, word] as const),
  ["children", "child"],
  ["wives", "wife"],
  ["puppies", "puppy"],
  ["babies", "baby"],
  ["grandchildren", "grandchild"]
])

export const isRelation = (word: string): boolean => relations.has(word) || plurals.has(word)

/** Adverbs before a verb that its statement needs; others are left out. */
export const telling: ReadonlySet<string> = new Set(
  "always usually often sometimes rarely seldom never only mostly mainly regularly occasionally".split(" ")
)
export const idle: ReadonlySet<string> = new Set(
  `just really also actually finally recently currently now already still even totally absolutely definitely honestly truly
  lately genuinely simply basically literally fully officially personally obviously certainly surely especially quite so very super
  pretty presently both all too kinda sorta ever then once initially originally eventually suddenly randomly proudly
  accidentally happily successfully completely deeply greatly particularly`.split(/\s+/)
)

/** What a person does for a living; the head of "a software engineer". */
export const occupations: ReadonlySet<string> = new Set(
  `accountant actor actress analyst architect artist astronomer athlete attorney author baker banker barber barista bartender
  biologist bookkeeper bricklayer builder butcher carpenter cashier chef chemist cleaner clerk comedian composer consultant cook
  counselor counsellor dancer dentist designer detective developer dietitian director doctor driver economist editor electrician
  engineer entrepreneur farmer filmmaker firefighter florist founder freelancer gardener geologist hairdresser historian illustrator
  instructor investigator janitor journalist judge lawyer lecturer librarian lifeguard machinist manager mathematician mechanic
  midwife model musician nanny novelist nurse nutritionist officer optician painter paramedic pharmacist photographer physician
  physicist pianist pilot plumber poet politician principal producer programmer professor psychiatrist psychologist receptionist
  recruiter reporter researcher retailer sailor salesperson scientist sculptor secretary singer soldier statistician streamer
  student surgeon surveyor tailor teacher technician therapist translator tutor veterinarian vet waiter waitress welder writer
  youtuber intern apprentice paralegal realtor broker trader auditor administrator sysadmin technologist planner`.split(
    /\s+/
  )
)

export const nationalities: ReadonlySet<string> = new Set(
  `american australian austrian belgian brazilian british bulgarian canadian chinese colombian croatian czech danish dutch egyptian
  english estonian ethiopian finnish french german ghanaian greek hungarian icelandic indian indonesian iranian iraqi irish israeli
  italian japanese kenyan korean latvian lebanese lithuanian malaysian mexican moroccan nepali nigerian norwegian pakistani
  peruvian filipino polish portuguese romanian russian scottish serbian slovak slovenian spanish swedish swiss syrian taiwanese
  thai tunisian turkish ukrainian vietnamese welsh argentinian chilean cuban`.split(/\s+/)
)
