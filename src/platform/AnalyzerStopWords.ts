/**
 * The English words that say nothing about what a question asks for, as `folded` words without apostrophes, and the
 * one-letter particles of Chinese and Japanese. Used on the query side only: an index that dropped them could not tell
 * "The Who" from nothing. Negations stay out of the list on purpose ("not", "no", "never" change a claim).
 */
const english = `
a an the this that these those there here
i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
myself yourself himself herself itself ourselves themselves
is am are was were be been being isnt arent wasnt werent
do does did doing done have has had having dont doesnt didnt havent hasnt hadnt
will would shall should can could may might must wont wouldnt cant couldnt shouldnt
and or but if so as than then because while
of in on at by for from to into with about over under up out off between through
what which who whom whose when where why how
just also very too any some such own same
`

const particles = "的 了 是 在 和 の は が を に で と も へ"

export const stopWords: ReadonlySet<string> = new Set(`${english} ${particles}`.split(/\s+/).filter((w) => w !== ""))
