/** What shows of a process that serves: its log, and its traces and log at a collector where there is one. */
import * as Layer from "effect/Layer"
import * as Telemetry from "../../src/platform/Telemetry.ts"
import * as Logging from "./Logging.ts"
import type { LogSettings } from "./Logging.ts"
import { version } from "./Version.ts"

/** The settings are read once before anything starts, with all others (`PartSettings`). */
export interface Seen {
  readonly logging: LogSettings
  readonly telemetry: Telemetry.TelemetrySettings
}

export const layer = ({ logging, telemetry }: Seen, role: "serve" | "gateway" | "runner"): Layer.Layer<never> =>
  Layer.provideMerge(
    Telemetry.layer(telemetry, { role, version, instance: String(process.pid) }),
    Logging.layer(logging)
  )
