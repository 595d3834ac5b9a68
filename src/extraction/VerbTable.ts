/**
 * What people state of themselves with a verb: for each verb, what must stand behind it, which attribute it states, and
 * whether that attribute has a topic. An attribute without a topic holds one value ("residence"); one with a topic is asked of
 * many things at a time, and its value is what is said of the topic (ADR 0024). English. Next: `CopulaTable`.
 */
import { counts, determiner, thing } from "./ClauseWords.ts"

export interface VerbUse {
  /** What stands behind the verb, from its first letter on. */
  readonly object: RegExp
  readonly attribute: string
  readonly hasTopic: boolean
  /** Which tellings count: a state as it is, an event that was, one under way or to come. */
  readonly tenses: ReadonlyArray<"state" | "event" | "ongoing">
  readonly isPreference: boolean
}

type Line = readonly [verbs: string, object: string, attribute: string, tenses: string]

const name = "[\"“]?\\p{Lu}"
const some = `(?:${determiner}\\b|${name})`
const place = "(?:the |a |an |my )?(?:\\p{L}+ ){0,2}\\p{Lu}"
// Taken for a thing by grammar, and none: "made a decision", "had a blast".
const idle =
  "(?!(?:a|an|the|my|some|another)? ?(?:really |very |super |so |such |pretty |quite )?(?:\\p{L}+ ){0,1}(?:lot|bit|time|times|blast|chance|sense|difference|deal|break|while|shot|look|idea|ideas|feeling|feelings|point|decision|decisions|mistake|mistakes|thing|things|stuff|way|moment|moments|day|progress|fun|hang|picture|pictures|pic|pics|photo|photos|mess|few|one|ones|ton|tons|bunch|glimpse|peek|step|steps|risk|effort|care|note|boost|kick|part|advice|thought|memories|memory|love|support|connection|connections|impact|reminder|sign|joy|peace|comfort|balance|courage|confidence|focus|inspiration|message|call|hint|feel|word|words|same|best|most|rest|opportunity|opportunities|nap|dreams?|shower|breath|turn|side|whole|lead|plunge|leap|hard|easy)\\b)"

/**
 * A `*` behind an attribute gives it a topic; tenses are `s`tate, `e`vent and `o`ngoing. The first line that fits counts.
 */
const lines: ReadonlyArray<Line> = [
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
  [
    "go",
    "(?:back |over |out |up |down )?to (?!(?:bed|sleep|you|it|that|them|him|her|work|the next|waste|great|show|pieces|therapy\\b.*\\?)\\b)(?=\\p{L})",
    "visit*",
    "e"
  ],
  ["go", "(?:out )?on (?=an? |the |my )(?!(?:a|the) (?:roll|date night))", "outing*", "e"],
  [
    "go",
    "(?:to )?(?:hiking|camping|fishing|skiing|surfing|swimming|sailing|climbing|kayaking|diving|skating|snowboarding|shopping|cycling|biking|bowling|dancing|running|jogging|birdwatching|backpacking|sightseeing|snorkeling|snorkelling|scuba|rafting|horseback|hunting|stargazing)\\b",
    "activity*",
    "seo"
  ],
  ["go", "(?:back |over )?to (?=an? |the |my |\\p{Lu})(?!(?:a|an|the|my) (?:lot|next|point)\\b)", "plan*", "o"],
  [
    "visit tour explore",
    "(?!(?:it|that|this|them|there|you|new|more|other|different|ways?|how|my)\\b)(?=\\p{L})",
    "visit*",
    "eo"
  ],
  ["visit", "my \\p{L}+", "visit*", "eo"],
  ["travel fly drive", `(?:back |all the way |over )?(?:to|through|around|across) (?!(?:work|it)\\b)`, "visit*", "eo"],
  ["return", "(?:from|to) ", "visit*", "e"],
  ["come get", "back (?:home )?from ", "visit*", "e"],
  ["camp hike", "(?:in|at|on|near|up|through|along|to|by) |(?:the|a) ", "activity*", "e"],
  ["climb", `(?:${some})`, "activity*", "e"],
  ["buy purchase order", `(?:myself |me )?(?:${some}|\\p{L}+s\\b|new )${idle}`, "purchase*", "eo"],
  [
    "get",
    `(?:myself )?(?:a|an|another|two|three|my|some) (?!(?:lot|few|new perspective|better|good|great|real|kick|grip|handle|taste|text|email|letter|response|reply|chance|own|hands|act|mind|head|life)\\b)(?:\\p{L}+ ){0,2}(?:dog|cat|puppy|kitten|pet|dogs|cats|car|bike|tattoo|job|promotion|raise|degree|scholarship|internship|apartment|house|camera|guitar|piano|laptop|phone|tv|console|plants?|books?|tickets?|offer|award|certificate|license|licence|visa|haircut|ring|fish|turtles?|hamster|rabbit|horse|part-time job|contract|deal|deals|endorsement|grant|loan)\\b`,
    "acquisition*",
    "e"
  ],
  ["get", "(?:married|engaged|divorced|separated)\\b", "marital-status", "e"],
  ["get", "(?:married)\\b", "plan*", "o"],
  [
    "get",
    "(?:promoted|accepted|hired|admitted|elected|selected|drafted|signed|fired|laid off|injured|diagnosed)\\b",
    "milestone*",
    "e"
  ],
  ["adopt foster rescue", `${some}${idle}`, "adoption*", "eo"],
  [
    "start begin launch open found establish",
    `(?:up )?(?!(?:it|that|this|to|off|out|from|over|seeing|feeling|thinking|getting|noticing|my day|the day|our|working|looking|doing|making|having|being|talking|caring|realizing|realising|loving|wondering)\\b)(?:${determiner}\\b|${name}|\\p{L}+ing\\b|new |work )${idle}`,
    "start*",
    "eo"
  ],
  [
    "start begin",
    `to (?!(?:feel|see|think|get|notice|realize|realise|look|understand|be|wonder|worry|believe)\\b)`,
    "start*",
    "e"
  ],
  [
    "finish complete",
    `(?!(?:it|that|this|them|up with|off|each|the day)\\b)(?:up )?(?:${determiner}\\b|${name}|\\p{L}+ing\\b)${idle}`,
    "completion*",
    "eo"
  ],
  ["join", `(?!(?:it|you|us|them|in|forces|me)\\b)(?:${determiner}|${name})${idle}`, "membership*", "eo"],
  [
    "leave quit resign",
    "(?:my |from my |the |as )(?:\\p{L}+ ){0,3}?(?:job|position|role|company|firm|team|band|career|post|\\p{L}+er|\\p{L}+ist|studies|university|college|school)\\b",
    "departure*",
    "e"
  ],
  [
    "quit stop",
    "(?:smoking|drinking|eating|taking|vaping|using|working (?:at|for|as)|studying|playing)\\b",
    "quit*",
    "e"
  ],
  [
    "lose",
    "(?:my|a|an|the) (?:\\p{L}+ ){0,2}(?:job|wallet|keys?|phone|passport|license|licence|mother|mom|mum|father|dad|brother|sister|wife|husband|grandmother|grandma|grandfather|grandpa|friend|dog|cat|ring|game|match|race|election|bag|luggage|house|home)\\b|\\d+ (?:pounds|kilos|kg|lbs)",
    "loss*",
    "e"
  ],
  ["graduate", "(?:from|with|in|at|last|$)", "graduation", "e"],
  ["win", `(?:${some}|first|second|third|\\p{L}+ (?:place|prize|medal))(?! (?:over|lot))`, "win*", "e"],
  ["sell", `(?!(?:it|that|them|out)\\b)(?:${some}|\\p{L}+s\\b)`, "sale*", "eo"],
  [
    "build make bake cook paint draw write create design record knit sew craft compose carve assemble",
    `(?!(?:it|that|this|them|up|sure|in|about|down|me|you|us|him|her|back|out|off|for|with|to|my (?:day|way|mind|own))\\b)(?:${determiner}\\b|["“]|\\p{L}+s\\b)(?! (?:me|us) )${idle}`,
    "creation*",
    "eo"
  ],
  ["write", "about ", "creation*", "eo"],
  [
    "read",
    "(?!(?:it|that|this|them|about|up|through|between|out|your|all|more)\\b)(?=an? |the |[\"“]|\\p{Lu}|my )(?!(?:a|an|the|my) (?:lot|bit|news|room))",
    "reading*",
    "eo"
  ],
  [
    "watch",
    "(?!(?:it|that|this|them|out|over|you)\\b)(?=an? |the |[\"“]|\\p{Lu})(?!(?:a|the) (?:lot|bit))",
    "watching*",
    "eo"
  ],
  [
    "see",
    "(?=an? |the |[\"“]|\\p{Lu})(?:a|an|the)? ?(?:\\p{L}+ ){0,3}?(?:concert|play|musical|movie|film|show|exhibition|exhibit|opera|ballet|doctor|therapist|dentist|counselor|game|match|performance|parade|northern lights|eclipse)\\b",
    "watching*",
    "eo"
  ],
  [
    "meet",
    `(?:up with )?(?:an? |the |my |some |\\p{Lu}|two |three |new )(?!(?:A lot|of|goals?|deadlines?|lot|few|bunch|ton)\\b)(?=\\p{L})`,
    "meeting*",
    "e"
  ],
  ["marry", "(?=my |\\p{Lu})", "marital-status", "e"],
  ["propose", "to (?=my |\\p{Lu})", "milestone*", "e"],
  ["break fracture sprain twist injure hurt tear", "my ", "injury*", "e"],
  ["undergo", "", "health*", "e"],
  ["sign", "up (?:for|with|to) (?!(?:it|that)\\b)", "enrolment*", "e"],
  ["enroll enrol register", "(?:in|for|at) (?!(?:it|that)\\b)", "enrolment*", "eo"],
  ["apply", "(?:to|for) (?!(?:it|that|this|my|life)\\b)(?=\\p{L})", "application*", "eo"],
  ["publish release", `${some}${idle}`, "publication*", "eo"],
  ["host organize organise throw", `(?:${some})${idle}(?!(?:it|away|out)\\b)`, "hosting*", "eo"],
  ["plant harvest", "(?!(?:it|that|them)\\b)(?=\\p{L})", "gardening*", "eo"],
  [
    "learn",
    "(?:how )?to (?!(?:be|love|appreciate|accept|trust|let|live|take|keep|stay|never|not|embrace|value|get|have|deal|cope|do|see)\\b)(?=\\p{L})",
    "learning*",
    "eo"
  ],
  [
    "learn",
    `(?!(?:it|that|this|a lot|so|more|from|how|about|to|some|the (?:importance|value|hard)|what|new|lots|as|much|something|many|my|and|every)\\b)(?=\\p{L})${idle}`,
    "learning*",
    "eo"
  ],
  [
    "pass fail",
    "(?:my|the|an?) (?:\\p{L}+ ){0,3}?(?:exams?|tests?|course|class|bar|interview|audition|certification|finals?|driving test|inspection)\\b",
    "exam*",
    "e"
  ],
  ["participate compete", "in (?!(?:it|that|this)\\b)", "attendance*", "eo"],
  ["perform", "(?:at|in|on|for|with) (?!(?:it|that|this)\\b)", "performs*", "e"],
  [
    "give",
    "(?:a|an|my|the) (?:\\p{L}+ ){0,2}(?:talk|speech|presentation|lecture|lesson|concert|workshop|toast|class|sermon)\\b",
    "talk*",
    "eo"
  ],
  ["speak", "(?:at|in front of) ", "talk*", "e"],
  [
    "take",
    "(?:a|an|the|my|some|up|part in|over|two|three|several|\\p{L}+ing|\\p{L}+ (?:classes|lessons)) ?(?!(?:break|look|lot|bit|while|chance|nap|shower|step|moment|deep|picture|photo|pic|long|toll|risk|day off|risks|time|lead|plunge|leap|hit|stand|breather|peek|seat|backseat|challenge|new|more|it|on)\\b)(?=(?:\\p{L}+ ){0,3}?(?:class|classes|course|courses|lessons?|workshop|trip|vacation|holiday|cruise|tour|exam|test|job|position|road trip|hike|yoga|painting|pottery|cooking|photography|piano|guitar|medication|pills|insulin|running|knitting|gardening|sabbatical|leave|train|bus|ferry|flight|in)\\b)",
    "takes*",
    "eos"
  ],
  [
    "try",
    "(?:out )?(?:(?:a|an|some|the|my) (?!(?:new things?|different|best|hardest|few|lot|hand|luck)\\b)|\\p{L}+ing |\\p{Lu})(?!(?:to|it|that|harder|out)\\b)(?=\\p{L})",
    "trial*",
    "e"
  ],
  [
    "find discover",
    `(?:a|an) (?!(?:way|lot|good|great|balance|time|place where|few|sense|bit|new way|reason|solution)\\b)(?=\\p{L})${idle}`,
    "discovery*",
    "e"
  ],
  ["hire rent lease book reserve", `(?:${some})(?!(?:it)\\b)${idle}`, "arrangement*", "eo"],
  ["receive earn", `(?:${some})${idle}`, "award*", "e"],
  ["celebrate", `(?!(?:it|that|with|together|this|by)\\b)(?=my |the |our |\\p{Lu}|\\p{L}+'s )`, "celebration*", "eo"],
  ["set", "up (?=an? |the |my )", "start*", "eo"],
  ["switch", "(?:over )?(?:from|to) (?=\\p{L})", "switch*", "e"],
  [
    "upgrade repair fix restore renovate refurbish install remodel redecorate replace",
    `(?:to )?(?:${some})${idle}(?!(?:it|that|them)\\b)`,
    "maintenance*",
    "eo"
  ],
  ["turn", "(?:\\d{1,3}|\\p{L}+(?:ty|teen)(?:-\\p{L}+)?)(?: years old)?(?=$| )", "age", "e"],
  ["retire", "(?:from|in|last|at|as|$)", "occupation", "e"],
  ["divorce", "my ", "marital-status", "e"],
  ["recover", "from ", "health*", "eo"],
  ["expect", "(?:a|my|our|twins) ?(?:\\p{L}+ )?(?:baby|child|twins|daughter|son|kid)?", "family*", "o"],
  ["save", "(?:up )?(?:money )?(?:for|to) (?=an? |the |my |buy)", "plan*", "o"],
  [
    "look search",
    "for (?=an? |the |my |work\\b|\\p{L}+ (?:jobs?|apartments?|flats?))(?!(?:a|the) (?:way|place|good|great|new way|ways)\\b)",
    "search*",
    "o"
  ],
  ["research", "(?=\\p{L})(?!(?:it|that|this|how|more|and)\\b)", "search*", "eo"],
  ["develop manage lead direct produce edit curate", `(?:${some})${idle}`, "project*", "eos"],
  ["mentor support", "(?:an? |\\p{Lu})(?!(?:lot|bit)\\b)", "coaches*", "o"],
  [
    "catch",
    "(?:a|an|the|covid|\\p{L}+) ?(?:\\p{L}+ ){0,1}(?:flu|cold|covid|fish|trout|salmon|train|flight)\\b",
    "event*",
    "e"
  ],
  [
    "become",
    "(?:a|an|the) (?=\\p{L})(?!(?:lot|bit|part|better|huge|big|real|bigger|reality|habit|way|thing|passion)\\b)",
    "milestone*",
    "e"
  ],
  ["put", "together (?=an? |the |my )", "hosting*", "eo"],
  ["compete perform act", "(?=\\p{L})(?!(?:it|like|as if)\\b)", "performs*", "s"],
  [
    "look",
    "forward to (?=an? |the |my |\\p{Lu}|\\p{L}+ing )(?!(?:seeing|hearing|the (?:next|future)|meeting|catching|more|getting|having|being|sharing|making|working)\\b)",
    "plan*",
    "o"
  ],
  [
    "spend",
    `(?:the |a |my |some |two |three |last )?(?:whole |entire |long |\\p{L}+ )?(?:day|days|week|weeks|weekend|month|months|summer|winter|holidays?|christmas|thanksgiving|easter|vacation|afternoon|evening|morning|night|time) (?:in|at|on|with|volunteering|hiking|camping|painting|fishing|cooking|baking|gardening|exploring) `,
    "outing*",
    "e"
  ],
  ["help", "(?:out )?(?:at|an? |the |my |\\p{Lu})(?!(?:lot|bit)\\b)", "help*", "e"],
  ["invite", "(?:an? |the |my |some |\\p{Lu})", "hosting*", "e"],
  ["pick", "up (?:an? |some |the )(?!(?:phone|pace|pieces)\\b)", "acquisition*", "e"],
  ["check", "out (?:an? |the |some |\\p{Lu})", "visit*", "e"],
  ["hang", "out with (?:an? |the |my |some |\\p{Lu})", "meeting*", "e"],
  ["stay", "(?:at|in|with) (?:an? |the |my |\\p{Lu})(?!(?:touch|the (?:moment|same)))", "visit*", "e"],
  ["enter submit audition interview debut", `(?:for |in |at |to )?(?:${some})${idle}`, "application*", "e"],
  ["score", "(?:an? |the |my |\\d|\\p{L}+ (?:goals?|points?))", "win*", "e"],
  ["beat defeat", "(?:an? |the |my |\\p{Lu})", "win*", "e"],
  ["film shoot photograph post stream", `(?:${some})${idle}`, "creation*", "eo"],
  ["decorate clean serve", `(?:${some})${idle}`, "maintenance*", "eo"],
  ["name", "my (?:\\p{L}+ ){0,2}\\p{Lu}", "name-given*", "e"],
  ["wear", "(?:glasses|contacts|contact lenses|a hearing aid|hearing aids|a size|size)\\b", "wears*", "s"],
  ["lift", "weights\\b", "exercise*", "seo"],
  [
    "do",
    "(?:yoga|pilates|karate|judo|ballet|gymnastics|crossfit|taekwondo|martial arts|ceramics|pottery|volunteer work|freelance \\p{L}+|aerobics|kickboxing|cardio|parkour)\\b",
    "activity*",
    "seo"
  ],
  ["talk", "(?:about|at) (?=an? |my |\\p{Lu})(?!my (?:day|week|feelings))", "talk*", "e"],
  ["look", "into (?=an? |the |my |\\p{L}+ing |\\p{L}+s )", "search*", "o"]
]

const tenseOf: Readonly<Record<string, "state" | "event" | "ongoing">> = { s: "state", e: "event", o: "ongoing" }

const table = new Map<string, Array<VerbUse>>()
for (const [verbs, object, attribute, tenses] of lines) {
  const use: VerbUse = {
    object: new RegExp(`^(?:${object})`, "u"),
    attribute: attribute.replace("*", ""),
    hasTopic: attribute.endsWith("*"),
    tenses: [...tenses].flatMap((letter) => tenseOf[letter] ?? []),
    isPreference: attribute === "preference*"
  }
  for (const verb of verbs.split(" ")) table.set(verb, [...table.get(verb) ?? [], use])
}

/** What a verb states with this behind it in this tense; null for nothing that is a fact. */
export const useOf = (verb: string, object: string, tense: VerbUse["tenses"][number]): VerbUse | null =>
  table.get(verb)?.find((use) => use.tenses.includes(tense) && use.object.test(object)) ?? null

// What goes on in a head or between two who talk, and verbs that say nothing without more than their object: no events.
const unspecific: ReadonlySet<string> = new Set(
  `accept admit admire afford agree allow answer appear appreciate argue ask assume be bear become believe blow bother call care
  chat choose come complain consider continue count cry dare deal depend deserve doubt end enjoy ensure excuse exist expect
  experience explain express face fall fear feel figure focus follow forget forgive gain get give go grow guess handle happen hate have
  hear hit hold hope imagine improve include inspire interest keep know laugh lean let lie like listen look love manage matter mean
  mention mind miss motivate need notice offer overcome owe pause persuade picture prefer pretend promise prove push put reach realise
  realize recall recognize refuse regret relate relax rely remember remind reply say seem see share show sleep smile sound stand start
  stay stick struggle stop suggest support suppose surprise surround survive take talk tell tend thank think throw touch trust try turn
  understand use value view wait wake want watch wish wonder worry worship work capture reflect treasure cherish embrace balance
  bring catch change connect lose make set shape spark test encourage hope plan decide attempt intend vow`.split(/\s+/)
)
const concrete = new RegExp(
  `^(?:(?:with|to|at|in|on|for|from|into|through|around|over|by|about|out|up|off|down|back) )?(?:a|an|my|another|${counts}|["“]?\\p{Lu}[\\p{L}']+|\\p{L}{3,}[^s\\W]s)(?= )(?! (?:of (?:it|that|this|them)|me|us|you)\\b)`,
  "u"
)
const anything =
  /^(?!(?:it|that|this|them|you|him|her|us|me|so|how|what|like|as|and|but|too|to|away|well|good|great)\b)\p{L}/u
const noIdle = new RegExp(`^(?:(?:with|to|at|in|on|for|from|into|about|out|up) )?${idle}`, "u")
// Of these a date makes an event: what was had, taken or brought on a day.
const datedOnly: ReadonlySet<string> = new Set(["have", "take", "bring", "make", "catch", "watch", "work"])

/**
 * An event of a verb that has no line, or that a date makes one: what somebody did with something that is named or counted. The
 * verb is a part of its topic.
 */
export const eventOf = (verb: string, object: string, isDated: boolean): VerbUse | null => {
  const isOpen = isDated ? !unspecific.has(verb) || datedOnly.has(verb) : !unspecific.has(verb) && !table.has(verb)
  return isOpen && noIdle.test(object) && (isDated && !datedOnly.has(verb) ? anything : concrete).test(`${object} `)
    ? { object: anything, attribute: "event", hasTopic: true, tenses: ["event", "ongoing"], isPreference: false }
    : null
}

const shown =
  /^(?:make|paint|draw|buy|get|write|build|bake|cook|create|find|design|knit|sew|craft|take|adopt|receive|win|carve|compose|order|plant)$/

/** "I made this bowl", said with a picture, tells of a bowl; what "this" means to other verbs is not said. */
export const withArticle = (verb: string, object: string): string =>
  shown.test(verb)
    ? object.replace(/^these (?=\p{L}+s\b)/u, "some ").replace(
      /^this (?!(?:is|was|one|time|way|kind|for|in|at|when|after|to|with|as)\b)(?=(\p{Ll}))/u,
      (_: string, letter: string) => /[aeiou]/.test(letter) ? "an " : "a "
    )
    : object

export const isKnownVerb = (verb: string): boolean => table.has(verb)
