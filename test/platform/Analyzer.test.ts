import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { folded, indexTerms, lemmas, lowered, queryTerms, stems, words } from "../../src/platform/Analyzer.ts"

const check = (property: FastCheck.IProperty<[string]>) => FastCheck.assert(property, { numRuns: 500 })
// Whole code points and, in `anyUnits`, lone surrogates too.
const anyText = FastCheck.fullUnicodeString({ maxLength: 60 })
const anyUnits = FastCheck.string16bits({ maxLength: 60 })
const has = (text: string, ...wanted: ReadonlyArray<string>) => {
  const found = words(text)
  for (const word of wanted) assert.include(found, word, `words of ${JSON.stringify(text)}`)
}

describe("lowered and folded", () => {
  const table: ReadonlyArray<readonly [text: string, lower: string, plain: string]> = [
    ["Straße STRASSE ẞ", "strasse strasse ss", "strasse strasse ss"],
    ["İstanbul ISPARTA ılık", "istanbul isparta ilik", "istanbul isparta ilik"],
    ["ΟΔΟΣ οδος", "οδοσ οδοσ", "οδοσ οδοσ"],
    ["ﬁne Ｆｕｌｌ Kelvin", "fine full kelvin", "fine full kelvin"],
    ["Café Müller naïve", "café müller naïve", "cafe muller naive"],
    ["Łódź Søren Đà Nẵng", "łódź søren đà nẵng", "lodz soren da nang"],
    ["ёлка май", "ёлка май", "елка май"],
    ["\u1e02\u05a2", "\u1e03\u05a2", "b"],
    ["が ガ 한국", "が ガ 한국", "が ガ 한국"],
    ["हिन्दी", "हिन्दी", "हिन्दी"]
  ]
  for (const [text, lower, plain] of table) {
    it(text, () => {
      assert.strictEqual(lowered(text), lower)
      assert.strictEqual(folded(text), plain)
    })
  }

  it("give the same again when applied twice", () => {
    check(FastCheck.property(anyUnits, (text) => {
      assert.strictEqual(lowered(lowered(text)), lowered(text))
      assert.strictEqual(folded(folded(text)), folded(text))
    }))
  })
})

describe("words", () => {
  it("keeps names whole and gives their parts", () => {
    has("failed with ERR_7731", "err_7731", "err", "7731")
    has("since v1.9.", "v1.9", "1.9")
    has("us-east-1", "us-east-1", "us", "east", "1")
    has("checkout-api's pods", "checkout-api", "checkout", "api", "pods")
    has("foo_bar a::b", "foo_bar", "foo", "bar", "a::b", "a", "b")
    has("HERON-77", "heron-77", "heron", "77")
    has("e-mail", "e-mail", "email", "mail")
    has("at 27:10", "27:10", "27", "10")
    has("fixed in 3f2a9c1de4b", "3f2a9c1de4b", "3f2a9c1")
    has("C++ and C#, not C", "c++", "c#", "c")
    has("https://example.com/a_b", "example", "com", "a", "b")
    has("getUserName", "getusername", "get", "user", "name")
    has("15GB for 1,000 users", "15gb", "15", "gb", "1000")
    has("10.0.0.1:8080", "10.0.0.1", "8080")
    has("O’Brien doesn't", "obrien", "doesnt")
    assert.deepStrictEqual(words("Alice's we’ll"), ["alice", "we"])
  })

  it("does not confuse C, C++ and C#", () => {
    assert.deepStrictEqual(words("C++"), ["c++"])
    assert.deepStrictEqual(words("C#"), ["c#"])
    assert.deepStrictEqual(words("C."), ["c"])
  })

  it("finds words inside Chinese, Japanese, Korean and Thai", () => {
    has("混合检索使用倒数排名融合", ...words("检索"), ...words("排名"))
    has("東京タワーに行きました", ...words("東京"), "タワ", "ワー")
    has("서울에서 만나요", ...words("서울"))
    has("ฉันเรียนภาษาไทย", ...words("ภาษาไทย"))
    has("iPhone手机壳", "iphone", "手机")
  })

  it("loses no pair where a long run is cut", () => {
    const run = Array.from({ length: 500 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("")
    const found = new Set(words(run))
    for (let i = 0; i + 1 < run.length; i++) assert.isTrue(found.has(run.slice(i, i + 2)), `pair ${i}`)
  })

  it("strips Arabic and Hebrew points for matching", () => {
    assert.deepStrictEqual(stems("العَرَبِيَّة"), stems("العربية"))
    assert.deepStrictEqual(stems("שָׁלוֹם"), stems("שלום"))
  })

  it("skips emoji and tolerates lone surrogates", () => {
    assert.deepStrictEqual(words("😀 ❤️ 👩‍💻"), [])
    assert.deepStrictEqual(words("a\ud800b \udc00"), ["a", "b"])
    assert.deepStrictEqual(words("soft\u00adhyphen zero\u200bwidth"), ["softhyphen", "zero", "width"])
  })

  it("gives no empty, spaced or upper-case word for any text", () => {
    check(FastCheck.property(anyUnits, (text) => {
      for (const word of words(text)) {
        assert.notStrictEqual(word, "")
        assert.isFalse(/\s/.test(word))
        assert.strictEqual(lowered(word), word)
      }
    }))
  })

  it("finds a text by itself and by its upper case", () => {
    check(FastCheck.property(anyText, (text) => {
      const index = new Set(stems(text))
      for (const stem of queryTerms(text).stems) assert.isTrue(index.has(stem))
    }))
    check(FastCheck.property(FastCheck.stringMatching(/^[a-zäöüß' -]{0,40}$/), (text) => {
      assert.deepStrictEqual(stems(text.toUpperCase()), stems(text))
    }))
  })

  it("takes linear time on a long text of one thing", () => {
    // Processor time, since others may be busy: linear work takes a tenth of a second, a square of it minutes.
    const things = [
      "a",
      "a-",
      "1.",
      "a'",
      "检",
      "ภ",
      "\u0301",
      "🙂",
      "\ud800",
      " ",
      "-a",
      "C++",
      "deadbeef1 ",
      "\n",
      "ß"
    ]
    for (const thing of things) {
      const text = thing.repeat(200_000 / thing.length)
      const start = process.cpuUsage()
      indexTerms(text)
      assert.isBelow(process.cpuUsage(start).user / 1000, 3_000, JSON.stringify(thing))
    }
    assert.lengthOf(words("a".repeat(1_000_000)).filter((word) => word.length > 128), 0)
  }, 60_000)
})

describe("stems, lemmas and queryTerms", () => {
  const families = [
    ["study", "studies", "studied", "studying"],
    ["go", "goes", "went", "going"],
    ["leaf", "leaves"],
    ["index", "indices", "indexes"],
    ["deploy", "deploys", "deployed", "deploying", "deployments"],
    ["child", "children"],
    ["cache", "caches", "cached"]
  ]
  for (const family of families) {
    it(`${family[0]} is found by each of its forms`, () => {
      for (const form of family) {
        for (const other of family) {
          const index = indexTerms(other)
          const query = queryTerms(form)
          const found = query.stems.some((stem) => index.stems.includes(stem)) ||
            query.lemmas.some((lemma) => index.lemmas.includes(lemma))
          assert.isTrue(found, `${form} finds ${other}`)
        }
      }
    })
  }

  it("does not stem names, numbers and system names", () => {
    assert.deepStrictEqual(stems("v1.9 err_7731s").slice(0, 2), ["v1.9", "1.9"])
    assert.include(stems("err_7731s"), "err_7731s")
    assert.deepStrictEqual(lemmas("kubernetes redis dns"), ["kubernetes", "redis", "dns"])
  })

  it("takes the words of JavaScript objects as words", () => {
    assert.deepStrictEqual(lemmas("constructor"), ["constructor"])
    assert.include(lemmas("constructors prototype valueOf hasOwnProperty __proto__"), "constructor")
  })

  it("leaves stop words out of a question, unless there is nothing else", () => {
    assert.deepStrictEqual(queryTerms("When is the deploy of the checkout-api?").stems, [
      "deploy",
      "checkout-api",
      "checkout",
      "api"
    ])
    assert.deepStrictEqual(queryTerms("Who are you?").stems, ["who", "ar", "you"])
    assert.deepStrictEqual(queryTerms("not ready").stems, ["not", "readi"])
    assert.deepStrictEqual(queryTerms("?!"), { stems: [], lemmas: [] })
    check(FastCheck.property(anyText, (text) => {
      assert.strictEqual(queryTerms(text).stems.length > 0, words(text).length > 0)
      assert.strictEqual(queryTerms(text).lemmas.length > 0, words(text).length > 0)
    }))
  })

  it("gives the same as its parts in one cut", () => {
    check(FastCheck.property(anyText, (text) => {
      assert.deepStrictEqual(indexTerms(text), { words: words(text), stems: stems(text), lemmas: lemmas(text) })
    }))
  })
})
