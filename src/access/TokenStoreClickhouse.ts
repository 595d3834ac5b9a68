/**
 * Tokens in `loom.tokens`; the row with the highest version counts. An empty `bound_user` column means none.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { Token } from "./TokenModel.ts"
import { TokenStore } from "./TokenStore.ts"

const BoundUser = Schema.transform(Schema.String, Schema.NullOr(Schema.String), {
  strict: true,
  decode: (text) => text === "" ? null : text,
  encode: (user) => user ?? ""
})

const Row = Schema.Struct({
  ...Token.fields,
  bound_user: BoundUser,
  created_at: EpochMillis,
  expires_at: Schema.NullOr(EpochMillis),
  revoked_at: Schema.NullOr(EpochMillis),
  version: UInt64
})

const columns = ch.fragment`token_id, secret_sha256, org, namespaces, role, bound_user, kind, subject, description,
  created_at, created_by, expires_at, revoked_at, version`

const time = (millis: number | null): Date | null => millis === null ? null : new Date(millis)

export const layer: Layer.Layer<TokenStore, never, Clickhouse> = Layer.effect(
  TokenStore,
  Effect.map(Clickhouse, (clickhouse) => ({
    findMany: Effect.fn("TokenStore.findMany")(function*(ids) {
      if (ids.length === 0) return []
      return yield* clickhouse.query(
        ch.sql("TokenStore.findMany")`SELECT ${columns} FROM loom.tokens FINAL
          WHERE token_id IN ${ch.array("String", ids)}`,
        Row
      )
    }),
    list: Effect.fn("TokenStore.list")(function*({ after, limit, org, revoked }) {
      const where = ch.join([
        ch.fragment`1`,
        ...(org === null ? [] : [ch.fragment`org = ${ch.string(org)}`]),
        ...(revoked ? [] : [ch.fragment`revoked_at IS NULL`]),
        ...(after === null
          ? []
          : [ch.fragment`(created_at, token_id) < (${ch.dateTime64(after.created_at)}, ${ch.string(after.token_id)})`])
      ], " AND ")
      return yield* clickhouse.query(
        ch.sql("TokenStore.list")`SELECT ${columns} FROM loom.tokens FINAL WHERE ${where}
          ORDER BY created_at DESC, token_id DESC LIMIT ${ch.uint32(limit)}`,
        Row
      )
    }),
    put: Effect.fn("TokenStore.put")(function*(token) {
      yield* clickhouse.insert("loom.tokens", [{
        ...token,
        bound_user: token.bound_user ?? "",
        created_at: time(token.created_at),
        expires_at: time(token.expires_at),
        revoked_at: time(token.revoked_at)
      }])
    })
  }))
)
