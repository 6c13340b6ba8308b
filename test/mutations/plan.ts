import { appendFileSync, readFileSync } from "node:fs";
import type { Mutant } from "./mutants.ts";

/** What a run of tests goes by: the file that this variable names. */
export const planVariable = "POMMEL_MUTATION_PLAN";

export interface Plan {
  mutants: (Mutant & { id: number })[];
  /** Which mutant is in force in a test file. */
  activeIn: Record<string, number>;
  /** To which test files add that they began or ended, and in which process: one that never ends has to be ended. */
  journal: string;
}

export const readPlan = (): Plan => JSON.parse(readFileSync(process.env[planVariable]!, "utf8"));

export const writeJournal = ({ journal }: Plan, what: "began" | "ended", test: string): void =>
  appendFileSync(journal, `${what}\t${test}\t${process.pid}\n`);
