/**
 * Runs before every unit test file: a run meets the same cases as the one before, and so many of them. `npm run fuzz`
 * looks for others.
 */
import fc from "fast-check";
import { runs } from "./support/runs.ts";

fc.configureGlobal({ seed: 1, numRuns: runs(40) });
