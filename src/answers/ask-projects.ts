import { existsSync } from "node:fs";
import { explainError, getErrorCode } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { findProject } from "../git/projects/find-project.ts";
import { getLocalAnswerer } from "./here.ts";
import { listProjectsBelow } from "./known-projects.ts";
import type { Operation, RequestOf, ResponseOf } from "./operation.ts";
import { run } from "./run.ts";

/** Asks all projects in the registry, each as if the question were asked in that project. */

/** After this, no further project is asked, and answers that come later are dropped. Milliseconds. */
export const deadlineMs = 15_000;

/** A project that could not be asked, and why. */
interface LeftOut {
  project: string;
  reason: string;
}

/** Which projects to ask: the one around `here` first; of the others only those in the directory `below`. */
interface Where {
  here?: string | undefined;
  below?: string | undefined;
}

/** The projects to search: first the one around `here`, then the others, most recently used first. */
export async function listProjectsToAsk({
  here: place,
  below = "",
}: Where): Promise<{ project: Project; withMemory: boolean }[]> {
  const here = place === undefined ? null : await findProject(place);
  const others = listProjectsBelow(below).filter(({ id }) => id !== here?.id);
  return [...(here ? [here] : []), ...others].map((project) => ({
    project,
    withMemory: existsSync(project.memoryDb),
  }));
}

/**
 * Asks projects one after the other, because reading a memory uses the whole processor.
 * @throws PommelError `usage` if the question makes no sense in any project
 */
export async function askEach<P extends { project: Project }, T>(
  projects: readonly P[],
  ask: (project: P) => Promise<T>,
  deadline: number,
): Promise<{ answers: { project: Project; answer: T }[]; left_out: LeftOut[] }> {
  const end = performance.now() + deadline;
  const answers: { project: Project; answer: T }[] = [];
  const left_out: LeftOut[] = [];
  const wrong: unknown[] = [];
  for (const one of projects) {
    const { project } = one;
    const left = end - performance.now();
    if (left <= 0) {
      left_out.push({ project: project.root, reason: "There was no time left to search it." });
      continue;
    }
    try {
      answers.push({ project, answer: await withTimeout(ask(one), left) });
    } catch (error) {
      // The question may make sense in another project: it may name an agent that only that one has.
      if (getErrorCode(error) === "usage") wrong.push(error);
      // An item that this project does not have is no failure.
      else if (getErrorCode(error) !== "not_found")
        left_out.push({ project: project.root, reason: explainError(error) });
    }
  }
  if (answers.length === 0 && wrong.length > 0) throw wrong[0];
  return { answers, left_out };
}

/**
 * Asks the memory of each project. @returns the answers, and the projects that were asked
 * @throws PommelError as `askEach`
 */
export async function askMemories<O extends Operation>(operation: O, request: RequestOf<O>, where: Where) {
  const { answers, left_out } = await askEach(
    (await listProjectsToAsk(where)).filter(({ withMemory }) => withMemory),
    ({ project }) => ask(project, operation, request),
    deadlineMs,
  );
  return { answers, projects: answers.map(({ project }) => project.root), left_out };
}

/** The entries of all projects' lists, each with its project's root. */
export const listWithProjects = <A, T extends object>(
  answers: readonly { project: Project; answer: A }[],
  list: (answer: A) => readonly T[],
) => answers.flatMap(({ project, answer }) => list(answer).map((one) => ({ project: project.root, ...one })));

/** Rejects after `ms`, and then ignores the result of `work`. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  work.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("It did not answer in time.")), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks one project. An operation on the memory only reads what is stored; for any other, a daemon opens the project. */
export function ask<O extends Operation>(
  project: Project,
  operation: O,
  request: RequestOf<O>,
): Promise<ResponseOf<O>> {
  const daemon = operation.of === "memory" ? null : getLocalAnswerer();
  return daemon ? daemon(project.root, operation, request) : run(operation, project, request);
}
