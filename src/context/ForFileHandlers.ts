/**
 * The handler of `memory.for_file`: whose rows are read, and the answer around the block. Rows of extra namespaces are
 * read whoever wrote them, unless the token is bound to one user. An extra namespace is told as skipped when the token does
 * not open it, in the same way whether it exists or not.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { opensNamespace, readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { IndexLag, noteLagOf } from "../kernel/IndexLag.ts"
import { refuse } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { Answer, BoundVerb, Payload } from "../kernel/Verb.ts"
import { isVerified } from "../memory/MemoryModel.ts"
import { Tokens } from "../platform/Tokens.ts"
import { choose, inOrder } from "./ForFile.ts"
import { isDisputed, repositoryPath } from "./ForFileModel.ts"
import type { FileHead, FileMemory } from "./ForFileModel.ts"
import { ForFileOptions } from "./ForFileOptions.ts"
import { ForFileStore } from "./ForFileStore.ts"
import { MemoryForFile } from "./ForFileVerbs.ts"

const DEFAULT_BUDGET = 300
// A line has five characters at the least, so this many values are read at most for the rows that a block can hold.
const MOST_TEXTS = 500
const MOST_LEFT_OUT = 100

type Request = Payload<typeof MemoryForFile>

const placed = (row: FileMemory) => ({
  namespace: row.namespace,
  memory_key: row.memory_key,
  memory_id: row.memory_id,
  agent: row.agent,
  user_id: row.user_id,
  session_id: row.session_id,
  memory_type: row.memory_type,
  pinned: row.pinned,
  source_class: row.source_class,
  verified: isVerified(row),
  disputed: isDisputed(row)
})

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, ForFileStore | ForFileOptions | Tokens> = Effect.gen(
  function*() {
    const store = yield* ForFileStore
    const options = yield* ForFileOptions
    const tokens = yield* Tokens
    const lag = yield* IndexLag

    const handler = (request: Request, caller: Caller) =>
      Effect.gen(function*() {
        const home = yield* resolveScope(caller, request)
        const file = repositoryPath(request.file)
        if (file === "") return yield* refuse("INVALID_ARGUMENT", "`file` names no file", { field: "file" })
        const extra = [...new Set(request.extra_namespaces ?? [])].filter((name) => name !== home.namespace)
        const team = extra.filter((name) => opensNamespace(caller, name))
        const spaces = {
          namespaces_searched: [home.namespace, ...team],
          namespaces_skipped: extra.filter((name) => !team.includes(name))
        }
        const { none, user } = readableUser(caller, request.user_id)
        if (none) return empty(file, spaces)

        const now = yield* Clock.currentTimeMillis
        const anyone = { agent: null, user_id: caller.boundUser, session_id: null }
        const own = { agent: request.agent ?? null, user_id: user, session_id: request.session_id ?? null }
        const found = yield* Effect.forEach(spaces.namespaces_searched, (namespace) => {
          const isTeam = namespace !== home.namespace
          const scope = { org: home.org, namespace }
          return Effect.map(
            Effect.zipRight(noteLagOf(lag, scope), store.heads(scope, isTeam ? anyone : own, file, now)),
            ({ heads, total }) => ({ rows: heads.map((head) => unread(head, isTeam)), total })
          )
        }, { concurrency: 4 })

        const total = found.reduce((sum, one) => sum + one.total, 0)
        const rows = found.flatMap((one) => one.rows)
        if (total === 0) return empty(file, spaces)
        const choice = choose({
          file,
          rows: yield* withTexts(home.org, rows),
          unread: total - rows.length,
          limits: { budget: request.token_budget ?? DEFAULT_BUDGET, ceiling: options.wholeTokens },
          now
        }, yield* tokens.counter)
        return {
          file,
          block: choice.block,
          memories: choice.shown.map(placed),
          total,
          left_out_count: total - choice.shown.length,
          left_out: choice.left.slice(0, MOST_LEFT_OUT).map(({ reason, row }) => ({ ...placed(row), reason })),
          tokens_returned: choice.tokens,
          ...spaces,
          degraded: []
        }
      })

    /** The rows with the text of those that may be printed. */
    const withTexts = (org: string, rows: ReadonlyArray<FileMemory>) =>
      Effect.gen(function*() {
        const printable = inOrder(rows).slice(0, MOST_TEXTS)
        const namespaces = [...new Set(printable.map(({ namespace }) => namespace))]
        const texts = new Map(
          yield* Effect.forEach(namespaces, (namespace) =>
            Effect.map(
              store.texts({ org, namespace }, printable.filter((row) => row.namespace === namespace)),
              (found) => [namespace, found] as const
            ))
        )
        return rows.map((row): FileMemory => ({ ...row, ...texts.get(row.namespace)?.get(row.memory_id) }))
      })

    return [bind(MemoryForFile, handler)]
  }
)

const unread = (head: FileHead, isTeam: boolean): FileMemory => ({ ...head, isTeam, text: null, isCut: false })

type Spaces = Pick<Answer<typeof MemoryForFile>, "namespaces_searched" | "namespaces_skipped">

const empty = (file: string, spaces: Spaces): Answer<typeof MemoryForFile> => ({
  file,
  block: "",
  memories: [],
  total: 0,
  left_out_count: 0,
  left_out: [],
  tokens_returned: 0,
  ...spaces,
  degraded: []
})
