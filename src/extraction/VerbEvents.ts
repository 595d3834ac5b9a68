/**
 * The verbs of what happens, in the form of `VerbStates`: going somewhere, getting, making, learning, winning and losing
 * something. Data for `VerbTable`.
 */
import { determiner } from "./ClauseWords.ts"
import { idle, name, some } from "./VerbStates.ts"
import type { Line } from "./VerbStates.ts"

export const events: ReadonlyArray<Line> = [
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
