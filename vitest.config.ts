import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    setupFiles: ["test/isolate-home.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: process-level tests start daemons of their own, more forks only make them slower.
    maxWorkers: 2,
  },
});
