import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/own-temporary-directory.ts"],
    setupFiles: ["test/isolate-home.ts"],
    // A slow machine is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // For two cores: process-level tests wait for daemons of their own most of the time; more than this is slower.
    maxWorkers: 3,
    // Grammars are compiled once, and not again for speed: a tenth less work.
    execArgv: ["--liftoff-only"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          setupFiles: ["test/fixed-seed.ts"],
          include: ["src/**/*.test.ts", "bench/**/*.test.ts", "examples/**/*.test.ts"],
          // Loading all modules anew for each file would take a third of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: "process", include: ["test/**/*.test.ts"], isolate: false } },
    ],
  },
});
