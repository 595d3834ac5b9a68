/**
 * Names in scripts without spaces or capitals: what stands in title marks, words in Katakana (which spell foreign names and
 * things), and the word before a form of address or a kind of place or firm. Words are cut by ICU's dictionary; where it
 * leaves a doubt nothing is taken. Pure, linear in the length of the text.
 */
import type { Mention } from "./NamedThingsLexicon.ts"

// As the weights of `NamedThingsSpaced`: marked titles, names by what follows, foreign words.
const weights = { title: 4, suffixed: 3, katakana: 2.5 } as const

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

export const unspacedNames = (text: string): ReadonlyArray<Mention> =>
  eastAsian.test(text) ? [...titles(text), ...katakana(text), ...suffixed(text), ...korean(text)] : []

const titleMarks =
  /[《〈『]([^《》〈〉『』\n]{1,24})[》〉』]|「([\p{Script=Han}\p{Script=Katakana}ーA-Za-z0-9・]{2,12})」/gu

const titles = (text: string): ReadonlyArray<Mention> =>
  Array.from(text.matchAll(titleMarks)).flatMap(({ 1: whole, 2: quoted, index }) => {
    const title = whole ?? quoted ?? ""
    return /[。！？]/u.test(title) ? [] : [{ text: title, at: index + 1, weight: weights.title }]
  })

// Shorter ones are mostly endings and sounds.
const katakanaRun = /[ァ-ヺー]{3,20}(?:・[ァ-ヺー]{2,20}){0,3}/gu

const katakana = (text: string): ReadonlyArray<Mention> =>
  Array.from(
    text.matchAll(katakanaRun),
    ({ 0: found, index }) => ({ text: found, at: index, weight: weights.katakana })
  )

/** What follows a person's name and is no part of it. */
const persons: ReadonlySet<string> = new Set(
  "さん さま 様 氏 君 くん ちゃん 殿 社長 部長 課長 教授 先生 女士 小姐 老师 老師 经理 經理 博士 师傅 同学".split(" ")
)
/** What follows the name of a place, firm or house and is part of it. */
const kinds: ReadonlySet<string> = new Set(
  "市 县 縣 県 省 区 區 町 村 駅 站 大学 大學 学院 公司 集团 集團 银行 銀行 医院 醫院 病院 機場 机场 空港 研究所".split(
    " "
  )
)
/** Words that stand before such an ending and name nobody. */
const plain: ReadonlySet<string> = new Set(
  `我 你 他 她 您 它 我们 你们 他们 她们 我們 這 这 那 这个 那个 这家 那家 一家 一个 一位 各位 每位 某 某个 该 本 贵 各 全 大 小 新 老 旧 好 和 与 跟 及
  的 是 在 有 去 到 了 对 给 叫 请 问 让 被 把 从 向 为 所 其 两 三 几 多 同 都 也 就 还 又 很 最 目前 现在 今天 昨天 明天 公司 学校 客户 用户 城 都
  お客 皆 神 奥 子供 同 当 弊 御 母 父 兄 姉 お 何 誰 前 次 今 駅 市 私 僕 俺 彼 彼女 自分 一 二 東 西 南 北 国 外国 地 投资 商业 中央 医 综合 附属`
    .split(/\s+/)
)

let segmenter: Intl.Segmenter | undefined

// ICU's search is worse than linear: a run is cut where it is longer.
const longestRun = 200
const runs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu
const isNoun = /^[\p{Script=Han}]{1,4}$|^[\p{Script=Katakana}ー]{2,20}$/u
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u

const suffixed = (text: string): ReadonlyArray<Mention> => {
  segmenter ??= new Intl.Segmenter("ja", { granularity: "word" })
  const cut = segmenter
  return Array.from(text.matchAll(runs)).flatMap(({ 0: run, index }) => {
    const words = Array.from(cut.segment(run.slice(0, longestRun)), ({ index, segment }) => ({ index, segment }))
    return words.flatMap(({ index: at, segment }, place): ReadonlyArray<Mention> => {
      if (!persons.has(segment) && !kinds.has(segment)) return []
      const name = nameBefore(
        words.slice(0, place).map((word) => word.segment),
        persons.has(segment) && !kana.test(run)
      )
      if (!isNoun.test(name) || plain.has(name)) return []
      const start = index + at - name.length
      if (persons.has(segment)) {
        // One letter is a Chinese family name, which its address belongs to: 王先生.
        const isShort = Array.from(name).length === 1
        return [{ text: isShort ? `${name}${segment}` : name, at: start, weight: weights.suffixed }]
      }
      return Array.from(name).length >= 2
        ? [{ text: `${name}${segment}`, at: start, weight: weights.suffixed }]
        : []
    })
  })
}

// Family and given name together.
const longestFull = 3
const isHan = /^\p{Script=Han}$/u

/**
 * The word that ends a list of words, with the single letters before it where it is one itself: a name that the dictionary
 * lacks falls into its letters. Of a Chinese person the family name in front belongs to it too.
 */
const nameBefore = (words: ReadonlyArray<string>, isChinese: boolean): string => {
  let name = words[words.length - 1] ?? ""
  if (plain.has(name)) return name
  for (let at = words.length - 2; at >= 0; at--) {
    const word = words[at] ?? ""
    const isPart = isHan.test(word) && !plain.has(word) && Array.from(name).length < longestFull &&
      (isHan.test(words[at + 1] ?? "") || isChinese)
    if (!isPart) return name
    name = word + name
  }
  return name
}

const koreanName =
  /(?<!\p{Script=Hangul})([\p{Script=Hangul}]{2,4})\s?(?:씨|님)(?=[이가은는을를의과와도에께]|[^\p{Script=Hangul}]|$)/gu
const koreanRoles: ReadonlySet<string> = new Set(
  "선생 고객 손 부모 사장 부장 과장 팀장 대표 교수 회원 아버 어머 형 누 스승 임금 아저 아가 솜 날 글 불 말 마음".split(
    " "
  )
)

const korean = (text: string): ReadonlyArray<Mention> =>
  Array.from(text.matchAll(koreanName)).flatMap(({ 1: name = "", index }) =>
    koreanRoles.has(name) ? [] : [{ text: name, at: index, weight: weights.suffixed }]
  )
