import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    setupFiles: ["test/isolate-home.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // For two cores: process-level tests wait for daemons of their own most of the time; more than this is slower.
    maxWorkers: 3,
  },
});
