/**
 * What a language model takes, over HTTP: counted for its namespace, told to who may know it, bounded by a budget beyond
 * which answers are quotes again, and asked once for the same thing where answers are kept.
 */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryAsk } from "../../src/ask/AskVerbs.ts"
import { MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { ModelUsage } from "../../src/ops/ModelVerbs.ts"
import { freshNamespace, ok, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"
import * as ModelServer from "../support/ModelServer.ts"
import { layerTokens, mint, Tokens } from "./Tokens.ts"

class Model extends Context.Tag("loom/test/cases/Model")<Model, ModelServer.ModelServer>() {}

const answer = "Deploys happen on Tuesdays [1]."
const layerModel = Layer.scoped(Model, ModelServer.start(() => ModelServer.says(answer)))

const layerServer = (env: (model: ModelServer.ModelServer) => Readonly<Record<string, string>>) =>
  Layer.unwrapEffect(
    Effect.map(Model, (model) => LoomServer.layer({ LOOM_LLM_MODEL: "small", LOOM_LOG_LEVEL: "DEBUG", ...env(model) }))
  ).pipe(
    Layer.provideMerge(layerModel)
  )

const layerTeam = Layer.provideMerge(
  layerTokens,
  layerServer(({ url }) => ({
    LOOM_MODE: "team",
    LOOM_LLM_URL: url,
    LOOM_LLM_TOKENS_PER_DAY: "400",
    LOOM_LLM_PRICE_IN: "2",
    LOOM_LLM_PRICE_OUT: "10",
    LOOM_LLM_CACHE: "true"
  }))
)

const house = (token: string, namespace = freshNamespace()) => ({
  namespace,
  remember: ok(MemorySet, { namespace, memory_key: "deploys", value: "Deploys happen on Tuesdays." }, { token }),
  ask: (query: string) => ok(MemoryAsk, { namespace, query }, { token }),
  usage: (as = token) => ok(ModelUsage, { namespace }, { token: as })
})

layer(layerTeam, { excludeTestServices: true, timeout: 90_000 })("model.usage", (it) => {
  it.effect("tells calls, tokens and cost by day and purpose to who reads the namespace", () =>
    Effect.gen(function*() {
      const { admin, other, reader } = yield* Tokens
      const { ask, namespace, remember, usage } = house(admin)
      yield* remember
      assert.deepInclude(yield* usage(), { namespace, model: "small", usage: [], tokens_per_day: 400 })
      assert.strictEqual((yield* ask("On which days do deploys happen?")).source, "synthesis")
      assert.strictEqual((yield* ask("When do deploys happen?")).source, "synthesis")
      const seen = yield* usage(reader)
      const counts = { calls: 2, failed: 0, tokens_in: 22, tokens_out: 14, cost: 0.000184 }
      assert.deepStrictEqual(seen, {
        org: "acme",
        namespace,
        model: "small",
        usage: [{ day: seen.usage[0]?.day ?? "", purpose: "ask", model: "small", ...counts }],
        total: counts,
        tokens_per_day: 400,
        tokens_left_today: 400 - 36
      })
      assert.match(seen.usage[0]?.day ?? "", /^\d{4}-\d{2}-\d{2}$/)
      const all = yield* ok(ModelUsage, {}, { token: admin })
      assert.deepInclude(all, { org: "acme", namespace: null, tokens_left_today: null })
      assert.isAtLeast(all.total.calls, 2)
      assert.deepInclude(yield* ok(ModelUsage, {}, { token: other }), { org: "globex", usage: [] })
      assert.deepInclude(yield* ok(ModelUsage, { namespace, days: 1 }, { token: other }), { usage: [] })
    }))

  it.effect("tells nothing to who may not know", () =>
    Effect.gen(function*() {
      const { ada, admin } = yield* Tokens
      const { namespace } = house(admin)
      const narrow = yield* mint(admin, { org: "acme", role: "admin", subject: "narrow", namespaces: ["elsewhere"] })
      const refused = (token: string, body: object) =>
        Effect.map(refusal("model.usage", body, { token }), ({ code }) => code)
      assert.strictEqual(yield* refused(ada, { namespace }), "FORBIDDEN")
      assert.strictEqual(yield* refused(narrow, { namespace }), "FORBIDDEN")
      assert.deepInclude(yield* ok(ModelUsage, {}, { token: narrow }), { usage: [] })
      assert.strictEqual(yield* refused(admin, { namespace, days: 0 }), "INVALID_ARGUMENT")
    }))

  it.effect("quotes again when the namespace has taken its tokens of the day, and no other namespace does", () =>
    Effect.gen(function*() {
      const model = yield* Model
      const { admin } = yield* Tokens
      const { ask, remember, usage } = house(admin)
      yield* remember
      model.script(() => ModelServer.says(answer, { tokensIn: 300, tokensOut: 150 }))
      assert.strictEqual((yield* ask("On which days do deploys happen?")).source, "synthesis")
      const asked = model.asked.length
      assert.deepInclude(yield* ask("When do deploys happen?"), {
        answer: "Deploys happen on Tuesdays.",
        source: "extractive",
        degraded: ["language_model_unavailable"]
      })
      assert.lengthOf(model.asked, asked)
      assert.strictEqual((yield* usage()).tokens_left_today, 0)
      const neighbour = house(admin)
      yield* neighbour.remember
      assert.strictEqual((yield* neighbour.ask("When do deploys happen?")).source, "synthesis")
    }))

  it.effect("asks once for the same thing where answers are kept", () =>
    Effect.gen(function*() {
      const model = yield* Model
      const { admin } = yield* Tokens
      const { ask, remember, usage } = house(admin)
      yield* remember
      model.script(() => ModelServer.says(answer))
      const first = yield* ask("On which days do deploys happen?")
      const asked = model.asked.length
      assert.deepInclude(yield* ask("On which days do deploys happen?"), {
        answer: first.answer,
        source: "synthesis",
        synth_model: "small-2026"
      })
      assert.lengthOf(model.asked, asked)
      assert.strictEqual((yield* usage()).total.calls, 1)
    }))
})

const layerAnthropic = layerServer(({ anthropicUrl }) => ({
  LOOM_LLM_PROVIDER: "anthropic",
  LOOM_LLM_URL: anthropicUrl,
  LOOM_LLM_API_KEY: "sk-secret"
}))

layer(layerAnthropic, { excludeTestServices: true, timeout: 90_000 })("memory.ask with a provider's model", (it) => {
  it.effect("asks by the provider's protocol, and logs nothing of it", () =>
    Effect.gen(function*() {
      const model = yield* Model
      const { log } = yield* LoomServer.LoomServer
      const namespace = freshNamespace()
      yield* ok(MemorySet, { namespace, memory_key: "deploys", value: "Deploys happen on Tuesdays." })
      const query = "On which days do deploys happen?"
      assert.deepInclude(yield* ok(MemoryAsk, { namespace, query }), { source: "synthesis", synth_model: "small-2026" })
      assert.deepInclude(model.asked[0], { protocol: "messages", model: "small", form: null })
      assert.strictEqual(model.asked[0]?.headers["x-api-key"], "sk-secret")
      model.script(() => ModelServer.fails(500, "SENTINEL"))
      assert.strictEqual((yield* ok(MemoryAsk, { namespace, query })).source, "extractive")
      assert.notMatch(log(), /sk-secret|SENTINEL|Deploys happen on Tuesdays/)
      assert.deepInclude(yield* ok(ModelUsage, { namespace }), { tokens_per_day: null, tokens_left_today: null })
      const { total } = yield* ok(ModelUsage, { namespace })
      assert.deepInclude(total, { calls: 2, failed: 1, tokens_in: 11, tokens_out: 7, cost: null })
    }))
})
