/**
 * What somebody asks to forget: an order to forget, or to delete what he said or what is remembered of something. An idiom
 * ("forget it"), a memory of his own ("I forgot") and its opposite ("don't forget") ask for nothing. English, and the
 * plainest German, French and Spanish. Pure.
 */
import type { Sentence } from "./SpokenText.ts"

const politely =
  "(?:please |kindly |also |and |then |now |bitte |s'il te plaît |por favor |can you |could you |would you |will you |you can |you should |i want you to |i'd like you to )*"
const remembered =
  "(?:what (?:i|we) (?:said|told you|mentioned|wrote|shared)|everything (?:i said|i told you|you know|you remember|you have)?|anything (?:i said|i told you|you know|you remember|you have)?|all (?:memories|memory|information|facts|notes|you know)?|the (?:memory|memories|fact|facts|note|notes|information|info|part)|(?:any|my|your) (?:memory|memories|notes?|records?|information)) ?(?:about|of|on|that|regarding|concerning|where|from)? ?"

const patterns: ReadonlyArray<RegExp> = [
  new RegExp(`^${politely}(?:forget|unlearn|disregard) ${remembered}(.+)$`, "iu"),
  new RegExp(`^${politely}(?:forget|unlearn) (?:that|about) (.+)$`, "iu"),
  new RegExp(`^${politely}forget (my .+)$`, "iu"),
  new RegExp(`^${politely}(?:delete|remove|erase|wipe|clear|drop) ${remembered}(.+)$`, "iu"),
  new RegExp(`^${politely}(?:delete|remove|erase) (.+?) from (?:your |the )?(?:memory|memories|records?)$`, "iu"),
  new RegExp(`^${politely}(?:do not|don't|stop) remember(?:ing)? (?:that |about )?(.+)$`, "iu"),
  new RegExp(
    `^${politely}(?:vergiss|vergessen sie|lösche?n?(?: sie)?),? (?:bitte,? )?(?:alles,? )?(?:(?:dass|was ich (?:über|von)|über) )?(.+?)(?: gesagt habe)?$`,
    "iu"
  ),
  new RegExp(
    `^${politely}(?:oublie|oubliez|efface|supprime) (?:tout )?(?:ce que j'ai dit (?:sur|de) |que )?(.+)$`,
    "iu"
  ),
  new RegExp(
    `^${politely}(?:olvida|olvide|borra|elimina) (?:todo )?(?:lo que (?:dije|te dije) (?:sobre|de) |que )?(.+)$`,
    "iu"
  )
]

// "Forget about it", "forget that": nobody means a memory by it.
const idiom =
  /^(?:it|that|this|them|him|her|you|me|us|all that|all this|about it|es|das|ça|cela|eso|esto|to|everything|todo|tout|alles)[\s.!,]*$/iu

/** What a sentence asks to forget, in its speaker's words; null when it asks for nothing. */
export const forgetOf = ({ end, text }: Sentence): string | null => {
  const plain = text.replace(/[’‘]/g, "'").replace(/^[\s,]+/, "")
  if (end === "?" && !/^(?:can|could|would|will) you/i.test(plain)) return null
  for (const pattern of patterns) {
    const what = pattern.exec(plain)?.[1]?.replace(/[\s,.;:!?]+(?:please|bitte|por favor)?$/iu, "").trim() ?? ""
    if (what !== "" && !idiom.test(what) && /\p{L}{2}/u.test(what)) return what
  }
  return null
}
