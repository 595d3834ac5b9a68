/**
 * One call of one verb, in Effect: identity filled in, an idempotency key made for each write (and kept over its
 * retries), sent, and the answer decoded by the verb's schema. Fields a newer server adds to an answer are kept.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import { Corrupt } from "../kernel/LoomError.ts"
import type { Verb, VerbFacts } from "../kernel/Verb.ts"
import { payloadFields } from "../kernel/Verb.ts"
import type { CallFailure } from "./LoomApiError.ts"
import { localFailure } from "./LoomApiError.ts"
import type { LoomHttp } from "./LoomHttp.ts"
import { fill, filledFields } from "./LoomIdentity.ts"
import type { LoomIdentity } from "./LoomIdentity.ts"
import { compare, VerbsListing } from "./LoomProbe.ts"
import type { Probe } from "./LoomProbe.ts"
import { allVerbs } from "./Verbs.ts"

export interface LoomCalls {
  /** Calls a verb with its own types. */
  readonly typed: <Tag extends string, P, PI, A, AI>(
    verb: Verb<Tag, P, PI, A, AI>
  ) => (identity: LoomIdentity, request: PI) => Effect.Effect<A, CallFailure>
  /** Calls a verb by name with JSON, as a command line or a tool does; the answer is JSON as it came. */
  readonly raw: (identity: LoomIdentity, tag: string, request: object) => Effect.Effect<unknown, CallFailure>
  readonly probe: Effect.Effect<Probe, CallFailure>
}

type Facts = Pick<VerbFacts, "tag" | "writes" | "idempotent" | "payload">

const sender = (http: LoomHttp, verb: Facts) => {
  const fields = filledFields(verb)
  const takesKey = verb.writes && payloadFields(verb).includes("idempotency_key")
  return (identity: LoomIdentity, request: object) => {
    const filled = fill(fields, identity, request)
    const body = takesKey && filled["idempotency_key"] === undefined
      ? { ...filled, idempotency_key: randomUUID() }
      : filled
    return http.post(verb.tag, body, { writes: verb.writes, idempotent: verb.idempotent, keyed: takesKey })
  }
}

export const make = (http: LoomHttp): LoomCalls => {
  const known = new Map(allVerbs.map((verb) => [String(verb.tag), sender(http, verb)]))
  return {
    typed: (verb) => {
      const send = known.get(verb.tag) ?? sender(http, verb)
      const decode = Schema.decodeUnknown(verb.answer, { onExcessProperty: "preserve" })
      const operation = `${verb.tag} answer`
      return (identity, request) =>
        // A payload is a struct; a request that is none goes out as it is and is refused by the server.
        Effect.flatMap(send(identity, Object(request)), (answer) =>
          Effect.mapError(decode(answer), () => localFailure(new Corrupt({ operation }))))
    },
    raw: (identity, tag, request) =>
      known.get(tag)?.(identity, request) ??
        http.post(tag, request, { writes: true, idempotent: false, keyed: false }),
    probe: Effect.flatMap(
      http.get("/v1/verbs"),
      (listing) =>
        Effect.mapBoth(Schema.decodeUnknown(VerbsListing)(listing), {
          onFailure: () => localFailure(new Corrupt({ operation: "/v1/verbs answer" })),
          onSuccess: compare
        })
    )
  }
}
