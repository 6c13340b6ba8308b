import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { holdMutants } from "./mutants.ts";
import { readPlan } from "./plan.ts";

const root = resolve(import.meta.dirname, "../..");
const { mutants, activeIn, journal } = readPlan();
const byFile = new Map(
  mutants.map(({ file }) => [join(root, file), mutants.filter((one) => one.file === file)]),
);

/** Unit tests with sources that hold mutants. Each file has a process of its own: what one leaves behind is not for the next. */
export default defineConfig({
  root,
  plugins: [
    {
      name: "mutants",
      enforce: "pre",
      load: (id) => (byFile.has(id) ? holdMutants(readFileSync(id, "utf8"), byFile.get(id)!) : null),
    },
  ],
  test: {
    globalSetup: ["test/own-temporary-directory.ts"],
    setupFiles: ["test/mutations/activate.ts", "test/isolate-home.ts", "test/fixed-seed.ts"],
    include: Object.keys(activeIn),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    execArgv: ["--liftoff-only"],
    isolate: true,
    // What one run transformed, the next of the same sample has.
    experimental: { fsModuleCache: true, fsModuleCachePath: join(dirname(journal), "modules") },
    maxWorkers: 3,
  },
});
