/**
 * Tests run in forked processes (the embedded engine and the embedder hold native state), two at a time, against the
 * sources. libuv reads the size of its thread pool once, when a process starts, so it is set here for the forks to inherit.
 */
import { defineConfig } from "vitest/config"

process.env["UV_THREADPOOL_SIZE"] = "16"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    poolOptions: { forks: { minForks: 1, maxForks: 2 } },
    // A first property test or a first engine start takes seconds on two busy cores; a test that hangs is seen within a minute.
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
