import type { PartName } from "../../agents/setup.ts";
import { type Output, tick } from "../output.ts";

/** What became of a part; `skipped`: nobody wants it, `kept`: somebody's own is in its place and stays. */
export interface PartOutcome {
  state: "installed" | "skipped" | "failed" | "kept";
  file: string | null;
  /** Why it is not installed; null when it is. */
  reason: string | null;
}

export type AgentOutcome = { agent: string } & Partial<Record<PartName, PartOutcome>>;

/** The JSON of `pm init`; paths are relative to `root`. */
export interface InitResult {
  root: string;
  created: string[];
  changed: string[];
  /** The user's file of patterns of secrets, absolute; null when it could not be written. */
  patterns: string | null;
  already: string[];
  /** Claude Code's; those of all agents, with the rest, are in `agents`. */
  hooks: HooksOutcome;
  agents: AgentOutcome[];
  git_hooks: HooksOutcome;
  /** The daemon was started now; false when it ran already or nobody asked for it. */
  started: boolean;
}

/** What became of hooks; `skipped`: nobody wants them (--no-hooks, `pm disable`), or there is no git. */
export interface HooksOutcome {
  state: "installed" | "skipped" | "failed" | "kept";
  /** Why they are not installed; null when they are. */
  reason: string | null;
}

/** What was done to files, by their paths. */
export type ChangedPaths = Pick<InitResult, "created" | "changed" | "already">;

type Outcome = "created" | "changed" | "already";

export interface StepPrinter {
  next(title: string): void;
  done(result: ChangedPaths, outcome: Outcome, part: string, detail?: string): void;
  /** Several parts of one directory in one line. */
  doneIn(result: ChangedPaths, outcome: Outcome, dir: string, names: readonly string[]): void;
}

export function stepPrinter(output: Output, total: number): StepPrinter {
  let step = 0;
  const verbs = { created: "Created", changed: "Changed", already: "Already there:" };
  const print = (outcome: Outcome, what: string) =>
    output.print(`      ${tick("ok", output.colors)} ${verbs[outcome]} ${what}`);
  return {
    next(title) {
      step++;
      output.print(`\n[${step}/${total}] ${title}`);
    },
    done(result, outcome, part, detail) {
      result[outcome].push(part);
      print(outcome, detail === undefined ? part : `${part} (${detail})`);
    },
    doneIn(result, outcome, dir, names) {
      if (names.length === 0) return;
      result[outcome].push(...names.map((name) => `${dir}/${name}`));
      print(outcome, `${dir}/${names.join(", ")}`);
    },
  };
}
