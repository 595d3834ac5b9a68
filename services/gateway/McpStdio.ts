/**
 * MCP over stdin and stdout, for `loom mcp`: the same session and tools as over HTTP, with every call sent to a server by
 * `LoomClient` (its address, token and scope from the configuration). It starts while the server is away and answers
 * `UNAVAILABLE` until it is there. Stdout carries messages and nothing else; what is logged goes to stderr.
 */
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type { PlatformError } from "@effect/platform/Error"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import type * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { LoomClient } from "../../src/client/LoomClient.ts"
import { allVerbs } from "../../src/client/Verbs.ts"
import type { Answer } from "./McpSession.ts"
import { cancelledId, handle, parseFailure, requestId } from "./McpSession.ts"
import * as McpTools from "./McpTools.ts"
import { readJson } from "./RpcWire.ts"

/** The ends of the pipe. */
export interface Pipe<E> {
  readonly stdin: Stream.Stream<Uint8Array, E>
  readonly stdout: Sink.Sink<void, string, unknown, E>
}

/**
 * Takes lines in their order and gives what answers each. A call that a later line cancels is interrupted and gets no
 * answer, so calls are known from the moment their line is taken.
 */
const makeAdmit = (client: typeof LoomClient.Service, version: string) => {
  const tools = McpTools.make(allVerbs)
  const open = new Map<string | number, Deferred.Deferred<undefined>>()
  const run: McpTools.RunVerb = (tag, payload) => client.call(tag, Object(payload))
  return Effect.fnUntraced(function*(line: string) {
    const parsed = readJson(line)
    if (Either.isLeft(parsed)) return Effect.succeed(parseFailure(parsed.left))
    const cancelled = cancelledId(parsed.right)
    const cancel = cancelled === undefined ? undefined : open.get(cancelled)
    if (cancel !== undefined) return Effect.as(Deferred.succeed(cancel, undefined), undefined)
    const answer: Effect.Effect<Answer | undefined> = handle(tools, version, run, parsed.right)
    const id = requestId(parsed.right)
    if (id === undefined) return answer
    const signal = yield* Deferred.make<undefined>()
    open.set(id, signal)
    return Effect.ensuring(Effect.raceFirst(answer, Deferred.await(signal)), Effect.sync(() => open.delete(id)))
  })
}

/** Serves until stdin ends and every open call is answered. */
export const serve = <E>(version: string, pipe: Pipe<E>): Effect.Effect<void, E, LoomClient> =>
  Effect.flatMap(LoomClient, (client) =>
    pipe.stdin.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.mapEffect(makeAdmit(client, version)),
      Stream.mapEffect((answer) => answer, { concurrency: "unbounded", unordered: true }),
      Stream.filter((answer) => answer !== undefined),
      Stream.map((answer) => `${JSON.stringify(answer)}\n`),
      Stream.run(pipe.stdout)
    )).pipe(Effect.provide(layerLogger))

/** `serve` on this process's own stdin and stdout. */
export const run = (version: string): Effect.Effect<void, PlatformError, LoomClient> =>
  serve(version, { stdin: NodeStream.stdin, stdout: NodeSink.stdout })

const layerLogger = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))
