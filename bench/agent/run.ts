import { exploreTool, readByExplore } from "./codegraph.ts";
import { type Manner, readByGrep } from "./grep.ts";
import type { Prepared } from "./prepare.ts";
import { type Cost, type Criterion, createReading } from "./reading.ts";
import { searchTool } from "./search.ts";
import { criteriaOf, type Task } from "./tasks.ts";
import { type FoundAt, readBySearch } from "./with-search.ts";

/** Ways to find an answer. */
export const policies = ["grep, whole files", "grep, windows", "codegraph explore", "search_code"] as const;
export type Policy = (typeof policies)[number];

/** The result of one policy. */
export interface Outcome extends Cost {
  isFound: boolean;
}

/** One task, read until found in every way that can be compared. */
export interface Trial {
  task: Task;
  criterion: Criterion;
  outcomes: Partial<Record<Policy, Outcome>>;
  /** The search result that led to the answer; null: none. */
  foundAt: FoundAt;
}

interface Options {
  /** Of an answer of search_code; left out: the tool's own. */
  maxTokens?: number | undefined;
  /** codegraph's program; left out: it is not asked. */
  codegraph?: string | undefined;
}

export async function runTasks(
  { project, sources, tasks }: Prepared,
  { maxTokens, codegraph }: Options = {},
): Promise<Trial[]> {
  const explore = codegraph === undefined ? null : exploreTool(codegraph, project.root);
  const search = searchTool(project, maxTokens);
  const trials: Trial[] = [];
  for (const task of tasks) {
    for (const criterion of criteriaOf[task.kind]) {
      const outcomes: Trial["outcomes"] = {};
      for (const manner of mannersOf(criterion)) {
        const reading = createReading(sources, task.answer, criterion);
        readByGrep(task.question, sources, reading, manner);
        outcomes[manner === "whole" ? "grep, whole files" : "grep, windows"] = outcomeOf(reading);
      }
      if (explore !== null) {
        const reading = createReading(sources, task.answer, criterion);
        readByExplore(task.question, { sources, reading, explore });
        outcomes["codegraph explore"] = outcomeOf(reading);
      }
      const reading = createReading(sources, task.answer, criterion);
      const foundAt = await readBySearch(task.question, { sources, reading, search });
      outcomes.search_code = outcomeOf(reading);
      trials.push({ task, criterion, outcomes, foundAt });
    }
  }
  return trials;
}

/** A whole file is not read in windows. */
function mannersOf(criterion: Criterion): Manner[] {
  return criterion === "whole" ? ["whole"] : ["whole", "windows"];
}

function outcomeOf({ cost, isFound }: ReturnType<typeof createReading>): Outcome {
  return { ...cost(), isFound: isFound() };
}
