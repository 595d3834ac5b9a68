/**
 * `loom review`: works off what waits for a person in a namespace. On a terminal it shows one item at a time with every side
 * and why, and asks what to do; elsewhere it lists what waits and how to act. A decision is one request, for the rows as they
 * were shown: what changed meanwhile is left alone and told.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ReviewKind } from "../../src/memory/ReviewQueueModel.ts"
import type { ReviewItem, ReviewStep } from "../../src/memory/ReviewQueueModel.ts"
import { NamespaceReview } from "../../src/memory/ReviewQueueVerbs.ts"
import { callFailed, cliFailure } from "./CliFailure.ts"
import type { CliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import * as Lines from "./Lines.ts"
import * as Output from "./Output.ts"
import * as Remote from "./Remote.ts"
import * as Screen from "./ReviewScreen.ts"
import { Streams } from "./Streams.ts"

type Queue = typeof NamespaceReview.answer.Type

// A sitting's worth; what is left comes with the next run.
const AT_ONCE = 100
const LISTED = 10

/** Where the requests of a run go. */
interface Place {
  readonly remote: Remote.Remote
  readonly org: Option.Option<string>
}

const orgOf = ({ org }: Place): object => Option.match(org, { onNone: () => ({}), onSome: (org) => ({ org }) })

const look = (place: Place, request: object): Effect.Effect<Queue, CliFailure> =>
  Effect.gen(function*() {
    const { remote } = place
    const call = remote.calls.raw(remote.scope, NamespaceReview.tag, { ...request, ...orgOf(place) })
    const answer = yield* Remote.orFail(remote, call)
    return yield* Effect.mapError(
      Schema.decodeUnknown(NamespaceReview.answer)(answer),
      () =>
        cliFailure("failed", "ANSWER", `${remote.baseUrl} answers something else than its queue; is it an older Loom?`)
    )
  })

const Outcome = Schema.Struct({
  resolved: Schema.optional(Schema.Boolean),
  decided: Schema.optional(Schema.Boolean),
  verified: Schema.optional(Schema.Boolean),
  changed: Schema.optional(Schema.Number)
})

const isDone = (answer: unknown): boolean => {
  const told = Schema.decodeUnknownOption(Outcome)(answer)
  if (Option.isNone(told)) return false
  const { changed, decided, resolved, verified } = told.value
  return resolved === true || decided === true || verified === true || (changed ?? 0) > 0
}

const MEANWHILE = "It was settled or changed meanwhile, and is left as it is."

/** Sends what was decided; whether it was carried out. What the server refuses of one item ends no run. */
const decide = (place: Place, step: ReviewStep): Effect.Effect<boolean, CliFailure> => {
  const { remote } = place
  return remote.calls.raw(remote.scope, step.verb, { ...step.request, ...orgOf(place) }).pipe(
    Effect.flatMap((answer) => isDone(answer) ? Effect.succeed(true) : Effect.as(Output.lines([MEANWHILE]), false)),
    Effect.catchAll((failure) => {
      const told = callFailed(failure, remote.baseUrl, remote.token)
      if (failure.error._tag !== "Refusal" || failure.detail["code"] === "UNAUTHENTICATED") return Effect.fail(told)
      const words = failure.error.code === "STALE_VERSION" || failure.error.code === "PRECONDITION_FAILED"
        ? MEANWHILE
        : told.message
      return Effect.as(Output.lines([words]), false)
    })
  )
}

/** Asks until the line means something; the end of stdin means to end. */
const asked = (lines: Lines.Lines, item: ReviewItem): Effect.Effect<Screen.Choice> =>
  Effect.gen(function*() {
    while (true) {
      yield* Output.text("> ")
      const line = yield* lines.next
      if (Option.isNone(line)) {
        yield* Output.lines([""])
        return "quit"
      }
      const choice = Screen.choiceOf(item, line.value)
      if (Either.isRight(choice)) return choice.right
      yield* Output.lines([choice.left])
    }
  })

/** One item after another, until all were seen or the person ends it. */
const workOff = (place: Place, queue: Queue) =>
  Effect.gen(function*() {
    const lines = yield* Lines.make
    const counts = { decided: 0, skipped: 0 }
    const items = queue.kinds.flatMap(({ count, items, kind }) =>
      items.map((item, at) => ({ item, head: Screen.headLine(kind, at + 1, count, item) }))
    )
    for (const { head, item } of items) {
      yield* Output.lines(["", head, ...Screen.itemLines(item), ...Screen.choiceLines(item)])
      const choice = yield* asked(lines, item)
      if (choice === "quit") break
      if (choice !== "skip" && (yield* decide(place, choice))) counts.decided += 1
      else counts.skipped += 1
    }
    const left = queue.total - counts.decided
    yield* Output.lines([
      "",
      `Decided ${counts.decided}, passed over ${counts.skipped}; ${
        left === 0 ? "nothing waits any more" : `${left} wait still`
      }.`
    ])
  })

const HOW =
  "Run `loom review` in a terminal to decide one after another, `loom review --json` for all of it as data, or one of the calls above."

const listed = (queue: Queue): ReadonlyArray<string> => [
  ...Output.table(Screen.summary(queue)),
  ...queue.kinds.flatMap(({ count, items, kind }) =>
    items.flatMap((item, at) => [
      "",
      Screen.headLine(kind, at + 1, count, item),
      ...Screen.itemLines(item),
      ...Screen.callLines(item)
    ])
  ),
  "",
  HOW
]

export const reviewCommand = Command.make("review", {
  org: CommonOptions.text("org", "name", "The org (LOOM_ORG; default: the token's)"),
  namespace: CommonOptions.text("namespace", "name", "The namespace (LOOM_NAMESPACE; default: the token's)"),
  kind: Options.choice("kind", ReviewKind.literals).pipe(
    Options.withDescription("Only this kind of work"),
    Options.optional
  ),
  json: CommonOptions.asJson
}, ({ json, kind, namespace, org }) =>
  Effect.gen(function*() {
    const remote = yield* Remote.make()
    const { stdin, stdout } = yield* Streams
    const atTerminal = !json && stdin.isTTY === true && stdout.isTTY === true
    const place = { remote, org }
    const queue = yield* look(place, {
      ...Option.match(namespace, { onNone: () => ({}), onSome: (namespace) => ({ namespace }) }),
      ...Option.match(kind, { onNone: () => ({}), onSome: (kind) => ({ kind }) }),
      limit: atTerminal ? AT_ONCE : LISTED
    })
    if (json) return yield* Output.json(queue)
    if (queue.total === 0) return yield* Output.lines([`Nothing waits in ${queue.namespace}`])
    if (!atTerminal) return yield* Output.lines(listed(queue))
    yield* Output.lines(Output.table(Screen.summary(queue)))
    return yield* workOff(place, queue)
  })).pipe(Command.withDescription("Decide what waits for a person: contradictions, proposals and more"))
