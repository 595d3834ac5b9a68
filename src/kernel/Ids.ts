/**
 * Ids that Loom mints: a typed prefix and a UUIDv7 (RFC 9562), so that they sort by time and tell what they name.
 * A memory's id stays for the life of its identity.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"

const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** UUIDv7 of a time in milliseconds and 10 random bytes. */
export const uuidv7 = (millis: number, random: Uint8Array): string => {
  const bytes = new Uint8Array(16)
  let rest = millis
  for (let index = 5; index >= 0; index--) {
    bytes[index] = rest % 256
    rest = Math.floor(rest / 256)
  }
  bytes.set(random.subarray(0, 10), 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = Buffer.from(bytes).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const mint = (prefix: string) =>
  Effect.map(Clock.currentTimeMillis, (millis) => `${prefix}_${uuidv7(millis, randomBytes(10))}`)

export const mintMemoryId = mint("mem")
export const mintWriteId = mint("wr")
export const mintRequestId = mint("req")
export const mintDigestId = mint("dig")
export const mintPatternId = mint("blk")
export const mintRunId = mint("run")
/** Names a running process among those that share a store. */
export const mintProcessId = mint("proc")

/** `mem_<uuidv7>`; any other text is simply not found, so reads take a plain string. */
export const MemoryId = Schema.String.pipe(
  Schema.filter((id) => (id.startsWith("mem_") && uuidText.test(id.slice(4))) || "is not a memory id")
)
