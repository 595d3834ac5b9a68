/**
 * Whether the port is free, asked before the store is opened and migrated, so that a start that cannot end well changes
 * nothing. It is let go again at once; whoever takes it in between is met when the server listens.
 */
import { ServeError } from "@effect/platform/HttpServerError"
import * as Effect from "effect/Effect"
import { createServer } from "node:net"

export const refuseIfTaken = (host: string, port: number): Effect.Effect<void, ServeError> =>
  port === 0 ? Effect.void : Effect.async((resume) => {
    const probe = createServer()
    probe.once("error", (cause) => resume(Effect.fail(new ServeError({ cause }))))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resume(Effect.void)))
    return Effect.sync(() => probe.close())
  })
