/**
 * Where a runner is reached by gateways and other runners. That port trusts whoever connects, so it is opened on this
 * machine or in a private network alone: a public address, or all addresses of the machine at once, is refused before
 * anything starts.
 */
import * as ClusterAddress from "@effect/cluster/RunnerAddress"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { lookup } from "node:dns/promises"
import { BlockList, createServer, isIPv6 } from "node:net"

/** The address is no private one, or none of this machine; the message says what to do. */
export class RunnerAddressRefused extends Schema.TaggedError<RunnerAddressRefused>()("RunnerAddressRefused", {
  host: Schema.String,
  reason: Schema.Literal("every", "public", "unknown")
}) {
  override get message() {
    const where = "a loopback or private address of this machine (LOOM_RUNNER_HOST or --runner-host)"
    switch (this.reason) {
      case "every":
        return `A runner's port has no authentication and is not opened on ${this.host}, which is every address; name ${where}`
      case "public":
        return `A runner's port has no authentication and is not opened on ${this.host}, which is a public address; name ${where}`
      case "unknown":
        return `Nothing is known of the address ${this.host}; name ${where}`
    }
  }
}

// Loopback, RFC 1918, RFC 4193 and link-local; IPv4 written as IPv6 is looked up as what it is.
const nearby = new BlockList()
nearby.addSubnet("127.0.0.0", 8, "ipv4")
nearby.addSubnet("10.0.0.0", 8, "ipv4")
nearby.addSubnet("172.16.0.0", 12, "ipv4")
nearby.addSubnet("192.168.0.0", 16, "ipv4")
nearby.addSubnet("169.254.0.0", 16, "ipv4")
nearby.addSubnet("::1", 128, "ipv6")
nearby.addSubnet("fc00::", 7, "ipv6")
nearby.addSubnet("fe80::", 10, "ipv6")

/** Whether an IP address is one of this machine alone or of a private network. */
export const isPrivate = (address: string): boolean => nearby.check(address, isIPv6(address) ? "ipv6" : "ipv4")

const isEvery = (address: string): boolean => address === "0.0.0.0" || /^(0*:)*:?0*$/.test(address)

/** Fails for a host on which a runner may not listen. A name must stand for private addresses alone. */
export const refuseUnlessPrivate = (host: string): Effect.Effect<void, RunnerAddressRefused> =>
  Effect.gen(function*() {
    const addresses = yield* Effect.tryPromise({
      try: () => lookup(host, { all: true }),
      catch: () => new RunnerAddressRefused({ host, reason: "unknown" })
    })
    if (addresses.some(({ address }) => isEvery(address))) {
      return yield* new RunnerAddressRefused({ host, reason: "every" })
    }
    if (!addresses.every(({ address }) => isPrivate(address))) {
      return yield* new RunnerAddressRefused({ host, reason: "public" })
    }
  })

/** The port could not be listened on. */
export class RunnerPortTaken extends Schema.TaggedError<RunnerPortTaken>()("RunnerPortTaken", {
  cause: Schema.Defect
}) {}

/**
 * The port to listen on: 0 becomes a free one, since a runner tells the others its port before it listens. It is let go
 * again at once; whoever takes it in between is met when the runner listens.
 */
const freePort = (host: string, port: number): Effect.Effect<number, RunnerPortTaken> =>
  Effect.async((resume) => {
    const probe = createServer()
    probe.once("error", (cause) => resume(Effect.fail(new RunnerPortTaken({ cause }))))
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address()
      const found = typeof address === "object" && address !== null ? address.port : port
      probe.close(() => resume(Effect.succeed(found)))
    })
    return Effect.sync(() => probe.close())
  })

/** The address of this runner, checked, with a port that is free. */
export const find = (
  host: string,
  port: number
): Effect.Effect<ClusterAddress.RunnerAddress, RunnerAddressRefused | RunnerPortTaken> =>
  refuseUnlessPrivate(host).pipe(
    Effect.zipRight(freePort(host, port)),
    Effect.map((found) => ClusterAddress.RunnerAddress.make({ host, port: found }))
  )
