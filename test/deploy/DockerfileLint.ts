/**
 * What a Dockerfile must keep to: images of a stated version, nothing fetched but the packages of the lock, no root, no
 * shell between the supervisor and node, and only files that are there and that the build may see.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

interface Instruction {
  readonly name: string
  readonly rest: string
}

const instructions = (text: string): ReadonlyArray<Instruction> =>
  text.replace(/^\s*#.*\n/gm, "").replace(/\\\n/g, " ").split("\n").flatMap((line) => {
    const [, name, rest] = /^\s*([A-Za-z]+)\s+(.*)$/.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [{ name: name.toUpperCase(), rest: rest.trim() }]
  })

const known = new Set(
  "ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN STOPSIGNAL USER VOLUME WORKDIR".split(" ")
)

const ExecForm = Schema.parseJson(Schema.NonEmptyArray(Schema.NonEmptyString))

/** The words of an exec form; undefined for a line that a shell would read. */
export const execForm = (text: string): ReadonlyArray<string> | undefined =>
  Either.getOrUndefined(Schema.decodeEither(ExecForm)(text))

/** The variables that the last stage sets. */
export const environment = (text: string): ReadonlyMap<string, string> => {
  const all = instructions(text)
  const last = all.findLastIndex(({ name }) => name === "FROM")
  return new Map(
    all.slice(last).filter(({ name }) => name === "ENV").flatMap(({ rest }) =>
      [...rest.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value] as const)
    )
  )
}

/** Whether a file that is copied is there, and whether the build sees it. */
export interface Files {
  readonly exists: (path: string) => boolean
  readonly ignore: string
}

// An ignore file that leaves everything out and takes some back by name.
const isSeen = (ignore: string, path: string): boolean =>
  ignore.split("\n").some((line) =>
    line.startsWith("!") && (path === line.slice(1) || path.startsWith(`${line.slice(1)}/`))
  )

const copyFaults = (rest: string, stages: ReadonlySet<string>, files: Files): ReadonlyArray<string> => {
  const words = rest.split(/\s+/)
  const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length)
  if (from !== undefined) return stages.has(from) ? [] : [`there is no stage ${from}`]
  return words.filter((word) => !word.startsWith("--")).slice(0, -1).flatMap((path) =>
    !files.exists(path) ? [`${path} is not there`] : isSeen(files.ignore, path) ? [] : [`.dockerignore hides ${path}`]
  )
}

const runFaults = (rest: string): ReadonlyArray<string> => [
  ...(/\b(curl|wget|apt-get|apt|git|npx|pip)\b/.test(rest) ? ["RUN fetches more than the packages of the lock"] : []),
  ...(/\bnpm (install|i|exec)\b/.test(rest) ? ["RUN installs what the lock does not say"] : [])
]

const execFaults = (all: ReadonlyArray<Instruction>): ReadonlyArray<string> =>
  ["ENTRYPOINT", "CMD", "HEALTHCHECK"].flatMap((wanted) => {
    const found = all.find(({ name }) => name === wanted)
    if (found === undefined) return [`there is no ${wanted}`]
    const words = wanted === "HEALTHCHECK" ? found.rest.replace(/^.*?\bCMD\s+/, "") : found.rest
    if (execForm(words) === undefined) return [`${wanted} is not in exec form, so a shell takes the signals`]
    return wanted === "HEALTHCHECK" && !words.includes("/livez") ? ["HEALTHCHECK does not ask /livez"] : []
  })

export const dockerfileFaults = (path: string, text: string, files: Files): ReadonlyArray<string> => {
  const all = instructions(text)
  const args = new Map(
    all.filter(({ name }) => name === "ARG").map(({ rest }) => {
      const [name = "", value = ""] = rest.split("=")
      return [name, value] as const
    })
  )
  const froms = all.filter(({ name }) => name === "FROM").map(({ rest }) => rest.split(/\s+/))
  const stages = new Set(froms.flatMap(([, , name]) => name ?? []))
  const images = froms.map(([image = ""]) => image.replace(/\$\{(\w+)\}/g, (_, name: string) => args.get(name) ?? ""))
  const last = all.slice(all.findLastIndex(({ name }) => name === "FROM"))
  const user = last.findLast(({ name }) => name === "USER")?.rest ?? "root"
  return [
    ...all.filter(({ name }) => !known.has(name)).map(({ name }) => `${name} is not used here`),
    ...images.filter((image) => !stages.has(image) && !/:[^:]*\d/.test(image)).map((image) =>
      `${image} has no version`
    ),
    ...(/^[1-9]\d*(:[1-9]\d*)?$/.test(user) ? [] : [`the last stage runs as ${user}`]),
    ...all.flatMap(({ name, rest }) =>
      name === "COPY" ? copyFaults(rest, stages, files) : name === "RUN" ? runFaults(rest) : []
    ),
    ...execFaults(last)
  ].map((fault) => `${path}: ${fault}`)
}
