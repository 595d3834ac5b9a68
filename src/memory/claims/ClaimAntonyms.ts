/**
 * English words that cannot both be said of one thing at one time: on and off, pass and fail, love and hate. Each line
 * holds two sides; any word of one side opposes any of the other. `opposes` asks, `alternatives` are closed sets of
 * which one holds (light and dark, north and south, the colours).
 */
import { conceptOf } from "./ClaimSynonyms.ts"

const sides = `
on up running online | off down offline
enable | disable
active live | inactive dormant dead
open | close closed shut
public | private internal secret confidential
internal inside indoor indoors | external outside outdoor outdoors
true yes | false no
allow permit accept grant | forbid reject deny refuse block prevent
fixed | variable floating flexible
manual manually | automatic automatically automated
temporary | permanent
synchronous sync | asynchronous async
stateful | stateless
hire | fire dismiss
love like enjoy adore | hate dislike detest avoid
pass succeed | fail
win beat | lose
begin start open | end finish stop cease halt
before | after
brief concise terse | long detailed verbose lengthy
above over | below under beneath
with | without
increase rise grow raise gain improve | decrease fall drop shrink reduce lower decline worsen
increase | reduce
add | remove delete
include cover | exclude
downstairs | upstairs
insource | outsource
compress | decompress uncompressed
buy | sell
lend | borrow
send | receive
arrive | leave
enter | exit leave
join | leave quit
push upload | pull download
import | export
install | uninstall
lock locked | unlock unlocked
connect connected | disconnect disconnected
attach attached | detach detached
mount mounted | unmount unmounted
encrypt encrypted | decrypt decrypted unencrypted plaintext
include | exclude omit
show visible | hide hidden invisible
mandatory require compulsory obligatory | optional voluntary unnecessary
accept approve approved | reject rejected decline declined refuse
full | empty
hot warm | cold cool
big large | small
high tall | low
long | short
heavy | light
fast quick | slow
early | late
old | new young
rich | poor
cheap inexpensive | expensive costly pricey
easy simple | difficult hard complex
safe secure | unsafe dangerous insecure
strong | weak
wet | dry
clean | dirty
hard | soft
thick fat | thin
wide broad | narrow
deep | shallow
loud noisy | quiet silent
happy | sad unhappy
good great excellent | bad poor terrible awful
better | worse
best most maximum | worst least minimum
first | last
left | right
north northern | south southern
east eastern | west western
light bright | dark
sync synchronous | async asynchronous
static | dynamic
manual manually | automatic automatically automated
permanent | temporary
local | remote
single unmarried | marry
marry | divorce widowed
employed | unemployed jobless
alive living | dead deceased
healthy well | ill unhealthy
pregnant | unpregnant
available | unavailable
possible | impossible
valid | invalid
stable | unstable
compatible | incompatible
reliable | unreliable
known | unknown
finished complete completed done ready | unfinished incomplete pending
paid | unpaid outstanding
solved resolved fixed | unsolved unresolved
supported | unsupported deprecated
used | unused
planned | unplanned
signed | unsigned
documented | undocumented
tested | untested
successful | unsuccessful
legal | illegal
guilty | innocent
present | absent
awake | asleep
sweet | sour bitter
sweetened | unsweetened
vegetarian vegan | carnivore
introvert introverted | extrovert extroverted
optimist optimistic | pessimist pessimistic
male man boy | female woman girl
free | paid busy occupied
vacant free | occupied taken
odd | even
positive | negative
horizontal | vertical
horizontally | vertically
uppercase | lowercase
singular | plural
ascending | descending
upstream | downstream
upgrade | downgrade
promote | demote
deploy | rollback
hire recruit | dismiss
always | never
everyone everybody all | nobody none
everything | nothing
everywhere | nowhere
often frequently usually regularly | rarely seldom hardly never
more | less fewer
increase | decrease
remember | forget
agree | disagree
trust | distrust mistrust
obey | disobey
appear | disappear
expand | contract
sit | stand
morning | evening night
day daytime | night nighttime
weekday | weekend
summer | winter
inclusive | exclusive
rising | falling
keep retain | discard drop
save | waste
pro | contra
for | against
sober teetotal | drunk
left-handed | right-handed
debit | credit
income | expense
profit | loss
gain | lose
inbound incoming | outbound outgoing
mutable | immutable
blocking | nonblocking
strict | lenient loose
`

const closed = [
  "north south east west",
  "red blue green yellow orange purple violet pink brown black white gray beige teal turquoise silver gold",
  "spring summer autumn winter",
  "morning noon afternoon evening night",
  "breakfast lunch dinner supper",
  "low medium high critical",
  "small medium large",
  "debug info warn warning fatal",
  "development staging production",
  "bachelor master doctorate",
  "single married divorced widowed engaged",
  "gold silver bronze",
  "hourly daily weekly biweekly fortnightly monthly quarterly yearly annually",
  "always usually often sometimes rarely never",
  "usd eur gbp chf jpy cny cad aud sek nok dkk pln inr krone dollar euro pound franc yen"
]

const opposites = new Map<string, Set<string>>()
const oppose = (one: string, other: string) => {
  if (one === other) return
  for (const [a, b] of [[one, other], [other, one]] as const) {
    const known = opposites.get(a)
    if (known === undefined) opposites.set(a, new Set([b]))
    else known.add(b)
  }
}

for (const line of sides.trim().split("\n")) {
  const [left = "", right = ""] = line.split("|").map((side) => side.trim())
  for (const one of left.split(" ")) for (const other of right.split(" ")) oppose(conceptOf(one), conceptOf(other))
}

const closedSets = new Map<string, Set<number>>()
for (const [index, line] of closed.entries()) {
  for (const word of line.split(" ")) {
    const concept = conceptOf(word)
    closedSets.set(concept, (closedSets.get(concept) ?? new Set()).add(index))
  }
}

const prefixes = new Set(["un", "in", "im", "non", "dis", "de", "mis"].flatMap((prefix) => [prefix, `${prefix}-`]))
const longestPrefix = 4

/** Whether one word is the other with a denying prefix: `documented` and `undocumented`. */
export const denies = (one: string, other: string): boolean => {
  const more = other.length - one.length
  return one.length > 4 && more >= 2 && more <= longestPrefix && other.endsWith(one) &&
    prefixes.has(other.slice(0, more))
}

/** Whether two concepts are opposite ends: not both true of one thing. */
export const opposes = (one: string, other: string): boolean =>
  opposites.get(one)?.has(other) === true || denies(one, other) || denies(other, one)

/** Whether two concepts are different members of one closed set, of which one holds at a time. */
export const alternatives = (one: string, other: string): boolean => {
  if (one === other) return false
  const sets = closedSets.get(one)
  const others = closedSets.get(other)
  if (sets === undefined || others === undefined) return false
  for (const set of sets) if (others.has(set)) return true
  return false
}
