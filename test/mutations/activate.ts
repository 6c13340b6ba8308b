/** Runs before each test file of a run with mutants: the file's one is in force in it. */
import { afterAll, expect } from "vitest";
import { readPlan, writeJournal } from "./plan.ts";

const plan = readPlan();
const test = expect.getState().testPath!;
Object.assign(globalThis, { activeMutant: plan.activeIn[test] });
writeJournal(plan, "began", test);
afterAll(() => writeJournal(plan, "ended", test));
