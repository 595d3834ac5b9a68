/** What leaves by a span and a log line, at a double that speaks OTLP over HTTP in JSON. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import { refuse, Unavailable } from "../../src/kernel/LoomError.ts"
import * as OtlpTracer from "../../src/platform/OtlpTracer.ts"
import * as Telemetry from "../../src/platform/Telemetry.ts"
import { linesIn, spansIn } from "../support/Collector.ts"
import type { Exported } from "../support/Collector.ts"
import * as JsonServer from "../support/JsonServer.ts"

const SECRET = "the-secret-of-ada"

const settings = (port: number, more: Partial<Telemetry.TelemetrySettings> = {}): Telemetry.TelemetrySettings => ({
  url: Option.some(new URL(`http://127.0.0.1:${port}/otlp/`)),
  headers: Redacted.make([["x-api-key", "of-the-collector"]]),
  service: "toys",
  resource: [["deployment.environment", "test"]],
  sample: 1,
  ...more
})

const teller = { role: "runner", version: "1.2.3", instance: "7" }

const collector = JsonServer.start<Exported>((_, response) => response.end("{}"))

/** Runs something under a collector, which has all of it afterwards. */
const traced = <A, E>(program: Effect.Effect<A, E>, more: Partial<Telemetry.TelemetrySettings> = {}) =>
  Effect.gen(function*() {
    const { asked, port } = yield* collector
    const exit = yield* Effect.exit(
      Effect.provide(
        program,
        Layer.provideMerge(Telemetry.layer(settings(port, more), teller), Logger.remove(Logger.defaultLogger))
      )
    )
    return { asked, exit, spans: spansIn(asked), lines: linesIn(asked), text: JSON.stringify(asked) }
  })

describe("traces over OTLP", () => {
  it.scopedLive("tell what was done, how long and under which code, and nothing of a tenant", () =>
    Effect.gen(function*() {
      const inner = Effect.fail(refuse("LOCKED", `The memory ${SECRET} is locked`, { key: SECRET })).pipe(
        Effect.withSpan(`Namespace(acme/a)b(${SECRET}).memory.set`, {
          attributes: { entityId: SECRET, requestId: SECRET }
        })
      )
      const broken = Effect.fail(new Unavailable({ operation: "Store.commit" })).pipe(Effect.withSpan("broken"))
      const died = Effect.die(new Error(SECRET)).pipe(Effect.withSpan("died"))
      const { asked, spans, text } = yield* traced(
        Effect.gen(function*() {
          yield* Effect.logWarning("inside").pipe(Effect.annotateLogs({ verb: "memory.set" }))
          yield* Effect.annotateCurrentSpan("value", SECRET)
          yield* Effect.annotateCurrentSpan("db.query.context", "Store.find")
          yield* Effect.exit(inner)
          yield* Effect.exit(broken)
          yield* Effect.exit(died)
        }).pipe(Effect.withSpan("outer", { attributes: { "http.request.header.authorization": SECRET } }))
      )
      assert.notInclude(text, SECRET)
      assert.notInclude(text, "acme")
      const byName = new Map(spans.map((span) => [span.name, span]))
      assert.deepEqual([...byName.keys()].sort(), ["Namespace.memory.set", "broken", "died", "outer"])
      const outer = byName.get("outer")
      assert.deepEqual(outer?.attributes, { "db.query.context": "Store.find" })
      assert.match(outer?.traceId ?? "", /^[0-9a-f]{32}$/)
      assert.isUndefined(outer?.parentSpanId)
      for (const name of ["Namespace.memory.set", "broken", "died"]) {
        assert.strictEqual(byName.get(name)?.parentSpanId, outer?.spanId)
        assert.strictEqual(byName.get(name)?.traceId, outer?.traceId)
      }
      // A refusal is an answer; what is broken is an error.
      assert.deepEqual(byName.get("Namespace.memory.set")?.status, {})
      assert.deepEqual(byName.get("Namespace.memory.set")?.attributes, { "loom.code": "LOCKED" })
      assert.deepEqual(byName.get("broken")?.status, { code: 2, message: "Unavailable" })
      assert.deepEqual(byName.get("died")?.status, { code: 2, message: "DEFECT" })
      assert.isAtLeast(Number(outer?.endTimeUnixNano), Number(outer?.startTimeUnixNano))
      assert.deepEqual(new Set(asked.map(({ path }) => path)), new Set(["/otlp/v1/traces", "/otlp/v1/logs"]))
      assert.isTrue(asked.every(({ headers }) => headers["x-api-key"] === "of-the-collector"))
      const resource = new Map(Object.entries(spans[0]?.resource ?? {}))
      assert.strictEqual(resource.get("service.name"), "toys")
      assert.strictEqual(resource.get("service.version"), "1.2.3")
      assert.strictEqual(resource.get("loom.role"), "runner")
      assert.strictEqual(resource.get("deployment.environment"), "test")
      assert.match(String(resource.get("service.instance.id")), /\/7$/)
    }))

  it.scopedLive("hold log lines with their place in a trace", () =>
    Effect.gen(function*() {
      const { lines, spans } = yield* traced(
        Effect.logWarning("A toy broke").pipe(Effect.annotateLogs({ toys: 3, kind: "car" }), Effect.withSpan("play"))
      )
      assert.strictEqual(lines.length, 1)
      assert.deepInclude(lines[0], { text: "A toy broke", severityNumber: 13, severityText: "WARN" })
      assert.deepEqual(lines[0]?.attributes, { toys: "3", kind: "car" })
      assert.strictEqual(lines[0]?.traceId, spans[0]?.traceId)
      assert.strictEqual(lines[0]?.spanId, spans[0]?.spanId)
    }))

  it.scopedLive("are of whole traces, and of those that others began as they decided", () =>
    Effect.gen(function*() {
      const under = (sampled: boolean) =>
        Effect.withParentSpan(
          Effect.withSpan(Effect.void, sampled ? "taken" : "left"),
          Tracer.externalSpan({ traceId: "0".repeat(31) + "1", spanId: "0".repeat(15) + "1", sampled })
        )
      const { spans } = yield* traced(
        Effect.zipRight(under(true), Effect.zipRight(under(false), Effect.withSpan(Effect.void, "own"))),
        { sample: 0 }
      )
      assert.deepEqual(spans.map(({ name, parentSpanId }) => [name, parentSpanId]), [["taken", "0".repeat(15) + "1"]])
      const many = yield* traced(
        Effect.forEach(
          Array.from({ length: 400 }),
          () => Effect.withSpan(Effect.withSpan(Effect.void, "child"), "root")
        ),
        { sample: 0.5 }
      )
      assert.isAbove(many.spans.length, 250)
      assert.isBelow(many.spans.length, 550)
      const roots = new Set(many.spans.filter(({ name }) => name === "root").map(({ spanId }) => spanId))
      assert.isTrue(many.spans.every(({ name, parentSpanId }) => name === "root" || roots.has(parentSpanId ?? "")))
    }))

  it.scopedLive("are not there without a collector", () =>
    Effect.gen(function*() {
      const { asked } = yield* traced(Effect.withSpan(Effect.logWarning("x"), "x"), { url: Option.none() })
      assert.deepEqual(asked, [])
    }))

  it("take what stands in brackets out of a name", () => {
    assert.strictEqual(OtlpTracer.plainName("Namespace(acme/eng).memory.set"), "Namespace.memory.set")
    assert.strictEqual(OtlpTracer.plainName("Namespace(a(b)/c\n)d).memory.set"), "Namespace.memory.set")
    assert.strictEqual(OtlpTracer.plainName("Clickhouse.query"), "Clickhouse.query")
  })
})
