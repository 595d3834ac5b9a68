/** The fragments that statements over workers share: what somebody may see, and the cursors that count. */
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment } from "../platform/Clickhouse.ts"
import type { Reach } from "./WorkerModel.ts"

/** Comes first in every statement that answers a caller. */
export const within = (reach: Reach): Fragment =>
  reach === "everything"
    ? ch.fragment`1`
    : reach.namespaces === "*"
    ? ch.fragment`org = ${ch.string(reach.org)}`
    : ch.fragment`org = ${ch.string(reach.org)} AND namespace IN ${ch.array("String", reach.namespaces)}`

/** One cursor for each namespace: that of the last owner who wrote one. */
export const counting = (worker: string, reach: Reach): Fragment =>
  ch.fragment`SELECT org, namespace, position, failures, code, at FROM loom.worker_cursors FINAL
    WHERE worker = ${ch.string(worker)} AND ${within(reach)}
    ORDER BY epoch DESC LIMIT 1 BY org, namespace`
