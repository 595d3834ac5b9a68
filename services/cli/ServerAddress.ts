/**
 * The address at which a server that listens here is called.
 */
import type * as HttpServer from "@effect/platform/HttpServer"

/** A server on all addresses is called on this machine. */
export const urlOf = (address: HttpServer.Address): string => {
  if (address._tag === "UnixAddress") return `unix:${address.path}`
  const { hostname, port } = address
  const host = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "::" ? "[::1]" : hostname
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`
}
