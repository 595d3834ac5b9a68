/**
 * Every fault of the files of `deploy`: the image, the compose file, the chart, and what is said of Loom in any of them.
 */
import * as Effect from "effect/Effect"
import { basename } from "node:path"
import { parseDocument } from "yaml"
import * as ChartLint from "./ChartLint.ts"
import * as ComposeLint from "./ComposeLint.ts"
import * as DeployFacts from "./DeployFacts.ts"
import type { Facts } from "./DeployFacts.ts"
import * as DockerfileLint from "./DockerfileLint.ts"

export const DOCKERFILE = "deploy/docker/Dockerfile"
export const COMPOSE = "deploy/compose/compose.yaml"
export const CHART = "deploy/helm/loom"

/** The chart as it lies there. */
export const chart = (): ChartLint.Chart => ({
  values: DeployFacts.read(`${CHART}/values.yaml`),
  schema: DeployFacts.read(`${CHART}/values.schema.json`),
  templates: new Map(
    DeployFacts.filesUnder(`${CHART}/templates`).map((path) => [basename(path), DeployFacts.read(path)])
  )
})

export const composeFiles = (): ComposeLint.ComposeFiles => ({
  compose: DeployFacts.read(COMPOSE),
  example: DeployFacts.read("deploy/compose/.env.example"),
  image: DockerfileLint.environment(DeployFacts.read(DOCKERFILE))
})

export const dockerFiles = (): DockerfileLint.Files => ({
  exists: DeployFacts.exists,
  ignore: DeployFacts.read(".dockerignore")
})

/** A template is no YAML before it is filled in. */
const isYaml = (path: string): boolean => path.endsWith(".yaml") && !path.includes("/templates/")

const yamlFaults = (path: string): ReadonlyArray<string> => {
  const { errors, warnings } = parseDocument(DeployFacts.read(path), { merge: true })
  return [...errors, ...warnings].map(({ message }) => `${path}: ${message.split("\n", 1)[0]}`)
}

/** None when all is well; each says which file it is about. */
export const faults = (facts: Facts): Effect.Effect<ReadonlyArray<string>> => {
  const files = DeployFacts.filesUnder("deploy")
  return Effect.map(ComposeLint.composeFaults(facts, COMPOSE, composeFiles()), (compose) => [
    ...files.filter(isYaml).flatMap(yamlFaults),
    ...files.flatMap((path) => DeployFacts.wordFaults(facts, path, DeployFacts.read(path))),
    ...DockerfileLint.dockerfileFaults(DOCKERFILE, DeployFacts.read(DOCKERFILE), dockerFiles()),
    ...compose,
    ...ChartLint.chartFaults(facts, CHART, chart())
  ])
}
