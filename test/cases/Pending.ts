/**
 * What the behaviour cases ask for and the server cannot do yet: the steps of each case that wait, and the verbs that they
 * wait for. A verb that has come takes its steps out of here and into a test.
 */

export interface PendingSteps {
  readonly case: string
  readonly steps: string
  /** Verbs without which the steps cannot be taken. */
  readonly verbs: ReadonlyArray<string>
}

export const pending: ReadonlyArray<PendingSteps> = []
