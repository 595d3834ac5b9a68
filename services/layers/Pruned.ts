/**
 * All that the worker `pruning` removes in the course of time: the one place where a new kind of row that grows joins the
 * list. What lies in Postgres is pruned by a process that has one.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PruneTurnsClickhouse from "../../src/conversation/PruneTurnsClickhouse.ts"
import * as PruneAnswersClickhouse from "../../src/memory/PruneAnswersClickhouse.ts"
import * as PruneAnswersPostgres from "../../src/memory/PruneAnswersPostgres.ts"
import * as PruneIntentsPostgres from "../../src/memory/PruneIntentsPostgres.ts"
import type { Clickhouse } from "../../src/platform/Clickhouse.ts"
import { Postgres } from "../../src/platform/Postgres.ts"
import * as PruneLettersClickhouse from "../../src/work/PruneLettersClickhouse.ts"
import * as PruneMessagesPostgres from "../../src/work/PruneMessagesPostgres.ts"
import { Prunables } from "../../src/work/PruneModel.ts"
import * as PruneModelAnswersClickhouse from "../../src/work/PruneModelAnswersClickhouse.ts"

const inClickhouse = Effect.all([
  PruneAnswersClickhouse.make,
  PruneLettersClickhouse.make,
  PruneModelAnswersClickhouse.make,
  PruneTurnsClickhouse.make
])

const inPostgres = Effect.all([PruneIntentsPostgres.make, PruneAnswersPostgres.make, PruneMessagesPostgres.make])

export const layer: Layer.Layer<Prunables, never, Clickhouse> = Layer.effect(
  Prunables,
  Effect.gen(function*() {
    const postgres = yield* Effect.serviceOption(Postgres)
    return [
      ...(yield* inClickhouse),
      ...(Option.isSome(postgres) ? yield* Effect.provideService(inPostgres, Postgres, postgres.value) : [])
    ]
  })
)
