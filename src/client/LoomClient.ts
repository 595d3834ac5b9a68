/**
 * The typed client of a Loom server, over HTTP: `LoomClient.make({ org, namespace }).agent("release-bot").memory.set(…)`
 * for plain programs (promises, `LoomApiError`), and the tag `LoomClient` with its layers for Effect programs
 * (`LoomError`). It knows the verbs and nothing of the server. What is retried is said in `RetryPolicy`.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { TypeLambda } from "effect/HKT"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { LoomError } from "../kernel/LoomError.ts"
import type { CallFailure } from "./LoomApiError.ts"
import { LoomApiError } from "./LoomApiError.ts"
import * as Calls from "./LoomCalls.ts"
import type { Families } from "./LoomFamilies.ts"
import { families } from "./LoomFamilies.ts"
import * as LoomHttp from "./LoomHttp.ts"
import type { LoomIdentity } from "./LoomIdentity.ts"
import type { Probe } from "./LoomProbe.ts"
import type { RetryOptions } from "./RetryPolicy.ts"
import { defaults } from "./RetryPolicy.ts"

export { LoomApiError } from "./LoomApiError.ts"

export interface LoomClientOptions extends LoomIdentity {
  /** The server's address; by default that of `loom serve` on this machine. */
  readonly baseUrl?: string | undefined
  /** The bearer token; a server in single-user mode needs none. */
  readonly apiKey?: string | undefined
  /** Changes to the retry rule, in milliseconds. */
  readonly retry?: Partial<RetryOptions> | undefined
}

/** What a call of the promise API takes beside the request. */
export interface CallOptions {
  /** Gives the call up; what the server was sent it may still carry out. */
  readonly signal?: AbortSignal | undefined
}

interface EffectCall extends TypeLambda {
  readonly type: (request: this["In"]) => Effect.Effect<this["Out1"], LoomError>
}

interface PromiseCall extends TypeLambda {
  readonly type: (request: this["In"], options?: CallOptions) => Promise<this["Out1"]>
}

/** Gives the same client for a narrower identity. */
interface Builder<Client> {
  /** Who writes: stamped on what is stored. Reads are of all agents. */
  readonly agent: (agent: string) => Client
  /** Whose memory: stamped on what is stored, and reads see this user's rows alone. */
  readonly user: (userId: string) => Client
  /** The session that writes. */
  readonly session: (sessionId: string) => Client
}

type OtherFamilies<F extends TypeLambda> = Omit<Families<F>, "run">

/** `run("…")` narrows the identity to a run; `run.begin(…)` and the others call its verbs. */
type RunFamily<F extends TypeLambda, Client> = Families<F>["run"] & ((runId: string) => Client)

export interface LoomEffectApi extends OtherFamilies<EffectCall>, Builder<LoomEffectApi> {
  readonly run: RunFamily<EffectCall, LoomEffectApi>
  /** Calls any verb by name with JSON. */
  readonly call: (verb: string, request: object) => Effect.Effect<unknown, LoomError>
  /** Which verbs and fields client and server do not share. */
  readonly probe: () => Effect.Effect<Probe, LoomError>
}

export interface LoomPromiseApi extends OtherFamilies<PromiseCall>, Builder<LoomPromiseApi> {
  readonly run: RunFamily<PromiseCall, LoomPromiseApi>
  /** Calls any verb by name with JSON. */
  readonly call: (verb: string, request: object, options?: CallOptions) => Promise<unknown>
  /** Which verbs and fields client and server do not share. */
  readonly probe: (options?: CallOptions) => Promise<Probe>
}

// Where `loom serve` listens when nothing else is said.
const LOCAL_SERVER = "http://127.0.0.1:7777"

/** The client of an Effect program, and by its statics that of a plain one. */
export class LoomClient extends Context.Tag("loom/client/LoomClient")<LoomClient, LoomEffectApi>() {
  /** A client with promises, over `fetch`. */
  static make(options: LoomClientOptions = {}): LoomPromiseApi {
    return promiseApi(callsOf(fetchClient, options), identityOf(options))
  }

  /** `make` with what `LOOM_BASE_URL`, `LOOM_API_KEY`, `LOOM_ORG` and `LOOM_NAMESPACE` say under the options. */
  static fromEnv(options: LoomClientOptions = {}): LoomPromiseApi {
    return LoomClient.make({ ...Effect.runSync(environment), ...options })
  }

  /** The client over the program's own `HttpClient`. */
  static layer(options: LoomClientOptions = {}): Layer.Layer<LoomClient, never, HttpClient.HttpClient> {
    return Layer.effect(
      LoomClient,
      Effect.map(HttpClient.HttpClient, (client) => effectApi(callsOf(client, options), identityOf(options)))
    )
  }

  /** `layer` with what the configuration says under the options. */
  static layerConfig(
    options: LoomClientOptions = {}
  ): Layer.Layer<LoomClient, ConfigError, HttpClient.HttpClient> {
    return Layer.unwrapEffect(Effect.map(environment, (read) => LoomClient.layer({ ...read, ...options })))
  }
}

const optional = (name: string) => Config.map(Config.option(Config.string(name)), Option.getOrUndefined)

const environment = Config.all({
  baseUrl: optional("LOOM_BASE_URL"),
  apiKey: Config.map(
    Config.option(Config.redacted("LOOM_API_KEY")),
    (key) => Option.getOrUndefined(Option.map(key, Redacted.value))
  ),
  org: optional("LOOM_ORG"),
  namespace: optional("LOOM_NAMESPACE")
})

const fetchClient = Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer))

const callsOf = (client: HttpClient.HttpClient, options: LoomClientOptions): Calls.LoomCalls =>
  Calls.make(LoomHttp.make(client, {
    baseUrl: options.baseUrl ?? LOCAL_SERVER,
    apiKey: options.apiKey,
    retry: { ...defaults, ...options.retry }
  }))

const identityOf = ({ agent, namespace, org, run_id, session_id, user_id }: LoomClientOptions): LoomIdentity => ({
  agent,
  namespace,
  org,
  run_id,
  session_id,
  user_id
})

const builder = <Client>(identity: LoomIdentity, of: (identity: LoomIdentity) => Client): Builder<Client> => ({
  agent: (agent) => of({ ...identity, agent }),
  user: (user_id) => of({ ...identity, user_id }),
  session: (session_id) => of({ ...identity, session_id })
})

const toLoomError = Effect.mapError((failure: CallFailure) => failure.error)

const effectApi = (calls: Calls.LoomCalls, identity: LoomIdentity): LoomEffectApi => {
  const verbs = families<EffectCall>((verb) => {
    const call = calls.typed(verb)
    return (request) => toLoomError(call(identity, request))
  })
  return {
    ...verbs,
    ...builder(identity, (next) => effectApi(calls, next)),
    // The run that writes.
    run: Object.assign((run_id: string) => effectApi(calls, { ...identity, run_id }), verbs.run),
    call: (verb, request) => toLoomError(calls.raw(identity, verb, request)),
    probe: () => toLoomError(calls.probe)
  }
}

const promiseApi = (calls: Calls.LoomCalls, identity: LoomIdentity): LoomPromiseApi => {
  const verbs = families<PromiseCall>((verb) => {
    const call = calls.typed(verb)
    return (request, options) => toPromise(call(identity, request), options)
  })
  return {
    ...verbs,
    ...builder(identity, (next) => promiseApi(calls, next)),
    run: Object.assign((run_id: string) => promiseApi(calls, { ...identity, run_id }), verbs.run),
    call: (verb, request, options) => toPromise(calls.raw(identity, verb, request), options),
    probe: (options) => toPromise(calls.probe, options)
  }
}

/** Runs a call; a failure is thrown as `LoomApiError`, an abort as the signal's reason. */
const toPromise = async <A>(call: Effect.Effect<A, CallFailure>, options: CallOptions = {}): Promise<A> => {
  const exit = await Effect.runPromiseExit(call, options.signal === undefined ? {} : { signal: options.signal })
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) throw new LoomApiError(failure.value)
  throw Cause.isInterruptedOnly(exit.cause) ? options.signal?.reason ?? exit.cause : Cause.squash(exit.cause)
}
