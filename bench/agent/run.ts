import { execFileSync } from "node:child_process";
import { type Manner, readByGrep } from "./grep.ts";
import type { Prepared } from "./prepare.ts";
import { type Cost, type Criterion, createReading, type Reading } from "./reading.ts";
import type { Sources } from "./sources.ts";
import { criteriaOf, type Task } from "./tasks.ts";
import { type FoundAt, readBySearch, searchTool } from "./with-search.ts";

/** Asks codegraph (npm: @colbymchenry/codegraph) about a question, as its MCP tool `codegraph_explore` does. */
type Explore = (question: string) => string;

/** @param program its `codegraph`; it indexes the files at `root` now */
function exploreTool(program: string, root: string): Explore {
  const run = (...args: string[]) =>
    execFileSync(program, args, {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, CODEGRAPH_TELEMETRY: "0" },
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64e6,
    });
  run("init", root);
  return (question) => run("explore", "--path", root, question);
}

/** Lines read before and after a place that an answer names without its code. */
const around = 10;
/** Such places that are read. */
const maxPlaces = 10;

/** An agent with codegraph: it asks once, reads around the places that the answer only names, then greps. */
function readByExplore(
  question: string,
  { sources, reading, explore }: { sources: Sources; reading: Reading; explore: Explore },
): void {
  const answer = explore(question);
  reading.print(answer);
  for (const [file, lines] of linesShown(answer)) reading.sawPrinted(file, lines);
  for (const { file, line } of placesNamed(answer)) {
    if (reading.isOver()) return;
    if (!reading.hasSeen(file, line, line)) reading.read(file, line - around, line + around);
  }
  if (!reading.isOver()) readByGrep(question, sources, reading, "windows");
}

/** Files are headings, "**`src/a.ts`**", above their lines, "12\tcode". */
function linesShown(answer: string): Map<string, number[]> {
  const shown = new Map<string, number[]>();
  let file: string | null = null;
  for (const line of answer.split("\n")) {
    file = /^\*\*`([^`]+)`\*\*/.exec(line)?.[1] ?? file;
    const number = /^(\d+)\t/.exec(line)?.[1];
    if (file !== null && number !== undefined) shown.set(file, [...(shown.get(file) ?? []), Number(number)]);
  }
  return shown;
}

function placesNamed(answer: string): { file: string; line: number }[] {
  const places = [...answer.matchAll(/\(([^()\s:]+):(\d+)\)/g)];
  return places.slice(0, maxPlaces).map(([, file, line]) => ({ file: file!, line: Number(line) }));
}

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
