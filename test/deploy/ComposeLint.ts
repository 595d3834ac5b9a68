/**
 * What the compose file must keep to: services that parse, name what exists, wait for what they need, hold no password, and
 * give Loom an environment that its own configuration accepts.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { parseDocument } from "yaml"
import * as PartSettings from "../../services/cli/PartSettings.ts"
import { configFaults } from "../../services/cli/StartFailure.ts"
import * as ClusterSettings from "../../services/layers/ClusterSettings.ts"
import { commandFault, type Facts } from "./DeployFacts.ts"

const Texts = Schema.Array(Schema.String)
const Value = Schema.Union(Schema.String, Schema.Number, Schema.Boolean)

const Service = Schema.Struct({
  image: Schema.String,
  restart: Schema.String,
  networks: Texts,
  build: Schema.optional(Schema.Struct({ context: Schema.String, dockerfile: Schema.String })),
  command: Schema.optional(Texts),
  environment: Schema.optional(Schema.Record({ key: Schema.String, value: Value })),
  depends_on: Schema.optional(Schema.Record({
    key: Schema.String,
    value: Schema.Struct({
      condition: Schema.Literal("service_started", "service_healthy", "service_completed_successfully")
    })
  })),
  healthcheck: Schema.optional(Schema.Union(
    Schema.Struct({ disable: Schema.Literal(true) }),
    Schema.Struct({ test: Texts, interval: Schema.String, timeout: Schema.String, retries: Schema.Int })
  )),
  ports: Schema.optional(Texts),
  volumes: Schema.optional(Texts),
  tmpfs: Schema.optional(Texts),
  stop_grace_period: Schema.optional(Schema.String),
  read_only: Schema.optional(Schema.Boolean),
  cap_drop: Schema.optional(Texts),
  security_opt: Schema.optional(Texts),
  shm_size: Schema.optional(Schema.String),
  ulimits: Schema.optional(Schema.Unknown)
  // A key that is not here is a slip of the pen, or has not been thought about.
}).annotations({ parseOptions: { onExcessProperty: "error" } })
type Service = typeof Service.Type

const Named = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const File = Schema.Struct({
  name: Schema.String,
  services: Schema.Record({ key: Schema.String, value: Service }),
  networks: Named,
  volumes: Named
})
type File = typeof File.Type

// Within these a process of Loom ends by itself (services/cli/Stop.ts).
const DRAIN_SECONDS = 14

const seconds = (text: string | undefined): number => Number(/^(\d+)s$/.exec(text ?? "")?.[1] ?? 0)

/** What compose would put in the place of a variable, for a check of what comes of it. */
const filled = (text: string): string =>
  text.replace(/\$\{\w+(?::([?-])([^}]*))?\}/g, (_, kind, rest) => kind === "-" ? rest : "0")

const serviceFaults = (facts: Facts, file: File, name: string, service: Service): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const version = filled(service.image).split(":")[1]
  if (version === undefined || version === "latest") faults.push("its image has no version")
  for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
    const wanted = file.services[other]
    if (wanted === undefined) faults.push(`it waits for ${other}, which is not there`)
    else if (condition === "service_healthy" && !("test" in (wanted.healthcheck ?? {}))) {
      faults.push(`it waits until ${other} is well, which nobody asks`)
    }
  }
  faults.push(...service.networks.filter((one) => !(one in file.networks)).map((one) => `there is no network ${one}`))
  const volumes = (service.volumes ?? []).map((one) => one.split(":")[0] ?? "")
  faults.push(
    ...volumes.filter((one) => !one.startsWith(".") && !(one in file.volumes)).map((one) => `there is no volume ${one}`)
  )
  if (service.build === undefined) return faults
  faults.push(...[commandFault(facts, service.command ?? [])].filter((fault) => fault !== undefined))
  if (seconds(service.stop_grace_period) <= DRAIN_SECONDS) faults.push("it is killed before it has drained")
  if (service.read_only !== true || service.cap_drop?.[0] !== "ALL") {
    faults.push("it may write or do more than it needs")
  }
  if (service.command?.[0] === "runner") {
    if (service.environment?.["LOOM_RUNNER_HOST"] !== name) faults.push("others do not find it by its name")
    if ((service.ports ?? []).length > 0 || service.networks.join() !== "cluster") {
      faults.push("its port is open to others")
    }
  }
  return faults
}

const configs = { gateway: ClusterSettings.gateway, runner: ClusterSettings.runner } as const

/** What Loom itself says of the environment that a service gives it. */
const environmentFaults = (service: Service, image: ReadonlyMap<string, string>) => {
  const command = service.command?.[0]
  if (service.build === undefined || (command !== "gateway" && command !== "runner")) return Effect.succeed([])
  const given = Object.entries(service.environment ?? {}).map(([name, value]) => [name, filled(String(value))] as const)
  const provider = ConfigProvider.fromMap(new Map([...image, ...given]), { pathDelim: "_" })
  return Effect.all([configs[command], PartSettings.config]).pipe(
    Effect.withConfigProvider(provider),
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catchAll((error) => Effect.succeed(configFaults(error)))
  )
}

/** Variables of the operator: a default or a demand stands beside each, and the example names it. */
const variableFaults = (text: string, example: string): ReadonlyArray<string> => {
  const used = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)].map(([, name = "", rest = ""]) => ({ name, rest }))
  return [
    ...used.filter(({ rest }) => !/^:[?-]./.test(rest)).map(({ name }) => `${name} has neither a default nor a demand`),
    ...used.filter(({ name, rest }) => /PASSWORD|TOKEN|KEY/.test(name) && !rest.startsWith(":?")).map(({ name }) =>
      `${name} is a secret with a default`
    ),
    ...used.filter(({ name }) => !new RegExp(`^${name}=`, "m").test(example)).map(({ name }) =>
      `.env.example does not name ${name}`
    ),
    ...[...example.matchAll(/^(\w*(?:PASSWORD|TOKEN|KEY)\w*)=\S/gm)].map(([, name]) => `.env.example holds ${name}`)
  ]
}

export interface ComposeFiles {
  readonly compose: string
  /** `.env.example` beside it. */
  readonly example: string
  /** The environment of the image. */
  readonly image: ReadonlyMap<string, string>
}

export const composeFaults = (
  facts: Facts,
  path: string,
  { compose, example, image }: ComposeFiles
): Effect.Effect<ReadonlyArray<string>> => {
  const document = parseDocument(compose, { merge: true })
  const broken = [...document.errors, ...document.warnings].map(({ message }) => message.split("\n", 1)[0] ?? "")
  // What begins with x- is there to be repeated.
  const decoded = Schema.decodeUnknownEither(File)(document.toJS(), { errors: "all" })
  if (broken.length > 0 || Either.isLeft(decoded)) {
    const words = Either.isLeft(decoded) ? [ParseResult.TreeFormatter.formatErrorSync(decoded.left)] : []
    return Effect.succeed([...broken, ...words].map((fault) => `${path}: ${fault}`))
  }
  const file = decoded.right
  return Effect.map(
    Effect.forEach(
      Object.entries(file.services),
      ([name, service]) =>
        Effect.map(
          environmentFaults(service, image),
          (faults) => [...serviceFaults(facts, file, name, service), ...faults].map((fault) => `${name}: ${fault}`)
        )
    ),
    (faults) => [...faults.flat(), ...variableFaults(compose, example)].map((fault) => `${path}: ${fault}`)
  )
}
