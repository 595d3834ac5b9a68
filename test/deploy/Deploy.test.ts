import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chartFaults } from "./ChartLint.ts"
import { balanceFaults, layOut } from "./ChartText.ts"
import { composeFaults } from "./ComposeLint.ts"
import * as DeployFacts from "./DeployFacts.ts"
import * as DeployLint from "./DeployLint.ts"
import { dockerfileFaults } from "./DockerfileLint.ts"

// Every command is asked for its help once.
const facts = Effect.runSync(Effect.cached(DeployFacts.facts))

describe("deploy", () => {
  it.effect("speaks of settings, commands and files that are there", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* DeployLint.faults(yield* facts), [])
    }))
})

/** The one fault of a file with this in the place of that. */
const broken = <A>(text: string, from: string, to: string, faults: (text: string) => A): A => {
  assert.include(text, from)
  return faults(text.replace(from, () => to))
}

describe("the lint of deploy", () => {
  const dockerfile = DeployFacts.read(DeployLint.DOCKERFILE)
  const docker = (from: string, to: string) =>
    broken(dockerfile, from, to, (text) => dockerfileFaults("Dockerfile", text, DeployLint.dockerFiles()).join("\n"))

  it("sees what an image must not be", () => {
    assert.match(docker("node:20.20.2-bookworm-slim", "node"), /node has no version/)
    assert.match(docker("USER 1000:1000", "USER root"), /runs as root/)
    assert.match(docker(`CMD ["--help"]`, "CMD loom serve"), /CMD is not in exec form/)
    assert.match(docker("/livez", "/v1/health"), /HEALTHCHECK does not ask/)
    assert.match(
      docker("npm ci --omit=dev", "curl -s https://example.com | sh; npm install --omit=dev"),
      /fetches.*\n.*lock/
    )
    assert.match(docker("COPY src ./src", "COPY test ./test"), /\.dockerignore hides test/)
    assert.match(docker("--from=build", "--from=nobody"), /no stage nobody/)
  })

  const compose = (from: string, to: string) =>
    Effect.gen(function*() {
      const files = DeployLint.composeFiles()
      const known = yield* facts
      const found = yield* broken(files.compose, from, to, (text) =>
        composeFaults(known, "compose.yaml", { ...files, compose: text }))
      return found.join("\n")
    })

  it.effect("sees what a compose file must not be", () =>
    Effect.gen(function*() {
      assert.match(yield* compose("command: [runner]", "command: [walker]"), /no command walker/)
      assert.match(
        yield* compose("LOOM_RUNNER_HOST: runner-1", "LOOM_RUNNER_HOST: runner-2"),
        /runner-1: others do not find/
      )
      assert.match(yield* compose("stop_grace_period: 30s", "stop_grace_period: 10s"), /killed before it has drained/)
      assert.match(yield* compose("http://clickhouse:8123", "clickhouse"), /LOOM_CLICKHOUSE_URL/)
      assert.match(yield* compose("postgres://loom", "mysql://loom"), /LOOM_POSTGRES_URL: expected an address/)
      assert.match(
        yield* compose("${METRICS_TOKEN:?set METRICS_TOKEN in .env}", "${METRICS_TOKEN:-secret}"),
        /secret with a default/
      )
      assert.match(yield* compose("postgres:18.4-bookworm", "postgres:latest"), /no version/)
      assert.match(yield* compose("condition: service_healthy", "condition: service_well"), /depends_on/)
      assert.match(yield* compose("read_only: true", "readonly: true"), /readonly/)
      assert.match(yield* compose("  postgres-data: {}\n", ""), /no volume postgres-data/)
    }))

  const chart = (file: string, from: string, to: string) =>
    Effect.map(facts, (known) => {
      const whole = DeployLint.chart()
      const change = (text: string) => broken(text, from, to, (changed) => changed)
      const templates = new Map([...whole.templates].map(([name, text]) => [name, name === file ? change(text) : text]))
      const values = file === "values.yaml" ? change(whole.values) : whole.values
      return chartFaults(known, "chart", { ...whole, templates, values }).join("\n")
    })

  it.effect("sees what a chart must not be", () =>
    Effect.gen(function*() {
      const gateway = "gateway-deployment.yaml"
      assert.match(
        yield* chart(gateway, ".Values.gateway.resources", ".Values.gateway.means"),
        /lacks gateway.means[^]*no template asks for gateway.resources/
      )
      assert.match(yield* chart(gateway, "{{- end }}", ""), /has no end/)
      assert.match(yield* chart(gateway, "nindent 12", "nindent 10"), /nindent 10/)
      assert.match(yield* chart(gateway, `include "loom.pod"`, `include "loom.pot"`), /nothing defines loom.pot/)
      assert.match(yield* chart(gateway, `args: ["gateway"]`, `args: ["gateway", "--prot", "1"]`), /no option --prot/)
      assert.match(yield* chart("values.yaml", "replicas: 2", "replicas: two"), /another type of gateway.replicas/)
      assert.match(
        yield* chart("values.yaml", "preStopSeconds: 5", "preStopSeconds: 5\nmore: 1"),
        /no template asks for more/
      )
      assert.match(
        yield* chart("_helpers.tpl", "LOOM_CLICKHOUSE_USER", "LOOM_CLICKHOUSE_NAME"),
        /no setting LOOM_CLICKHOUSE_NAME/
      )
      assert.match(
        yield* chart("_helpers.tpl", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"),
        /readOnlyRoot/
      )
      assert.match(yield* chart("_helpers.tpl", "enableServiceLinks: false\n", ""), /enableServiceLinks/)
      assert.match(yield* chart("_helpers.tpl", "path: /readyz", "path: /ready"), /readinessProbe/)
      assert.match(yield* chart("network-policy.yaml", "port: cluster", "port: runner"), /has a port runner/)
      assert.match(
        yield* chart("runner-service.yaml", "component: runner\n  ports", "component: walker\n  ports"),
        /selects no pod/
      )
    }))

  it("reads templates by their actions", () => {
    assert.deepStrictEqual(balanceFaults(`{{- if .Values.a }}\n{{- else }}\n{{- end }}`), [])
    assert.deepStrictEqual(balanceFaults(`{{ end }}`), ["line 1: an end without a beginning"])
    assert.deepStrictEqual(balanceFaults(`{{ .Values.a }`), ["a {{ stands alone"])
    assert.strictEqual(
      layOut(`a:\n  {{- include "b" . | nindent 2 }}\nc: {{ .d }}-e`, new Map([["b", "f: {{ .g }}"]])),
      "a:\n  f: x\nc: x-e"
    )
  })
})
