/** What the rules take for a named thing and what they leave, in several scripts; and what holds for any text. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { canonicalEntity } from "../../src/kernel/NamedThing.ts"
import { MOST_NAMES, namedThings, textOfValue } from "../../src/memory/NamedThings.ts"

type Table = ReadonlyArray<readonly [text: string, names: ReadonlyArray<string>]>

const tables: Record<string, Table> = {
  "marks of code": [
    ["Call `retryPolicy()` before `MemoryStore` is opened.", ["retrypolicy", "memorystore"]],
    ["It lives in `src/api/client.ts` and `client.ts`.", []],
    ["The package `@effect/sql` has a `sql client`.", ["@effect/sql", "sql client"]],
    ["Run `npm run build`, then `git push --force`.", []],
    ["The flag is `a = b` in release `v1.9.2`.", []]
  ],
  identifiers: [
    ["Set MAX_RETRIES and fooBar; the job is us-east-1.", ["max retry", "foobar", "us east 1"]],
    ["We moved from node.js to java.util.List.", ["node.js", "java.util.list"]],
    ["The billing-service talks to redis-cache.", ["billing service", "redis cache"]],
    ["A long-term, well-known, state-of-the-art follow-up.", []],
    ["It failed with ERR_7731, e.g. at night.Then it ran.", ["err 7731"]],
    ["Commit 2fb91ac and 9f8e7d6c5b4a are in v1.10, 10.5 and 3.14.", []],
    ["Read docs/adr/0026.md and https://example.com/Some/Page by ada@example.com", []],
    ["Ask @ada in #ops-alerts about #42.", ["@ada", "#ops alert"]]
  ],
  acronyms: [
    ["The SRE team keeps DNS and S3 behind a VPN.", ["sre", "dns", "s3", "vpn"]],
    ["NEVER do this, it is NOT OK at 10 AM, TODO.", []],
    ["NEVER DEPLOY ON FRIDAYS BECAUSE IT BREAKS", []],
    ["APIs cost 20 EUR; chapter IV.", ["api"]]
  ],
  "runs of capitals": [
    ["Yesterday Ada Lovelace met Dr. Bob Smith.", ["ada lovelace", "bob smith"]],
    ["We studied at the University of California in May.", ["university of california"]],
    ["The Orion release ships on 15 October", ["orion"]],
    ["Deploys happen on Tuesdays.", []],
    ["The payments team owns the billing service.", []],
    ["Paris is lovely. Last spring we went to Paris.", ["paris"]],
    ["Otto likes oat coffee", ["otto"]],
    ["Billing Service's owner is Grace.", ["billing service", "grace"]],
    ["A Guide To Writing Better Status Reports", []],
    ["Ada's Orion is late; O'Brien's is not.", ["orion", "obrien"]],
    ["[8 May 2023] Mira: hey Mel! Good to see you", ["mira", "mel"]]
  ],
  titles: [
    ["\"The Left Hand of Darkness\" is her favourite.", ["left hand of darkness"]],
    ["\"Yes, I agree\", she said. \"no way\"", []],
    ["Она работает в «Яндекс» и живёт в Казани", ["яндекс", "казани"]]
  ],
  "languages with other capitals": [
    ["Die Lieferung geht am Montag an das Lager. Angela Merkel war dort.", ["angela merkel"]],
    ["Marie Curie est née à Varsovie. Hier Paul est venu.", ["marie curie", "varsovie", "paul"]],
    ["El señor García vive en Madrid.", ["garcía", "madrid"]],
    ["De vergadering met Anna Visser is in Utrecht.", ["anna visser", "utrecht"]]
  ],
  "scripts without spaces": [
    ["我和王先生在腾讯公司用 ClickHouse 研究《红楼梦》", ["红楼梦", "clickhouse", "王先生", "腾讯公司"]],
    ["李小明老师在北京大学工作", ["李小明", "北京大学"]],
    ["这家公司很大，今天天气很好", []],
    ["混合检索使用倒数排名融合", []],
    ["田中さんは東京大学で『雪国』を読んだ", ["雪国", "田中", "東京大学"]],
    ["スティーブ・ジョブズがトヨタを訪れた", ["スティーブ・ジョブズ", "トヨタ"]],
    ["この会社は大きい。お客様へ", []],
    ["김민수씨는 서울에 산다. 선생님이 왔다.", ["김민수"]]
  ],
  "scripts without case": [
    ["التقى السيد أحمد بالفريق", ["أحمد"]],
    ["कल श्री मोहन आए थे", ["मोहन"]],
    ["היום מר כהן הגיע", ["כהן"]]
  ]
}

describe("namedThings", () => {
  for (const [name, table] of Object.entries(tables)) {
    it(`finds ${name}`, () => {
      for (const [text, names] of table) assert.sameMembers([...namedThings(text)], [...names], text)
    })
  }

  it("puts first what is marked as a name, then what is named most often", () => {
    assert.deepStrictEqual(
      namedThings("In Oslo we met Ada; Ada uses `orion`, and Ada left."),
      ["orion", "ada", "oslo"]
    )
  })

  it("makes one entity of the forms of one name", () => {
    for (
      const form of [
        "`Billing Services`",
        "`billing service`",
        "billing-service",
        "BILLING_SERVICE",
        "the Billing Service's"
      ]
    ) {
      assert.deepStrictEqual(namedThings(`We restarted ${form} today.`), ["billing service"], form)
    }
  })

  it("names no more things than a row is about", () => {
    const many = Array.from({ length: 60 }, (_, at) => `node_${String.fromCharCode(97 + at % 26)}x${at}`).join(", ")
    assert.strictEqual(namedThings(many).length, MOST_NAMES)
  })

  it("gives canonical forms, each once, of any text, and no numbers", () => {
    const word = FastCheck.constantFrom(
      ..."Ada Berlin the of `code` 12 2026-03-01 v1.9 \"Big Title\" fooBar ERR_1 《书》 王先生 トヨタ 씨 Mr. and\n- NEVER @x # € «Да» "
        .split(" ")
    )
    const text = FastCheck.oneof(
      FastCheck.string({ unit: "binary", maxLength: 200 }),
      FastCheck.array(word, { maxLength: 40 }).map((words) => words.join(" "))
    )
    FastCheck.assert(
      FastCheck.property(text, (text) => {
        const names = namedThings(text)
        assert.strictEqual(new Set(names).size, names.length)
        for (const name of names) {
          assert.strictEqual(canonicalEntity(name), name)
          assert.match(name, /\p{L}/u)
          assert.isAtLeast(Array.from(name).length, 2)
        }
      }),
      { numRuns: 300 }
    )
  })

  it("reads long texts in time that grows with them", () => {
    for (
      const text of [
        "A ".repeat(200_000),
        "`".repeat(100_000),
        "《".repeat(100_000),
        "王".repeat(100_000),
        "a.".repeat(100_000),
        "\"A".repeat(100_000)
      ]
    ) {
      namedThings(text)
    }
  })

  it("reads the texts of a JSON value and none of its keys", () => {
    const value = JSON.stringify({ Zeus: ["In Oslo", { Hera: "with Ada" }], n: 5 })
    assert.deepStrictEqual(namedThings(textOfValue({ value, value_kind: "json" })), ["oslo", "ada"])
    assert.strictEqual(textOfValue({ value: "{\"a\":1}", value_kind: "string" }), "{\"a\":1}")
  })
})
