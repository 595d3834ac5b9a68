import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { commandsWithExamples } from "../../services/cli/HelpExamples.ts"
import { loom } from "./CliHouse.ts"

const usageFault = (args: ReadonlyArray<string>, words: RegExp) =>
  Effect.gen(function*() {
    const { code, stderr, stdout } = yield* loom(args)
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, words)
    assert.strictEqual(stderr.trimEnd().split("\n").length, 1, stderr)
  })

describe("loom --help", () => {
  it.effect("lists every command with what it does", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* loom([])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.strictEqual((yield* loom(["--help"])).stdout, stdout)
      const listed = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map((match) => match[1])
      assert.deepStrictEqual(listed, commandsWithExamples.filter((name) => !name.includes(" ")))
    }))

  it.effect("explains each command with its whole path, options and examples, without colours", () =>
    Effect.forEach(commandsWithExamples, (name) =>
      Effect.gen(function*() {
        const { code, stdout } = yield* loom([...name.split(" "), "--help"])
        assert.strictEqual(code, 0)
        assert.include(stdout, `Usage: loom ${name}`)
        assert.match(stdout, /\nExamples:\n {2}\S/)
        assert.notMatch(stdout, /\u001b|user-defined|\n\n\n/)
        // Every example names its own command.
        assert.include(stdout.slice(stdout.indexOf("\nExamples:")), `loom ${name.split(" ")[0]}`)
      })))

  it.effect("loom mint-token shows what it needs without brackets, also where the environment may stand for it", () =>
    Effect.map(
      loom(["mint-token", "--help"]),
      ({ stdout }) =>
        assert.match(
          stdout,
          /^Usage: loom mint-token --org name --namespaces names\S* \[--role .*\] --subject name \[/m
        )
    ))

  it.effect("loom import alone shows its formats", () =>
    Effect.map(loom(["import"]), ({ code, stdout }) => {
      assert.strictEqual(code, 0)
      assert.match(stdout, /jsonl[^]*locomo/)
    }))

  it.effect("--version is the version alone", () =>
    Effect.map(loom(["--version"]), ({ stdout }) => assert.match(stdout, /^\d+\.\d+\.\d+\n$/)))
})

describe("a wrong command line", () => {
  it.effect("is told once and ends with 2", () =>
    Effect.gen(function*() {
      yield* usageFault(["nope"], /^loom: Invalid subcommand/)
      yield* usageFault(["health", "--nope"], /--nope/)
      yield* usageFault(["health", "extra"], /extra/)
      yield* usageFault(["mint-token"], /--org/)
      yield* usageFault(["mint-token", "--org", "a", "--subject", "s"], /--namespaces/)
      yield* usageFault(
        ["mint-token", "--org", "a", "--subject", "s", "--expires", "soon"],
        /--expires takes a lifetime/
      )
      yield* usageFault(["call", "memory.set", "{bad"], /position 1/)
      yield* usageFault(["call", "memory.list", "limit=many"], /limit is a number/)
      yield* usageFault(["call", "memory.get", "--nope"], /no option --nope/)
      yield* usageFault(["import", "jsonl", "/nowhere/at.all"], /is not there/)
      yield* usageFault(["import", "jsonl", "-", "--batch", "501"], /--batch takes 1 to 500/)
    }))

  it.effect("is one JSON object with --json", () =>
    Effect.map(loom(["health", "--nope", "--json"]), ({ code, stdout }) => {
      assert.strictEqual(code, 2)
      const { detail } = JSON.parse(stdout)
      assert.strictEqual(detail.code, "USAGE")
      assert.include(detail.message, "--nope")
    }))
})

describe("a wrong configuration", () => {
  it.effect("is told whole, in one line, before anything starts", () =>
    Effect.gen(function*() {
      const env = { LOOM_MODE: "both", LOOM_EMBEDDER: "none", LOOM_LOG_LEVEL: "loud", LOOM_DATA: "/nowhere" }
      const { code, stderr, stdout } = yield* loom(["serve", "--port", "many"], { env })
      assert.deepStrictEqual([code, stdout], [2, ""])
      for (const name of ["--port", "LOOM_MODE", "LOOM_EMBEDDER", "LOOM_LOG_LEVEL"]) assert.include(stderr, `${name}: `)
      assert.notInclude(stderr, "is missing")
      assert.strictEqual(stderr.trimEnd().split("\n").length, 1, stderr)
    }))

  it.effect("is told whole whichever part of the server reads it", () =>
    Effect.gen(function*() {
      const env = {
        LOOM_SEARCH_GATE: "7",
        LOOM_LLM_URL: "http://x",
        LOOM_CONFLICT_THRESHOLD: "3",
        LOOM_MEMORY_SEARCH_TRUST_WEIGHT: "9",
        LOOM_MEMORY_SENSITIVITY_AUTODETECT: "perhaps",
        LOOM_DATA: "/nowhere"
      }
      const { code, stderr } = yield* loom(["serve"], { env })
      assert.strictEqual(code, 2)
      for (const name of Object.keys(env).filter((name) => name !== "LOOM_LLM_URL" && name !== "LOOM_DATA")) {
        assert.include(stderr, `${name}: `)
      }
      assert.include(stderr, "LOOM_LLM_MODEL: needed with LOOM_LLM_URL")
      assert.strictEqual(stderr.trimEnd().split("\n").length, 1, stderr)
    }))

  it.effect("names an address that needs team mode", () =>
    Effect.map(loom(["serve", "--host", "0.0.0.0", "--data", "/nowhere"]), ({ code, stderr }) => {
      assert.strictEqual(code, 2)
      assert.match(stderr, /0\.0\.0\.0.*--mode team/)
    }))

  it.effect("an address that answers nothing ends with 5", () =>
    Effect.gen(function*() {
      const env = { LOOM_BASE_URL: "http://127.0.0.1:1" }
      const { code, stderr } = yield* loom(["health"], { env })
      assert.strictEqual(code, 5)
      assert.match(stderr, /No server answers at http:\/\/127\.0\.0\.1:1\. Start one with `loom serve`/)
      const verbs = yield* loom(["verbs"], { env })
      assert.strictEqual(verbs.code, 0)
      assert.include(verbs.stdout, "memory.set")
      assert.include(verbs.stderr, "verbs of this build")
    }))
})
