/**
 * Whether a sentence states something: a question, a condition, a guess, a wish, what somebody else said and a joke that says
 * so are no statements of its speaker. The whole sentence counts, since what one word takes back is not worth the risk. Pure.
 */
import type { Sentence } from "./SpokenText.ts"

export type Stance = "stated" | "question" | "hypothetical" | "reported" | "joke"

const word = (source: string): RegExp => new RegExp(`(?<![\\p{L}'])(?:${source})(?![\\p{L}])`, "iu")

// They make all of their sentence unreal.
const unreal = word(
  [
    "if|unless|whether|wish|wishes|wished|imagine|suppose|supposing|assume|assuming|pretend|pretending|hypothetically|theoretically",
    "as though|dreamed|dreamt|in (?:my|a) dream|fantasi[sz]e|wenn|falls|würde|hätte|wäre|si|ojalá|voudrais|aimerais"
  ].join("|")
)
// They make the clause they stand in or before unsure, and nothing behind it.
const unsure = word(
  [
    "would|wouldn't|could|couldn't|might|(?<!in |of |since |last |next |this |early |late |mid |\\d )may(?= \\p{L})|should|shouldn't",
    "\\p{L}+'d|i hope|we hope|am hoping|'m hoping|hopefully|maybe|perhaps|probably|possibly|presumably|supposedly|apparently|seemingly",
    "i think|i guess|i believe|i bet|i doubt|i'm not sure|not sure|no idea|feels? like|seems?|seemed|supposed to|thinking (?:of|about)",
    "thought (?:of|about|i)|considering|tempted|vielleicht|wahrscheinlich|könnte|glaube|hoffe|hoffentlich|peut-être|pourrais",
    "serait|espère|quizás|quizá|tal vez|podría|gustaría|creo|espero"
  ].join("|")
)
const reported = word(
  [
    "said|says|saying|tells?|told|asked|asks|claims?|claimed|mentioned|mentions|replied|quoted?|quotes|according to|heard|rumou?rs?",
    "(?:read|wrote|thinks|believes|insists|insisted|argues|argued|swears|joked) (?:that|about how|i)|the article|the news",
    "sagte?|sagt|meint|laut|gehört|dit|disait|selon|dijo|dice|según"
  ].join("|")
)
const joke = word(
  "just kidding|kidding|kiddin|jk|j/k|joking|just a joke|april fools?'?|sarcasm|not really|as if|yeah right|scherz|ironie|je plaisante|es broma"
)

export const stanceOf = ({ end, text }: Sentence): Stance =>
  end === "?"
    ? "question"
    : joke.test(text)
    ? "joke"
    : reported.test(text) || text.includes("\u0000")
    ? "reported"
    : unreal.test(text)
    ? "hypothetical"
    : "stated"

/** A turn that takes itself back as a joke states nothing at all. */
export const isJoke = (sentences: ReadonlyArray<Sentence>): boolean =>
  sentences.some(({ text }) => joke.test(text) && !/not really|as if/i.test(text))

/** Whether a guess or a condition stands in what was heard until the end of a clause. */
export const isUnsure = (heard: string): boolean => unsure.test(heard)
