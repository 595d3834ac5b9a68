/**
 * How much of what is only volume a run plays. `npm test` plays enough of each kind to be done in some minutes; `.ci/run`
 * sets LOOM_TEST_ROUNDS=all and plays the whole.
 */
const isWhole = process.env["LOOM_TEST_ROUNDS"] === "all"

/** The number of repetitions of one and the same check. */
export const rounds = (count: { readonly some: number; readonly all: number }): number =>
  isWhole ? count.all : count.some
