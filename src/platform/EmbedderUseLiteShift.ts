/**
 * Where questions lie against statements in the space of USE-lite. The model sets questions apart from statements,
 * whatever they are about, so a question is moved by the difference of the two means over a bank of pairs before it is
 * compared with what is stored. The bank is general on purpose: people, plans, places, machines, code.
 */
import { toUnit } from "./Embedder.ts"

/** A question and a statement that answers it. */
export const questionBank: ReadonlyArray<readonly [question: string, statement: string]> = [
  ["where does anna live now?", "anna lives in lisbon now."],
  ["when is the dentist appointment?", "the dentist appointment is on the third of march at nine."],
  ["what is the name of tom's dog?", "tom's dog is called biscuit."],
  ["who taught you to play the cello?", "my aunt taught me to play the cello."],
  ["why did they cancel the picnic?", "they cancelled the picnic because of the rain."],
  ["how many children does maria have?", "maria has three children."],
  ["what did peter cook for dinner yesterday?", "peter cooked a mushroom risotto for dinner yesterday."],
  ["which book is she reading at the moment?", "she is reading a novel about the sea at the moment."],
  ["does he prefer tea or coffee?", "he prefers tea to coffee."],
  ["how long have they been married?", "they have been married for twelve years."],
  ["what instrument does your neighbour play?", "my neighbour plays the trumpet."],
  ["where did the family go on holiday last summer?", "the family went camping in norway last summer."],
  ["what are you allergic to?", "i am allergic to peanuts."],
  ["when did lucy start her new job?", "lucy started her new job two weeks ago."],
  ["what did the doctor recommend for the back pain?", "the doctor recommended swimming for the back pain."],
  ["who is coming to the birthday party?", "ben and his cousins are coming to the birthday party."],
  ["what would omar like to study?", "omar would like to study architecture."],
  ["how did you feel after the marathon?", "i felt tired but proud after the marathon."],
  ["what kind of car did they buy?", "they bought a small electric car."],
  ["has nina finished the painting?", "nina finished the painting of the harbour on sunday."],
  ["what does grandmother grow in her garden?", "grandmother grows tomatoes and beans in her garden."],
  ["why is he learning japanese?", "he is learning japanese so that he can work in kyoto."],
  ["what hobby did sam take up this year?", "sam took up pottery this year."],
  ["where are the spare keys kept?", "the spare keys are kept in the blue drawer."],
  ["which database does the billing service use?", "the billing service uses a relational database."],
  ["when do we deploy to production?", "we deploy to production on wednesdays after the review."],
  ["what is the timeout of the gateway?", "the timeout of the gateway is thirty seconds."],
  ["who owns the search team's backlog?", "the product manager owns the search team's backlog."],
  ["how are secrets rotated?", "secrets are rotated by a nightly job."],
  ["why was the cache disabled?", "the cache was disabled because it served stale prices."],
  ["what port does the metrics server listen on?", "the metrics server listens on port nine thousand."],
  ["which branch do releases come from?", "releases come from the stable branch."],
  ["how do i run the integration tests?", "the integration tests are run with one make target."],
  ["where are the logs stored?", "the logs are stored in an object bucket for ninety days."],
  ["what caused the outage last friday?", "an expired certificate caused the outage last friday."],
  ["is the old api still supported?", "the old api is no longer supported."],
  ["how large may an upload be?", "an upload may be at most ten megabytes."],
  ["what language is the parser written in?", "the parser is written in rust."],
  ["who approves changes to the schema?", "two maintainers approve every change to the schema."],
  ["what should happen when a payment fails?", "when a payment fails it is tried again after an hour."]
]

/** The mean statement less the mean question, from the vectors of the bank's questions and of its statements. */
export const shiftOf = (
  questions: ReadonlyArray<Float32Array>,
  statements: ReadonlyArray<Float32Array>
): Float32Array => {
  const shift = new Float32Array(statements[0]?.length ?? 0)
  for (const vector of statements) for (let i = 0; i < shift.length; i++) shift[i]! += vector[i]! / statements.length
  for (const vector of questions) for (let i = 0; i < shift.length; i++) shift[i]! -= vector[i]! / questions.length
  return shift
}

/** A question's vector moved to where its answers lie, of unit length again. */
export const shifted = (question: Float32Array, shift: Float32Array): Float32Array => {
  const moved = question.map((x, i) => x + (shift[i] ?? 0))
  return toUnit(moved) ?? question
}
