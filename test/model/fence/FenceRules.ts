/**
 * The protocol of the fence in pieces that can be left out, and the writes that a model of it plays. With every piece in,
 * nothing may go wrong whatever happens when; with any one left out the model must find what goes wrong.
 */

/** What the protocol does; each of these is true in the protocol as it is. */
export const protocol = {
  /** A reservation is refused when its epoch is not the current one. */
  reserveChecks: true,
  /** A reservation outlives a crash of Postgres once it was answered. */
  reserveEndures: true,
  /** An owner has one commit of a namespace under way. */
  oneAtATime: true,
  /** Nobody is answered before the confirmation. */
  confirms: true,
  /** A confirmation is refused when its epoch is not the current one or its intent is decided otherwise. */
  confirmChecks: true,
  /** The confirmation of a commit without rows outlives a crash of Postgres. */
  rowlessConfirmEndures: true,
  /** Whoever takes a namespace settles what is undecided before anything else. */
  settles: true,
  /** It is written down that an intent is void before anything of it is voided. */
  doomMarks: true,
  /** The versions that a voiding uses are counted as handed out. */
  doomReserves: true,
  /** What was doomed is never adopted, whatever the store holds of it. */
  doomBinds: true,
  /** Voiding lays a later revision over the versions of the intent. */
  voidsVersions: true,
  /** Voiding lays a later revision over the versions under which it writes the heads again. */
  voidsFresh: true,
  /** The later revisions are in before the heads are read and written again. */
  voidsFirst: true,
  /** Voiding writes the heads again, under fresh versions. */
  freshHeads: true,
  /** A head that was not there before is written as a void one. */
  voidHeads: true,
  /** What the heads were before is read from the history and not from the heads. */
  headsFromHistory: true,
  /** What was derived from a memory is derived again under the fresh version where a voided commit would have taken it away. */
  derivesAgain: true,
  /** A delete of what was derived reaches up to the version of its commit and no further. */
  forgetsBounded: true,
  /** Mirrors are completed when a namespace is taken. */
  repairs: true
} as const

export type Rules = { readonly [rule in keyof typeof protocol]: boolean }

export type Rule = keyof Rules

/** The protocol with pieces left out. */
export const without = (...rules: ReadonlyArray<Rule>): Rules => ({
  ...protocol,
  ...Object.fromEntries(rules.map((rule) => [rule, false]))
})

/** A position of the journal that no row makes (an audited read); the numbers below are keys of rows. */
export const LINK = 2

/** What is written. */
export interface Scenario {
  readonly name: string
  /** For each write the keys that it changes; the first two are the two batches of the first owner. */
  readonly writes: ReadonlyArray<ReadonlyArray<number>>
  /** Of those the keys of rows. */
  readonly rows: ReadonlyArray<ReadonlyArray<number>>
  /** The write that deletes the memory under its key; 0 when there is none. */
  readonly deletes: number
}

const scenario = (name: string, writes: Scenario["writes"], deletes: number): Scenario => ({
  name,
  writes,
  rows: writes.map((keys) => keys.filter((key) => key !== LINK)),
  deletes
})

/** A key that is written again and again, and one that is new with the second batch. */
export const twoKeys = scenario("two keys", [[0], [0, 1], [0]], 0)

/** The second batch is an audited read. */
export const auditedRead = scenario("an audited read", [[0], [LINK], [0]], 0)

/** The second batch deletes what the first wrote. */
export const aDelete = scenario("a delete", [[0], [0], [0]], 2)
