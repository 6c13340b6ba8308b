import { defineConfig } from "vitest/config";
import { TestBudget } from "./test/support/test-budget.ts";

/** The files of `test/e2e/` that `npm test` runs: one for each face, and one for the daemon behind them. */
const smokeTests = ["autostart", "cli-hooks", "cli-memory", "lsp", "mcp", "page-origin", "why"].map(
  (name) => `test/e2e/${name}.test.ts`,
);
/** Tests that start a database server, or want a package that is not installed. */
const engineTests = ["src/engines/{lancedb,postgres}/*.test.ts", "src/**/team.test.ts"];

/** Unit tests that start git hundreds of times, or seal and unseal whole memories: half of what all the others take. */
const slowUnitTests = [
  "bench/attribution/corpus.test.ts",
  "src/attribution/checkpoints/backfill.test.ts",
  "src/features/exchange/{carry,pm-attribution}.test.ts",
  "src/store/encryption/{encryption,recovery}.test.ts",
  "src/sync/{sync,sync-faults,sync-schedules}.test.ts",
  "src/sync/codec/codec.test.ts",
  "src/sync/origin/origin.test.ts",
];

/**
 * Tests of whole programs meet the machine's own accidents. A second try keeps one of them from stopping a run, and the report
 * names each test that needed it (`TestBudget`), as it may have met a fault of Pommel as well.
 */
const programRetries = 1;

export default defineConfig({
  test: {
    globalSetup: ["test/own-temporary-directory.ts"],
    setupFiles: ["test/isolate-home.ts"],
    reporters: ["default", new TestBudget({ unit: 450, smoke: 200 })],
    // A slow machine is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // For two cores: tests of programs wait for daemons of their own most of the time; more than this is slower.
    maxWorkers: 3,
    // Grammars are compiled once, and not again for speed: a tenth less work.
    execArgv: ["--liftoff-only"],
    // Loading all modules anew for each file would take a third of the time.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          setupFiles: ["test/fixed-seed.ts"],
          include: ["src/**/*.test.ts", "bench/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: [...engineTests, ...slowUnitTests],
        },
      },
      {
        extends: true,
        test: { name: "slow-unit", setupFiles: ["test/fixed-seed.ts"], include: slowUnitTests },
      },
      { extends: true, test: { name: "smoke", include: smokeTests, retry: programRetries } },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: smokeTests,
          retry: programRetries,
        },
      },
      {
        extends: true,
        test: { name: "engines", setupFiles: ["test/fixed-seed.ts"], include: engineTests },
      },
      {
        extends: true,
        test: { name: "long", include: ["test/{faults,fuzz,mutations,real-client}/**/*.test.ts"] },
      },
    ],
  },
});
