/**
 * Reads a request of the ClickHouse HTTP interface: who asks, which statement, its parameters, settings and data. The
 * statement may come in the url, in the body, or as a field of a form; a body is unpacked, and bounded before and after.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate } from "node:zlib"
import type { EngineQuery } from "./ClickhouseEngine.ts"
import { engineError } from "./ClickhouseEngineError.ts"
import { scan } from "./ClickhouseScan.ts"

// What the url may carry besides settings. Those of a session or of another wire format are refused, the rest is unused.
const reserved = new Set([
  "query",
  "database",
  "default_format",
  "query_id",
  "user",
  "password",
  "role",
  "quota_key",
  "client_protocol_version"
])
const unsupported = ["session_id", "session_timeout", "compress", "decompress"]

const unpack: Readonly<Record<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress)
}

export interface EngineRequest {
  readonly query: EngineQuery
  readonly format: string
  readonly compress: boolean
}

/** Whether the request carries the token: as basic password, bearer, `X-ClickHouse-Key` or `password` in the url. */
export const isAuthorized = (request: IncomingMessage, url: URL, token: string): boolean => {
  const authorization = header(request, "authorization") ?? ""
  const basic = /^Basic\s+(.+)$/i.exec(authorization)?.[1]
  const given = [
    basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8").replace(/^[^:]*:/, ""),
    /^Bearer\s+(.+)$/i.exec(authorization)?.[1],
    header(request, "x-clickhouse-key"),
    url.searchParams.get("password") ?? undefined
  ]
  return given.some((candidate) => candidate !== undefined && timingSafeEqual(digest(candidate), digest(token)))
}

/** Rejects with `EngineError` what cannot be run; `maxBody` bounds the body in bytes, packed and unpacked. */
export const readRequest = async (request: IncomingMessage, url: URL, maxBody: number): Promise<EngineRequest> => {
  const packed = await readBody(request, maxBody)
  const fields = new URLSearchParams(url.searchParams)
  const form = /^multipart\/form-data/i.test(header(request, "content-type") ?? "")
  const body = form ? "" : utf8(await unpackBody(packed, header(request, "content-encoding"), maxBody))
  if (form) await readForm(packed, header(request, "content-type") ?? "", fields)
  const refused = unsupported.find((name) => !["", "0", null].includes(fields.get(name)))
  if (refused !== undefined) throw engineError(48, "NOT_IMPLEMENTED", `The embedded engine does not support ${refused}`)
  const format = fields.get("default_format") ?? header(request, "x-clickhouse-format") ?? "TabSeparated"
  const accepts = header(request, "accept-encoding") ?? ""
  return {
    format,
    compress: fields.get("enable_http_compression") === "1" && /\bgzip\b/.test(accepts),
    query: {
      ...statementOf(fields.get("query") ?? "", body),
      params: Object.fromEntries(
        [...fields].flatMap(([name, value]) => name.startsWith("param_") ? [[name.slice("param_".length), value]] : [])
      ),
      settings: Object.fromEntries(
        [...fields].filter(([name]) => !name.startsWith("param_") && !reserved.has(name) && !unsupported.includes(name))
      ),
      database: fields.get("database") ?? header(request, "x-clickhouse-database"),
      format,
      queryId: fields.get("query_id") ?? header(request, "x-clickhouse-query-id")
    }
  }
}

const header = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

// Of equal length whatever is given, as the comparison wants.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const tooLarge = (maxBody: number) => engineError(307, "TOO_MANY_BYTES", `The request is larger than ${maxBody} bytes`)

const readBody = async (request: IncomingMessage, maxBody: number): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBody) throw tooLarge(maxBody)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

const unpackBody = async (body: Buffer, encoding: string | undefined, maxBody: number): Promise<Buffer> => {
  if (encoding === undefined || encoding === "identity" || body.length === 0) return body
  const decode = unpack[encoding]
  if (decode === undefined) {
    throw engineError(89, "UNKNOWN_COMPRESSION_METHOD", "Send the body plain, gzip, deflate or br")
  }
  return decode(body, { maxOutputLength: maxBody }).catch((cause: unknown) => {
    if (cause instanceof RangeError) throw tooLarge(maxBody)
    throw engineError(354, "ZLIB_INFLATE_FAILED", "The body does not unpack")
  })
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const utf8 = (body: Buffer): string => {
  try {
    return decoder.decode(body)
  } catch {
    throw engineError(48, "NOT_IMPLEMENTED", "The embedded engine takes text formats in UTF-8 only")
  }
}

const readForm = async (body: Buffer, contentType: string, fields: URLSearchParams): Promise<void> => {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData()
    .catch(() => {
      throw engineError(36, "BAD_ARGUMENTS", "The form does not parse")
    })
  form.forEach((value, name) => {
    if (typeof value !== "string") throw engineError(48, "NOT_IMPLEMENTED", "External tables are not supported")
    fields.set(name, value)
  })
}

/** The statement of the url and the body are one text; after `INSERT … FORMAT x` in the url the body is data. */
const statementOf = (inUrl: string, body: string): Pick<EngineQuery, "sql" | "data"> => {
  if (inUrl === "" || body === "") {
    const sql = inUrl === "" ? body : inUrl
    if (sql.trim() === "") throw engineError(62, "SYNTAX_ERROR", "Empty query")
    return { sql }
  }
  return scan(inUrl).takesData ? { sql: inUrl, data: body } : { sql: `${inUrl}\n${body}` }
}
