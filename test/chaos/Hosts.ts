/**
 * Where runners run: on this host's loopback, or each in a network namespace of its own with an address of its own, joined by
 * a bridge, so that a partition is a link that is down and not a proxy that plays it. Namespaces need privileges; without
 * them the reason is told. They end with the scope.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { execFile } from "node:child_process"

export interface Host {
  readonly address: string
  /** In front of a command that is to run there. */
  readonly within: ReadonlyArray<string>
  /** Takes its link away and gives it back; without one nothing happens. */
  readonly link: (up: boolean) => Effect.Effect<void>
}

export interface Hosts {
  /** Where every host reaches the proxies of the stores. */
  readonly door: string
  readonly hosts: ReadonlyArray<Host>
}

/** Hosts of their own cannot be had here. */
export class NoHosts extends Schema.TaggedError<NoHosts>()("NoHosts", { reason: Schema.String }) {
  override get message() {
    return `no network namespaces: ${this.reason}`
  }
}

export const loopback = (count: number): Hosts => ({
  door: "127.0.0.1",
  hosts: Array.from({ length: count }, () => ({ address: "127.0.0.1", within: [], link: () => Effect.void }))
})

const ip = (...args: ReadonlyArray<string>): Effect.Effect<void, NoHosts> =>
  Effect.async((resume) => {
    execFile("ip", [...args], (error, _, told) =>
      resume(
        error === null
          ? Effect.void
          : Effect.fail(new NoHosts({ reason: `ip ${args.join(" ")}: ${told.trim() || error.message}` }))
      ))
  })

const undo = (...args: ReadonlyArray<string>) => Effect.ignore(ip(...args))

/** So many hosts on a bridge of their own, 10.213.x.0/24 by the number of this process. */
export const namespaces = (count: number): Effect.Effect<Hosts, NoHosts, Scope> =>
  Effect.gen(function*() {
    if (process.platform !== "linux") return yield* new NoHosts({ reason: "Linux alone has them" })
    if (process.getuid?.() !== 0) return yield* new NoHosts({ reason: "only root may make them" })
    const [name, subnet] = [`loom${process.pid % 100_000}`, `10.213.${process.pid % 256}`]
    yield* Effect.acquireRelease(ip("link", "add", name, "type", "bridge"), () => undo("link", "del", name))
    yield* ip("addr", "add", `${subnet}.1/24`, "dev", name)
    yield* ip("link", "set", name, "up")
    const hosts = yield* Effect.forEach(Array.from({ length: count }, (_, index) => index), (index) =>
      Effect.gen(function*() {
        const [space, near, far] = [`${name}-${index}`, `${name}v${index}`, `${name}w${index}`]
        const address = `${subnet}.${10 + index}`
        yield* Effect.acquireRelease(ip("netns", "add", space), () =>
          undo("netns", "del", space))
        yield* ip("link", "add", near, "type", "veth", "peer", "name", far)
        yield* ip("link", "set", far, "netns", space)
        yield* ip("link", "set", near, "master", name, "up")
        yield* ip("-n", space, "addr", "add", `${address}/24`, "dev", far)
        yield* ip("-n", space, "link", "set", far, "up")
        yield* ip("-n", space, "link", "set", "lo", "up")
        const host: Host = {
          address,
          within: ["ip", "netns", "exec", space],
          link: (up) => Effect.orDie(ip("link", "set", near, up ? "up" : "down"))
        }
        return host
      }))
    return { door: `${subnet}.1`, hosts }
  })
