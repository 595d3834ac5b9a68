/**
 * The metrics of this process in the text format of Prometheus (version 0.0.4), read off Effect's own registry. Only what is
 * named `loom_…` leaves, and the few that the cluster keeps, under names of ours: their labels are known to hold no tenant,
 * user or key.
 */
import type * as MetricKey from "effect/MetricKey"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"

/** What the cluster counts, by the name it leaves under; its labels stay behind. */
const adopted: Readonly<Record<string, { readonly name: string; readonly help: string; readonly type?: string }>> = {
  effect_cluster_entities: {
    name: "loom_actors_active",
    help: "Namespace actors that are up in this process",
    type: "Namespace"
  },
  effect_cluster_shards: { name: "loom_shards", help: "Shards that this process holds" },
  effect_cluster_runners: { name: "loom_runners", help: "1 on a runner, so that their sum counts those that run" },
  effect_cluster_runners_healthy: {
    name: "loom_runners_healthy",
    help: "1 while the cluster finds this runner well, else 0"
  },
  effect_cluster_singletons: { name: "loom_singletons", help: "Singletons that run in this process" }
}

type Labels = ReadonlyArray<readonly [name: string, value: string]>

interface Family {
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram" | "untyped"
  readonly lines: Array<string>
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const labelText = (labels: Labels): string =>
  labels.length === 0
    ? ""
    : `{${labels.map(([name, value]) => `${name}="${escaped(value).replaceAll("\"", "\\\"")}"`).join(",")}}`

const numberText = (value: number | bigint): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value)

const typeOf = (state: MetricState.MetricState.Untyped): Family["type"] =>
  MetricState.isCounterState(state)
    ? "counter"
    : MetricState.isGaugeState(state)
    ? "gauge"
    : MetricState.isHistogramState(state)
    ? "histogram"
    : "untyped"

const linesOf = (name: string, labels: Labels, state: MetricState.MetricState.Untyped): ReadonlyArray<string> => {
  const own = labelText(labels)
  if (MetricState.isCounterState(state)) return [`${name}${own} ${numberText(state.count)}`]
  if (MetricState.isGaugeState(state)) return [`${name}${own} ${numberText(state.value)}`]
  if (!MetricState.isHistogramState(state)) return []
  const bounds = state.buckets.filter(([bound]) => bound !== Number.POSITIVE_INFINITY)
  return [
    ...bounds.map(([bound, count]) => `${name}_bucket${labelText([...labels, ["le", numberText(bound)]])} ${count}`),
    `${name}_bucket${labelText([...labels, ["le", "+Inf"]])} ${state.count}`,
    `${name}_sum${own} ${numberText(state.sum)}`,
    `${name}_count${own} ${state.count}`
  ]
}

const labelsOf = (key: MetricKey.MetricKey.Untyped): Labels =>
  [...key.tags].map(({ key: name, value }) => [name, value] as const).filter(([name]) => name !== "time_unit")

/** The whole page. */
export const prometheusText = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>): string => {
  const families = new Map<string, Family>()
  for (const { metricKey, metricState } of pairs) {
    const ours = adopted[metricKey.name]
    const name = ours?.name ?? metricKey.name
    if (!name.startsWith("loom_")) continue
    // Of the cluster's other actors nobody needs to know.
    if (ours?.type !== undefined && !labelsOf(metricKey).some(([, value]) => value === ours.type)) continue
    const help = ours?.help ?? Option.getOrElse(metricKey.description, () => "")
    const family = families.get(name) ?? { help, type: typeOf(metricState), lines: [] }
    families.set(name, family)
    family.lines.push(...linesOf(name, ours === undefined ? labelsOf(metricKey) : [], metricState))
  }
  return [...families].sort(([left], [right]) => left < right ? -1 : 1).flatMap(([name, { help, lines, type }]) => [
    ...(help === "" ? [] : [`# HELP ${name} ${escaped(help)}`]),
    `# TYPE ${name} ${type}`,
    ...lines.sort((left, right) => type === "histogram" ? 0 : left < right ? -1 : 1)
  ]).map((line) => `${line}\n`).join("")
}
