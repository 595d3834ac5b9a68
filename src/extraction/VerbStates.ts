/**
 * What stands behind the verbs of daily life when a state is told: homes, work, family, belongings, habits, plans. Each line
 * names verbs with one use, what must follow them, the attribute they state (a `*` gives it a topic) and the tenses in which
 * they do: `s`tate, `e`vent, `o`ngoing. The first line of a verb that fits counts. Data for `VerbTable`.
 */
import { counts, determiner, thing } from "./ClauseWords.ts"

export type Line = readonly [verbs: string, object: string, attribute: string, tenses: string]

export const name = "[\"“]?\\p{Lu}"
export const some = `(?:${determiner}\\b|${name})`
export const place = "(?:the |a |an |my )?(?:\\p{L}+ ){0,2}\\p{Lu}"
// Taken for a thing by grammar, and none: "made a decision", "had a blast".
export const idle =
  "(?!(?:a|an|the|my|some|another)? ?(?:really |very |super |so |such |pretty |quite )?(?:\\p{L}+ ){0,1}(?:lot|bit|time|times|blast|chance|sense|difference|deal|break|while|shot|look|idea|ideas|feeling|feelings|point|decision|decisions|mistake|mistakes|thing|things|stuff|way|moment|moments|day|progress|fun|hang|picture|pictures|pic|pics|photo|photos|mess|few|one|ones|ton|tons|bunch|glimpse|peek|step|steps|risk|effort|care|note|boost|kick|part|advice|thought|memories|memory|love|support|connection|connections|impact|reminder|sign|joy|peace|comfort|balance|courage|confidence|focus|inspiration|message|call|hint|feel|word|words|same|best|most|rest|opportunity|opportunities|nap|dreams?|shower|breath|turn|side|whole|lead|plunge|leap|hard|easy)\\b)"

export const states: ReadonlyArray<Line> = [
  ["live reside dwell", "(?:(?:right |just |currently )?(?:in|at|near|outside|on|by) )", "residence", "so"],
  ["live", "(?:with|alone)\\b", "household", "so"],
  ["live", `in ${place}`, "lived-in*", "e"],
  [
    "move relocate",
    "(?:back |over |out |away |all the way |from [^,.]{2,40}? )?to (?!the next|on\\b|the point)",
    "residence",
    "e"
  ],
  ["move relocate", "(?:back |over )?to (?!the next|on\\b)", "planned-residence", "o"],
  ["move", "(?:here |over )?from ", "moved-from", "e"],
  ["move", "(?:into|out of|in with) ", "household", "eo"],
  [
    "work",
    "(?:\\p{L}+-time |remotely |again )?(?:at|for) (?!(?:me|you|us|it|free|hours|a (?:while|long)|years|months|weeks|days)\\b)",
    "employer",
    "so"
  ],
  ["work", "(?:\\p{L}+-time |again )?as (?=an? |the |head|chief)", "occupation", "so"],
  ["work", "in (?!(?:progress|my class)\\b)", "industry", "s"],
  ["work", `(?:hard )?on (?!(?:it|that|this|them|myself|getting|making|being)\\b)${thing}${idle}`, "project*", "eo"],
  ["work", `with (?!the\\b)(?:${determiner}|${name})`, "works-with*", "eo"],
  ["collaborate", "(?:with|on) ", "works-with*", "eo"],
  ["team", "up with ", "works-with*", "e"],
  ["study", "at ", "school", "seo"],
  ["study", "(?!(?:for|hard|all|a lot|together|harder|up|abroad|with)\\b)(?=\\p{L})", "field-of-study", "seo"],
  ["study", "abroad in ", "studied-abroad", "eo"],
  ["major minor", "in ", "field-of-study", "seo"],
  ["attend", `${some}${idle}`, "attendance*", "eo"],
  ["attend", "\\p{Lu}", "school", "s"],
  [
    "like love enjoy hate dislike prefer adore detest despise",
    "(?!(?:it|that|this|these|those|them|him|her|how|when|what|where|who|why|the \\p{Ll}+|your?|yours|yourself|every|everything|to (?:see|hear|know|be|think|say|admit|try|do|have|get|go|check|come|join|meet)|seeing|hearing|knowing|being|having|getting|talking|chatting|all|how|so|even|a lot|both)\\b)(?=\\p{L}|\")",
    "preference*",
    "s"
  ],
  [
    "want plan intend aim aspire",
    "to (?!(?:be|know|say|see|hear|thank|tell|share|do|make sure|check|let|go|get|have|ask|keep|look|give|show|try|make|help|feel|find)\\b)",
    "plan*",
    "so"
  ],
  [
    "want plan intend aim",
    "to (?:be|become|make|open|try|go|get|have|help|find|give) (?:(?:to|on|into) )?(?=an? |the |my |\\p{Lu}|married|hiking|camping|skiing)(?!(?:a|an|the|my) (?:lot|bit|better|best|good|great|difference|positive|real|big|way|chance|look|hand|point|part|go|shot|try)\\b)",
    "plan*",
    "so"
  ],
  ["plan", "(?:on )?(?:an? |the |my |\\p{L}+ing )(?!(?:lot|bit|next|few)\\b)", "plan*", "o"],
  [
    "decide choose",
    "(?:not )?to (?!(?:be|say|see|tell|share|do|check|let|ask|keep|look|show|try it|give it|go for|make|get|have|just|give)\\b)",
    "decision*",
    "e"
  ],
  [
    "have",
    `(?:got )?(?:${determiner}|no) (?:\\p{L}+ ){0,3}?(?:dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|horses?|parrots?|rabbits?|hamsters?|turtles?|tortoises?|snakes?|fish|birds?|guinea pigs?|chickens?|bees|goats?)\\b`,
    "pet*",
    "s"
  ],
  [
    "have",
    `(?:got )?(?:${determiner}|no) (?:\\p{L}+ ){0,3}?(?:brothers?|sisters?|siblings?|sons?|daughters?|kids?|child|children|twins?|wife|husband|girlfriend|boyfriend|partner|nephews?|nieces?|cousins?|grandchildren|grandkids|bab(?:y|ies))\\b`,
    "family*",
    "s"
  ],
  [
    "have",
    `(?:got )?(?:${determiner}|no) (?:\\p{L}+ ){0,3}?(?:car|cars|house|houses|apartment|flat|garden|cabin|boat|bike|bicycle|motorcycle|truck|van|tattoos?|piano|guitar|violin|camera|telescope|laptop|printer|server|business|company|store|shop|studio|farm|collection|degree|bachelor's|master's|phd|diploma|certificate|license|licence|passport|visa|blog|podcast|channel|garage|workshop|pool|balcony|library)\\b`,
    "owns*",
    "s"
  ],
  [
    "have",
    "(?:asthma|diabetes|adhd|autism|arthritis|anxiety|depression|insomnia|epilepsy|migraines|celiac disease|coeliac disease|(?:an?|the) (?:\\p{L}+ )?(?:allergy|allergies|condition|disability|disorder)|allerg(?:y|ies)|dyslexia|high blood pressure|hay fever|scoliosis|tinnitus)",
    "health*",
    "s"
  ],
  [
    "have",
    "(?:an? |my |the )(?:\\p{L}+ ){0,2}(?:interview|exam|appointment|meeting|surgery|audition|recital|concert|flight|deadline|presentation|test|checkup|wedding|competition|tournament|match|game|gig|show|race) ",
    "event*",
    "se"
  ],
  ["own", `${some}`, "owns*", "so"],
  ["drive ride", `(?:an? |my )`, "owns*", "s"],
  ["use", `(?!(?:to|it|that|this|them|up|my)\\b)(?:${some}|\\p{L})`, "uses*", "so"],
  [
    "speak",
    "(?:fluent |some |a little |a bit of |basic |good |(?:\\w+ )?)?(?=\\p{Lu}|(?:two|three|four|five|several) languages)(?!(?:to|with|at|up|about)\\b)",
    "language*",
    "s"
  ],
  [
    "play",
    "(?!(?:a (?:part|role|big|huge|key)|games? with|with|around|it|along|out|for|on)\\b)(?:the |in (?:a|an|the) )?(?=\\p{L})",
    "plays*",
    "seo"
  ],
  ["sing dance perform", `(?:in|at|with|for) ${thing}`, "performs*", "seo"],
  ["collect", "(?=\\p{L})(?!(?:it|that|this|them|myself|data)\\b)", "collects*", "so"],
  ["teach", "(?!(?:me|us|you|them|it|him|her|myself)\\b)(?=\\p{L})", "teaches*", "seo"],
  ["coach mentor tutor train", `(?:${some}|\\p{L}+s\\b)${idle}`, "coaches*", "seo"],
  ["train prepare practise practice", "(?:for|towards?) (?!(?:it|that|this)\\b)", "training*", "eo"],
  [
    "practise practice",
    "(?=\\p{L})(?!(?:it|that|this|what|a lot|hard|together|more|for|every)\\b)",
    "practises*",
    "so"
  ],
  [
    "run",
    "(?:in )?(?:a|an|the|my|another) (?:[\\p{L}\\d-]+ ){0,3}?(?:race|marathon|half[- ]marathon|ultramarathon|triathlon|relay|\\d+ ?k)\\b",
    "race*",
    "eo"
  ],
  [
    "run",
    "(?:a|an|my|the) (?:\\p{L}+ ){0,3}?(?:business|company|store|shop|studio|bakery|farm|blog|podcast|channel|restaurant|cafe|café|club|group|team|agency|school|gym|charity|nonprofit|startup|program|programme|workshop|server|site|website)\\b",
    "runs*",
    "seo"
  ],
  ["run", "(?:in )?(?:a|an|the|my|\\d+) (?!(?:errand|risk|bit))", "race*", "e"],
  [
    "run walk cycle swim bike",
    "(?:(?:\\d+|\\p{L}+) )?(?:miles?|km|kilometers?|kilometres?|laps)\\b|(?:every|each) |(?:to work|in the mornings?)",
    "exercise*",
    "se"
  ],
  ["volunteer", "(?:at|with|for|in) (?!(?:it|that)\\b)", "volunteering*", "seo"],
  ["donate", "(?!(?:it|that|them)\\b)(?=\\p{L})", "donation*", "e"],
  [
    "eat drink",
    "(?!(?:it|that|this|them|out|up|in|there|here|together|well|like|a lot|so|too|at|with)\\b)(?=\\p{L})",
    "diet*",
    "s"
  ],
  ["smoke", "(?=\\p{L}|$)", "smoking", "s"],
  ["grow", "up (?:in|on|near|at) ", "grew-up", "e"],
  [
    "grow keep raise",
    `(?!(?:up|it|that|them|as|in|my|the|an? (?:lot|bit))\\b)(?:${counts}|\\p{L}+s)\\b(?! (?:going|doing|trying|pushing|working))`,
    "keeps*",
    "so"
  ],
  ["raise", "(?:\\$|€|£|\\d|(?:some |enough )?(?:money|funds|awareness) )", "fundraising*", "eo"],
  ["belong", "to ", "membership*", "s"],
  ["identify", "as ", "identity", "s"],
  ["suffer", "from ", "health*", "so"],
  ["commute", "(?:to|by|from) ", "commute", "s"],
  ["ship", "", "deadline", "s"],
  ["run", "on (?=\\p{Lu})", "platform", "s"],
  ["depend", "on (?=\\p{L})(?!(?:it|that|this|you|how|what)\\b)", "dependency*", "s"]
]
