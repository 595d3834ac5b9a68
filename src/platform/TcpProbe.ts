/**
 * Whether anybody listens at an address. A port whose process has ended refuses at once, which is told from silence: a
 * busy process, a paused one and a broken way are all silent.
 */
import * as Effect from "effect/Effect"
import { connect } from "node:net"

/** `refused` is the answer of a living host on which nobody listens there; `silent` says nothing of the other side. */
export type Listening = "open" | "refused" | "silent"

export const probe = (
  address: { readonly host: string; readonly port: number },
  patienceMillis: number
): Effect.Effect<Listening> =>
  Effect.async<Listening>((resume) => {
    const socket = connect({ host: address.host, port: address.port, timeout: patienceMillis })
    const end = (found: Listening) => {
      socket.destroy()
      resume(Effect.succeed(found))
    }
    socket.once("connect", () => end("open"))
    socket.once("timeout", () => end("silent"))
    socket.on("error", (error) => end("code" in error && error.code === "ECONNREFUSED" ? "refused" : "silent"))
    return Effect.sync(() => socket.destroy())
  })
