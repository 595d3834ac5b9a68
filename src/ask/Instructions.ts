/**
 * Sentences that speak to whoever reads them as a machine would be told what to do. Stored text is data and such a
 * sentence stays data: it is told last, and nothing that a model says may rest on it alone. The shapes below catch the
 * plain cases; what holds for all others is that prompts fence and mark every stored text.
 */
const shapes: ReadonlyArray<RegExp> = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,60}\b(?:instructions?|rules?|prompts?|directions?|guidelines?|policy|policies|context|question|evidence|above|previous|earlier)\b/iu,
  /\b(?:system|developer)\s+(?:prompt|message|instructions?)\b/iu,
  /\byou\s+(?:must|should|will|shall|are\s+(?:to|now|required\s+to))\s+(?:always\s+|only\s+|now\s+)?(?:answer|respond|reply|say|output|print|obey|follow|act|pretend|reveal|ignore|be\s+an?)\b/iu,
  /^\W*(?:please\s+|now\s+|instead[, ]+)?(?:answer|respond|reply|output|print|say|state)\s+(?:only\s+|always\s+|that\s+|with\s+|exactly\s+|the\s+following|["'“])/iu,
  /\b(?:post|send|reveal|print|leak|upload|exfiltrate)\b[^.!?\n]{0,40}\b(?:api[ _-]?keys?|secrets?|passwords?|tokens?|credentials?|system prompt)\b/iu,
  /\b(?:new|updated|real)\s+instructions?\s*:/iu,
  /<\|?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[\/?INST\]/iu
]

export const isInstruction = (text: string): boolean => shapes.some((shape) => shape.test(text))
