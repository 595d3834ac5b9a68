/**
 * What keeps web pages out of a server that asks for no token. A page of any site can send requests to loopback, and by
 * DNS rebinding even under a name of its own, so in single-user mode a request must be addressed to a loopback host, and
 * one that a browser sends must come from a loopback page. With tokens there is nothing to guard: a page has none.
 */
import type { Refusal } from "../../src/kernel/LoomError.ts"
import { refuse } from "../../src/kernel/LoomError.ts"

/** Whether a host name or address means this machine alone. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)\.?$/i.test(host)

const hostOf = (authority: string): string => /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.exec(authority)?.[1] ?? ""

const originHost = (origin: string): string => {
  const authority = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  return authority === undefined ? "" : hostOf(authority)
}

type HeaderFields = { readonly [name: string]: string | undefined }

/** Why a request without a token may not pass; undefined when it may. */
export const guard = (headers: HeaderFields): Refusal | undefined => {
  const { host, origin } = headers
  if (host === undefined || !isLoopback(hostOf(host))) {
    return refuse("FORBIDDEN", "In single-user mode the server answers only requests addressed to a loopback host")
  }
  const foreignPage = origin === undefined
    // Older browsers send no Origin with some requests; a link that is followed is a read and harmless.
    ? headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-mode"] !== "navigate"
    : !isLoopback(originHost(origin))
  return foreignPage
    ? refuse("FORBIDDEN", "In single-user mode the server answers no web page of another site")
    : undefined
}
