/**
 * English words that say one thing in claims about people, work, software and everyday life. A line is a concept, named
 * by its first word; nouns stand with the verb or adjective they are made from (`birthday` with `born`), so that a claim
 * and its nominal form meet. Only words that may be exchanged in most claims belong here: a false synonym loses a claim.
 */
const groups = `
live reside dwell home residence inhabit
work job
born birth birthday birthdate
begin start commence kickoff begins kick_off
end finish conclude complete completion
buy purchase acquire
big large huge
small little tiny
quick fast rapid speedy
car automobile
phone telephone
photo picture photograph
movie film
child kid
daughter girl
son boy
mother mom mum mama
father dad papa
doctor physician
lawyer attorney
spouse partner
like love enjoy fond adore
hate dislike detest loathe despise
favourite favorite preferred favourited favor
colour color
prefer preference
learn study
speak talk
need require requirement
use utilize utilise usage
help assist assistance
buy purchase
cost price
due deadline
expire expiry expiration run_out
happen occur
name call
cancel scrap call_off
close shut_down close_down shut
submit hand_in turn_in
continue go_on carry_on
reject turn_down
delay postpone defer put_off
choose select pick
show display
remove delete purge erase
fix repair resolve
error mistake
permit allow
forbid prohibit ban disallow
enable activate enabled activated active
disable deactivate disabled deactivated
allergic allergy
vegetarian veggie
afraid scared scare fear
ill sick sickness illness
glad happy
sad unhappy
angry mad
rich wealthy
near nearby
incorrect wrong
tired exhausted
holiday vacation
flat apartment
mail email
boss supervisor
lead leadership head
manage manager management
own ownership
maintain maintenance
write written
build construct construction
weigh weight
measure measurement
height tall high
long length
wide width broad
deep depth
thick thickness
euro eur
yen jpy
age old
store save
folder directory
repo repository
config configuration setting
database db
doc documentation document
app application
prod production
dev development
env environment
auth authentication
info information
max maximum
min minimum
limit cap ceiling
latest newest
previous prior
deploy deployment
rehearse rehearsal
train training
doctorate phd
medicine medication drug
guitar guitarist
piano pianist
drum drummer
violin violinist
bicycle bike cycle
couch sofa
garbage trash rubbish
answer reply respond response
ask request
receive get obtain
arrive arrival
leave depart departure
fly flight
travel trip journey
contain include
consist comprise
wedding marry marriage married
divorce divorced
pupil student
grandmother grandma granny
grandfather grandpa granddad
cinema theater theatre
center centre
lorry truck
lift elevator
underground subway
petrol gasoline
biscuit cookie
trousers pants
football soccer
smartphone cellphone
programmer developer
locate location located situate situated
company firm
colleague coworker
salary wage
pay paid payment
contract agreement
password passphrase
username login
url link
bug defect
approve approval
sign signature
grey gray
beverage drink
tv television telly
pc computer
fridge refrigerator
ad advert advertisement
exam examination
maths math mathematics
lab laboratory
gym gymnasium
plane airplane aeroplane aircraft
postcode zip zipcode
licence license
programme program
organise organize organisation organization
analyse analyze analysis
fulfil fulfill
grow growth
know knowledge
believe belief
decide decision
agree agreement
invent invention
paint painting
compose composition
win victory
lose loss
succeed success
fail failure
visit visitor
supply provide
tell inform
notify notification notice alert
attend attendance
participate participation
quit resign resignation give_up
retire retirement retired
hire recruit
certificate cert
specification spec
administrator admin
parameter param
performance perf
`

const concepts = new Map<string, string>()
for (const line of groups.trim().split("\n")) {
  const [concept, ...others] = line.trim().split(/\s+/)
  if (concept === undefined) continue
  const name = concepts.get(concept) ?? concept
  for (const word of [concept, ...others]) if (!concepts.has(word)) concepts.set(word, name)
}

/** The concept a lemma stands for: itself where no group has it. */
export const conceptOf = (lemma: string): string => concepts.get(lemma) ?? lemma
