/**
 * A transaction on one connection: all of it is in, or none. A commit that fails is an error and not a defect; one that
 * the server turned into a roll-back, because a statement had failed and the program went on, is an error as well; and a
 * connection that could not roll back is ended rather than handed to the next.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"

/** The failure of the program inside, kept apart from those of the transaction. */
class Inside<E> {
  readonly _tag = "Inside"
  constructor(readonly error: E) {}
}

const Ended = Schema.Struct({ command: Schema.String })

const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(
    connection.executeRaw("COMMIT", []),
    (answer) =>
      Option.exists(Schema.decodeUnknownOption(Ended)(answer), ({ command }) => command === "COMMIT")
        ? Effect.void
        : Effect.fail(new SqlError({ message: "a statement had failed, so nothing was committed" }))
  )

// A cancellation that comes late may hit the first; and a backend that ends rolls back too.
const rollback = (connection: Connection): Effect.Effect<void> =>
  connection.executeRaw("ROLLBACK", []).pipe(
    Effect.retry({ times: 1 }),
    Effect.catchAll(() => connection.executeRaw("SELECT pg_terminate_backend(pg_backend_pid())", [])),
    Effect.ignore
  )

/**
 * Runs `effect` in a transaction of its own; every statement in it, of whatever service, takes part. `onFault` gives what
 * a failure of the transaction itself becomes. After a failed commit it may be in or not. One inside another is a defect.
 */
export const run = <A, E, R, E2>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>,
  onFault: (error: SqlError) => Effect.Effect<never, E2>
): Effect.Effect<A, E | E2, R> =>
  Effect.serviceOption(SqlClient.TransactionConnection).pipe(
    Effect.flatMap((outer) =>
      Option.isSome(outer) ? Effect.dieMessage("A Postgres transaction was begun inside another") : Effect.void
    ),
    // A scope of its own: one that `effect` asks for is its caller's.
    Effect.zipRight(Effect.acquireUseRelease(Scope.make(), (scope) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          // Not to be interrupted: the driver would lose a connection that comes too late. The pool's time limit holds.
          const connection = yield* Scope.extend(sql.reserve, scope)
          yield* connection.executeRaw("BEGIN", []).pipe(Effect.onError(() => rollback(connection)))
          const exit = yield* restore(effect).pipe(
            Effect.mapError((error) => new Inside(error)),
            Effect.provideService(SqlClient.TransactionConnection, [connection, 0]),
            Effect.exit
          )
          yield* Exit.isSuccess(exit)
            ? Effect.onError(commit(connection), () => rollback(connection))
            : rollback(connection)
          return yield* exit
        })
      ), Scope.close)),
    Effect.catchAll((error): Effect.Effect<never, E | E2> =>
      error._tag === "Inside" ? Effect.fail(error.error) : onFault(error)
    )
  )
