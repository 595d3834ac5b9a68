/**
 * What the Helm chart must keep to: values, schema and templates speak of the same things, each manifest is YAML, pods run
 * as nobody in particular on a file system that they do not write, and whoever selects something selects it.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { parseAllDocuments, parseDocument } from "yaml"
import * as ChartText from "./ChartText.ts"
import { commandFault, type Facts } from "./DeployFacts.ts"

export interface Chart {
  readonly values: string
  readonly schema: string
  /** Templates by file name. */
  readonly templates: ReadonlyMap<string, string>
}

const Labels = Schema.Record({ key: Schema.String, value: Schema.String })

const Container = Schema.Struct({
  name: Schema.String,
  args: Schema.NonEmptyArray(Schema.String),
  image: Schema.String,
  securityContext: Schema.Struct({
    allowPrivilegeEscalation: Schema.Literal(false),
    readOnlyRootFilesystem: Schema.Literal(true),
    capabilities: Schema.Struct({ drop: Schema.Tuple(Schema.Literal("ALL")) })
  }),
  env: Schema.Array(Schema.Struct({ name: Schema.String })),
  ports: Schema.optional(Schema.Array(Schema.Struct({ name: Schema.String, containerPort: Schema.Int }))),
  volumeMounts: Schema.Array(Schema.Struct({ name: Schema.String, mountPath: Schema.String })),
  resources: Schema.Unknown,
  livenessProbe: Schema.optional(Schema.Struct({ httpGet: Schema.Struct({ path: Schema.Literal("/livez") }) })),
  readinessProbe: Schema.optional(Schema.Struct({ httpGet: Schema.Struct({ path: Schema.Literal("/readyz") }) }))
})

const PodTemplate = Schema.Struct({
  metadata: Schema.Struct({ labels: Labels }),
  spec: Schema.Struct({
    automountServiceAccountToken: Schema.Literal(false),
    // A Service named loom would stand in the environment as LOOM_PORT.
    enableServiceLinks: Schema.Literal(false),
    securityContext: Schema.Struct({ runAsNonRoot: Schema.Literal(true), runAsUser: Schema.Positive }),
    containers: Schema.Tuple(Container),
    volumes: Schema.Array(Schema.Struct({ name: Schema.String }))
  })
})
type PodTemplate = typeof PodTemplate.Type

const Workload = Schema.Struct({
  kind: Schema.Literal("Deployment", "Job"),
  spec: Schema.Struct({ selector: Schema.optional(Schema.Struct({ matchLabels: Labels })), template: PodTemplate })
})

const Manifest = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  metadata: Schema.Struct({ name: Schema.String, labels: Labels }),
  spec: Schema.Unknown
})

const Matching = Schema.Struct({ matchLabels: Labels })
const isMatching = Schema.is(Matching)

/** Of whatever selects pods and names their ports. */
const Selecting = Schema.Struct({
  selector: Schema.optional(Schema.Union(Matching, Labels)),
  podSelector: Schema.optional(Matching),
  ports: Schema.optional(Schema.Array(Schema.Struct({ targetPort: Schema.String }))),
  ingress: Schema.optional(Schema.Array(Schema.Struct({
    // Null where only the operator says who.
    from: Schema.optional(Schema.NullOr(Schema.Array(Schema.Struct({ podSelector: Matching })))),
    ports: Schema.NonEmptyArray(Schema.Struct({ port: Schema.String }))
  })))
})

const isSelected = (selector: typeof Labels.Type, labels: typeof Labels.Type): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

const words = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) => `${path.join(".")}: ${message}`).join(
    "; "
  )

const podFaults = (facts: Facts, { metadata, spec }: PodTemplate, selector: typeof Labels.Type | undefined) => {
  const [container] = spec.containers
  const unknown = container.env.map(({ name }) => name).filter((name) => name !== "x" && !facts.settings.has(name))
  const twice = container.env.map(({ name }) => name).filter((name, index, all) =>
    name !== "x" && all.indexOf(name) < index
  )
  const mounts = container.volumeMounts.filter(({ name }) => !spec.volumes.some((volume) => volume.name === name))
  return [
    ...[commandFault(facts, container.args)].filter((fault) => fault !== undefined),
    ...unknown.map((name) => `there is no setting ${name}`),
    ...twice.map((name) => `${name} is set twice`),
    ...mounts.map(({ name }) => `there is no volume ${name}`),
    ...(selector === undefined || isSelected(selector, metadata.labels) ? [] : ["it does not select its own pods"]),
    ...(container.args[0] === "migrate" || container.livenessProbe && container.readinessProbe
      ? []
      : ["it has no probes"])
  ]
}

const selectionFaults = (kind: string, spec: typeof Selecting.Type, pods: ReadonlyArray<PodTemplate>) => {
  const { selector, podSelector = selector } = spec
  const own = podSelector === undefined || isMatching(podSelector) ? podSelector?.matchLabels : podSelector
  const peers = (spec.ingress ?? []).flatMap(({ from }) => (from ?? []).map((peer) => peer.podSelector.matchLabels))
  const chosenBy = (labels: typeof Labels.Type) => pods.filter(({ metadata }) => isSelected(labels, metadata.labels))
  const chosen = own === undefined ? pods : chosenBy(own)
  const named = new Set(chosen.flatMap(({ spec: { containers: [one] } }) => (one.ports ?? []).map(({ name }) => name)))
  const asked = [
    ...(spec.ports ?? []).map(({ targetPort }) => targetPort),
    ...(spec.ingress ?? []).flatMap(({ ports }) => ports.map(({ port }) => port))
  ]
  return [
    ...(chosen.length === 0 || peers.some((labels) => chosenBy(labels).length === 0)
      ? [`a ${kind} selects no pod`]
      : []),
    ...asked.filter((name) => !named.has(name)).map((name) => `no pod of it has a port ${name}`)
  ]
}

/** Faults of the manifests, as far as they can be read without the values. */
const manifestFaults = (facts: Facts, { templates }: Chart): ReadonlyArray<string> => {
  const named = ChartText.definitions([...templates.values()])
  const documents = [...templates].filter(([file]) => file.endsWith(".yaml")).flatMap(([file, text]) =>
    parseAllDocuments(ChartText.layOut(text, named)).map((document) => ({ file, document }))
  )
  const broken = documents.flatMap(({ document, file }) =>
    [...document.errors, ...document.warnings].map(({ message }) => `${file}: ${message.split("\n", 1)[0]}`)
  )
  if (broken.length > 0) return broken
  const all = documents.map(({ document, file }): { readonly file: string; readonly value: unknown } => ({
    file,
    value: document.toJS()
  }))
  const workloads = all.map(({ file, value }) => ({
    file,
    read: Schema.decodeUnknownEither(Workload)(value, { errors: "all" })
  }))
  const pods = workloads.flatMap(({ read }) => Either.isRight(read) ? [read.right.spec.template] : [])
  return all.flatMap(({ file, value }, index) => {
    const manifest = Schema.decodeUnknownEither(Manifest)(value)
    if (Either.isLeft(manifest)) return [`${file}: ${words(manifest.left)}`]
    const { kind, spec } = manifest.right
    const read = workloads[index]?.read
    if (kind === "Deployment" || kind === "Job") {
      if (read === undefined || Either.isLeft(read)) return [`${file}: ${read === undefined ? "" : words(read.left)}`]
      const { selector, template } = read.right.spec
      return podFaults(facts, template, selector?.matchLabels).map((fault) => `${file}: ${fault}`)
    }
    const selecting = Schema.decodeUnknownEither(Selecting)(spec)
    if (Either.isLeft(selecting)) return [`${file}: ${words(selecting.left)}`]
    return selectionFaults(kind, selecting.right, pods).map((fault) => `${file}: ${fault}`)
  })
}

const Values = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const isTree = Schema.is(Values)

/** Paths of what has no parts: texts, numbers, lists, and objects that are the operator's to fill. */
const leaves = (tree: unknown, path = ""): ReadonlyArray<readonly [string, unknown]> =>
  isTree(tree) && Object.keys(tree).length > 0 && !path.endsWith("resources")
    ? Object.entries(tree).flatMap(([name, value]) => leaves(value, path === "" ? name : `${path}.${name}`))
    : [[path, tree]]

interface Rule {
  readonly type?: string | ReadonlyArray<string> | undefined
  readonly enum?: ReadonlyArray<unknown> | undefined
  readonly properties?: { readonly [name: string]: Rule } | undefined
}

const Rule: Schema.Schema<Rule> = Schema.Struct({
  type: Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.String))),
  enum: Schema.optional(Schema.Array(Schema.Unknown)),
  properties: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.suspend(() => Rule) }))
})

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value

const valueFaults = ({ schema, templates, values }: Chart): ReadonlyArray<string> => {
  const document = parseDocument(values)
  if (document.errors.length > 0) return document.errors.map(({ message }) => `values.yaml: ${message}`)
  const rule = Schema.decodeEither(Schema.parseJson(Rule))(schema)
  if (Either.isLeft(rule)) return [`values.schema.json: ${words(rule.left)}`]
  const found = leaves(document.toJS())
  const used = [...new Set([...templates.values()].flatMap((text) => [...ChartText.valuesOf(text)]))]
  const at = (path: string): Rule | undefined =>
    path.split(".").reduce<Rule | undefined>((inner, name) => inner?.properties?.[name], rule.right)
  return [
    ...used.filter((path) => !found.some(([leaf]) => leaf === path || leaf.startsWith(`${path}.`))).map((path) =>
      `values.yaml lacks ${path}, which a template asks for`
    ),
    ...found.filter(([leaf]) => !used.some((path) => leaf === path || leaf.startsWith(`${path}.`))).map(([leaf]) =>
      `values.yaml: no template asks for ${leaf}`
    ),
    ...found.flatMap(([leaf, value]) => {
      const wanted = at(leaf)
      if (wanted === undefined) return [`values.schema.json lacks ${leaf}`]
      const fits = wanted.enum?.includes(value) ?? [wanted.type].flat().includes(typeOf(value))
      return fits ? [] : [`values.schema.json wants another type of ${leaf}`]
    })
  ]
}

export const chartFaults = (facts: Facts, path: string, chart: Chart): ReadonlyArray<string> => {
  const named = ChartText.definitions([...chart.templates.values()])
  const texts = [...chart.templates].flatMap(([file, text]) => [
    ...ChartText.balanceFaults(text).map((fault) => `${file}: ${fault}`),
    ...ChartText.indentFaults(text).map((fault) => `${file}: ${fault}`),
    ...ChartText.includesOf(text).filter((name) => !named.has(name)).map((name) => `${file}: nothing defines ${name}`)
  ])
  const asked = new Set([...chart.templates.values()].flatMap(ChartText.includesOf))
  const idle = [...named.keys()].filter((name) => !asked.has(name)).map((name) => `nobody includes ${name}`)
  const values = valueFaults(chart)
  return [...texts, ...idle, ...values, ...(texts.length > 0 ? [] : manifestFaults(facts, chart))].map((fault) =>
    `${path}: ${fault}`
  )
}
