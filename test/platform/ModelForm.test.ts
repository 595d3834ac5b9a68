/**
 * What becomes of the forms in which models reply, over a real socket and by each protocol: a value or a failure that says
 * what happened, never a value that was not there.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { toWire } from "../../src/kernel/LoomError.ts"
import { LanguageModel } from "../../src/platform/LanguageModel.ts"
import * as OpenAi from "../../src/platform/LanguageModelOpenAi.ts"
import * as Providers from "../../src/platform/LanguageModelProviders.ts"
import { generateAs } from "../../src/platform/ModelForm.ts"
import { formOf } from "../../src/platform/ModelFormSchema.ts"
import * as ModelDress from "../support/ModelDress.ts"
import * as ModelServer from "../support/ModelServer.ts"

const Fact = Schema.Struct({ key: Schema.String, value: Schema.String, sure: Schema.NullOr(Schema.Number) })
const Facts = Schema.Struct({ facts: Schema.Array(Fact) })

const facts = [
  { key: "nadia/pet", value: "Nadia's dog is called Otto.", sure: 0.5 },
  { key: "nadia/town", value: "Nadia lives in Berlin, near \"Ring\".", sure: null }
]
const given = { facts }

const prompt = {
  purpose: "extract",
  scope: { org: "acme", namespace: "team" },
  system: "the rules",
  user: "secret-transcript",
  maxTokens: 500,
  formName: "facts"
} as const

const models = {
  compatible: ({ url }: ModelServer.ModelServer) =>
    OpenAi.layer({ url, key: undefined, model: "small", timeout: "5 seconds" }),
  openai: ({ url }: ModelServer.ModelServer) =>
    Providers.layer({ provider: "openai", url, key: Redacted.make("sk-secret"), model: "small", timeout: "5 seconds" }),
  anthropic: ({ anthropicUrl: url }: ModelServer.ModelServer) =>
    Providers.layer({
      provider: "anthropic",
      url,
      key: Redacted.make("sk-secret"),
      model: "small",
      timeout: "5 seconds"
    })
}

/** A model of the protocol and what it is asked, for a script. */
const rig = (script: ModelServer.Script, protocol: keyof typeof models = "compatible") =>
  Effect.gen(function*() {
    const server = yield* ModelServer.start(script)
    const model = yield* Layer.build(models[protocol](server))
    const ask = Effect.provide(generateAs(Facts, prompt), Context.pick(LanguageModel)(model))
    return { asked: server.asked, script: server.script, ask }
  })

const quiet = Logger.remove(Logger.defaultLogger)
const always = (act: ModelServer.Act): ModelServer.Script => () => act

layer(NodeHttpClient.layerUndici, { excludeTestServices: true })("generateAs", (it) => {
  for (const [how, dress] of Object.entries(ModelDress.whole)) {
    it.scoped(`takes the value out of a reply that is ${how}, in one turn`, () =>
      Effect.gen(function*() {
        const { ask, asked } = yield* rig(always(ModelServer.says(dress(given), { tokensIn: 100, tokensOut: 40 })))
        assert.deepStrictEqual(yield* ask, {
          value: given,
          model: "small-2026",
          tokensIn: 100,
          tokensOut: 40,
          truncated: false,
          repaired: false
        })
        assert.lengthOf(asked, 1)
      }))
  }

  for (const protocol of ["compatible", "openai", "anthropic"] as const) {
    it.scoped(`sends the form and the bound to a server of ${protocol}`, () =>
      Effect.gen(function*() {
        const { ask, asked } = yield* rig(always(ModelServer.gives(given)), protocol)
        assert.deepInclude(yield* ask, { value: given, model: "small-2026", tokensIn: 11, tokensOut: 7 })
        const [question] = asked
        assert.deepInclude(question, {
          system: "the rules",
          user: "secret-transcript",
          maxTokens: 500,
          correction: null
        })
        assert.strictEqual(question?.form?.name, "facts")
        assert.deepStrictEqual<unknown>(question?.form?.schema, formOf("facts", Facts).schema)
        assert.isUndefined(question?.headers["traceparent"])
      }))

    it.scoped(`asks a model of ${protocol} once more when its reply is of another shape`, () =>
      Effect.gen(function*() {
        const { ask, asked } = yield* rig(
          ModelServer.onceCorrected(
            ModelServer.says(ModelDress.misshapen(given)),
            ModelServer.gives(given, { tokensIn: 30, tokensOut: 9 })
          ),
          protocol
        )
        assert.deepInclude(yield* ask, { value: given, repaired: true, truncated: false, tokensIn: 41, tokensOut: 16 })
        const why = asked[1]?.correction?.why ?? ""
        assert.include(why, "`facts.0.key` is not string")
        assert.notInclude(why, "secret")
        assert.lengthOf(asked, 2)
      }))

    it.scoped(`gives up on a model of ${protocol} that goes on so, and says so`, () =>
      Effect.gen(function*() {
        const { ask, asked } = yield* rig(always(ModelServer.says(ModelDress.misshapen(given))), protocol)
        const error = toWire(yield* Effect.flip(ask))
        assert.deepInclude(error, { status: 422 })
        assert.deepInclude(error.body.detail, {
          code: "MODEL_REPLY_UNUSABLE",
          category: "unavailable",
          retryable: false,
          tokens_in: 22,
          tokens_out: 14
        })
        assert.notMatch(JSON.stringify(error), /secret|Berlin|nadia/)
        assert.lengthOf(asked, 2)
      }))

    it.scoped(`is told of a limit by a server of ${protocol}, and when to come again`, () =>
      Effect.gen(function*() {
        const { ask, asked } = yield* rig(always(ModelServer.limits(7)), protocol)
        const error = toWire(yield* Effect.flip(ask).pipe(Effect.provide(quiet)))
        assert.deepInclude(error.body.detail, { code: "OVERLOADED", retry_after_s: 7 })
        assert.lengthOf(asked, 1)
      }))

    const passing = { "500": ModelServer.fails(500), "a broken connection": ModelServer.breaks }
    for (const [what, act] of Object.entries(passing)) {
      it.scoped(`tries a server of ${protocol} again after ${what}, and tells nobody of the prompt`, () =>
        Effect.gen(function*() {
          const lines: Array<unknown> = []
          const { ask, asked, script } = yield* rig(ModelServer.inTurn(act, ModelServer.gives(given)), protocol)
          assert.deepStrictEqual((yield* ask).value, given)
          script(always(act))
          const error = yield* Effect.flip(ask).pipe(
            Effect.provide(
              Logger.replace(Logger.defaultLogger, Logger.map(Logger.structuredLogger, (line) => void lines.push(line)))
            )
          )
          assert.deepInclude(toWire(error), { status: 503 })
          assert.lengthOf(asked, 4)
          assert.lengthOf(lines, 1)
          assert.notMatch(JSON.stringify([lines, toWire(error)]), /secret/)
        }))
    }
  }

  it.scoped("reads what a provider's model says beside the form", () =>
    Effect.gen(function*() {
      for (const [how, dress] of Object.entries(ModelDress.whole)) {
        const { ask, asked } = yield* rig(always(ModelServer.says(dress(given))), "openai")
        assert.deepStrictEqual((yield* ask).value, given, how)
        assert.lengthOf(asked, 1)
      }
    }))

  it.scoped("keeps the whole items of a reply that became too long, and says so", () =>
    Effect.gen(function*() {
      for (const protocol of ["compatible", "openai"] as const) {
        const said = ModelServer.says(ModelDress.truncated("facts", facts), { finish: "length" })
        const { ask, asked } = yield* rig(always(said), protocol)
        assert.deepInclude(yield* ask, { value: { facts: facts.slice(0, 1) }, truncated: true, repaired: false })
        assert.lengthOf(asked, 1)
      }
    }))

  it.scoped("asks once more for a reply that broke off otherwise, and keeps what there is when that fails", () =>
    Effect.gen(function*() {
      const half = ModelServer.says(ModelDress.truncated("facts", facts))
      const { ask, asked, script } = yield* rig(ModelServer.onceCorrected(half, ModelServer.gives(given)))
      assert.deepInclude(yield* ask, { value: given, truncated: false, repaired: true })
      assert.include(asked[1]?.correction?.why, "it broke off before its end")
      for (const then of [half, ModelServer.fails(400), ModelServer.says("Sorry.")]) {
        script(ModelServer.onceCorrected(half, then))
        assert.deepInclude(yield* ask.pipe(Effect.provide(quiet)), {
          value: { facts: facts.slice(0, 1) },
          truncated: true,
          repaired: false
        })
      }
    }))

  it.scoped("takes a bare list for the one list of the form, and the value that fits among several", () =>
    Effect.gen(function*() {
      const { ask, script } = yield* rig(always(ModelServer.gives(facts)))
      assert.deepStrictEqual((yield* ask).value, given)
      script(always(ModelServer.says(
        `By the example {"key": "a", "value": "b", "sure": null, "more": "${"x".repeat(900)}"}: ${
          JSON.stringify(given)
        }`
      )))
      assert.deepStrictEqual((yield* ask).value, given)
    }))

  it.scoped("asks which of several values is meant, and believes a fence", () =>
    Effect.gen(function*() {
      const draft = JSON.stringify({ facts: facts.slice(1) })
      const { ask, asked, script } = yield* rig(ModelServer.onceCorrected(
        ModelServer.says(`At first ${draft}, but then ${JSON.stringify(given)}`),
        ModelServer.gives(given)
      ))
      assert.deepInclude(yield* ask, { value: given, repaired: true })
      assert.include(asked[1]?.correction?.why, "several values")
      script(always(ModelServer.says(`At first ${draft}, but then \`\`\`json\n${JSON.stringify(given)}\n\`\`\``)))
      assert.deepInclude(yield* ask, { value: given, repaired: false })
      script(always(ModelServer.says(`${draft} [] as I said: ${draft}`)))
      assert.deepInclude(yield* ask, { value: { facts: facts.slice(1) }, repaired: false })
    }))

  it.scoped("asks a server that cannot hold to forms in words, and remembers that", () =>
    Effect.gen(function*() {
      for (const status of [400, 422, 404, 501]) {
        const { ask, asked } = yield* rig(always(ModelServer.withoutForms(ModelServer.gives(given), status)))
        assert.deepStrictEqual((yield* ask).value, given)
        assert.deepStrictEqual((yield* ask).value, given)
        assert.deepStrictEqual(asked.map(({ form }) => form === null), [false, true, true])
        assert.include(asked[2]?.system, "JSON Schema")
        assert.notInclude(asked[0]?.system, "JSON Schema")
      }
    }))

  it.scoped("does not take another refusal for one of forms", () =>
    Effect.gen(function*() {
      const { ask, asked, script } = yield* rig(always(ModelServer.fails(400, "too long")))
      assert.strictEqual((yield* Effect.flip(ask).pipe(Effect.provide(quiet)))._tag, "Unavailable")
      assert.lengthOf(asked, 1)
      script(always(ModelServer.fails(404)))
      assert.strictEqual((yield* Effect.flip(ask).pipe(Effect.provide(quiet)))._tag, "Unavailable")
      script(always(ModelServer.gives(given)))
      yield* ask
      assert.isNotNull(asked.at(-1)?.form)
    }))

  it.scoped("makes a worker wait for what passes, and leaves a place to callers", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.start(ModelServer.inTurn(
        ModelServer.fails(503),
        ModelServer.breaks,
        ModelServer.gives(given)
      ))
      const model = yield* Layer.build(models.compatible(server))
      const ask = (patience: "caller" | "worker") =>
        Effect.provide(generateAs(Facts, { ...prompt, patience }), Context.pick(LanguageModel)(model))
      assert.deepStrictEqual((yield* ask("worker")).value, given)
      assert.lengthOf(server.asked, 3)
      server.script(({ turn }) =>
        turn > 13 ? ModelServer.gives(given) : ModelServer.slowly(300, ModelServer.gives(given))
      )
      const workers = yield* Effect.fork(Effect.all(Array.from({ length: 10 }, () => ask("worker")), {
        concurrency: "unbounded"
      }))
      yield* Effect.sleep("100 millis")
      assert.strictEqual(server.mostAtOnce(), 3)
      assert.deepStrictEqual((yield* ask("caller")).value, given)
      assert.strictEqual(workers.unsafePoll(), null)
    }))
})

describe("formOf", () => {
  it("gives what strict servers take", () => {
    const form = formOf(
      "claims",
      Schema.Struct({
        title: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(9)),
        kind: Schema.Literal("a", "b"),
        list: Schema.Array(Schema.Struct({ n: Schema.NullOr(Schema.Int.pipe(Schema.between(1, 3))) })).pipe(
          Schema.maxItems(3)
        )
      })
    )
    assert.deepStrictEqual<unknown>(form, {
      name: "claims",
      schema: {
        type: "object",
        required: ["title", "kind", "list"],
        properties: {
          title: { type: "string", description: "a string at most 9 character(s) long" },
          kind: { type: "string", enum: ["a", "b"] },
          list: {
            type: "array",
            description: "an array of at most 3 item(s)",
            maxItems: 3,
            items: {
              type: "object",
              required: ["n"],
              properties: {
                n: {
                  anyOf: [{ type: "integer", description: "a number between 1 and 3", minimum: 1, maximum: 3 }, {
                    type: "null"
                  }]
                }
              },
              additionalProperties: false
            }
          }
        },
        additionalProperties: false
      }
    })
  })

  it("refuses what they do not take", () => {
    assert.throws(() => formOf("f", Schema.Struct({ a: Schema.optional(Schema.String) })), "`a` may be left out")
    assert.throws(
      () => formOf("f", Schema.Struct({ a: Schema.Record({ key: Schema.String, value: Schema.String }) })),
      "free keys"
    )
    assert.throws(() => formOf("f", Schema.Array(Schema.String)), "is an object")
  })
})
