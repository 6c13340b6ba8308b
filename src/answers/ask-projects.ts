import { existsSync } from "node:fs";
import { explainError, getErrorCode } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { findProject } from "../git/projects/find-project.ts";
import { getLocalAnswerer } from "./here.ts";
import { listProjectsBelow } from "./known-projects.ts";
import type { Operation, RequestOf, ResponseOf } from "./operation.ts";
import { run } from "./run.ts";

/** Asks all projects of the registry; each one is read as by a question in it. */

/** No further project is asked after this, and late answers are left out. Milliseconds. */
export const deadlineMs = 15_000;

/** A project that could not be asked, and why. */
interface LeftOut {
  project: string;
  reason: string;
}

/** Which projects: the one around `here` first; only those in the directory `below`. */
interface Where {
  here?: string | undefined;
  below?: string | undefined;
}

/**
 * The projects to search: the one here first, then those used last.
 */
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
 * One after the other: reading takes the whole processor.
 * @throws PommelError `usage` where the question makes no sense in any project
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
      // An agent, say, that only another project has.
      if (getErrorCode(error) === "usage") wrong.push(error);
      // The requested item is just not in this project.
      else if (getErrorCode(error) !== "not_found")
        left_out.push({ project: project.root, reason: explainError(error) });
    }
  }
  if (answers.length === 0 && wrong.length > 0) throw wrong[0];
  return { answers, left_out };
}

/**
 * What the memory of each project answers, and which were asked.
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

/** What each project lists, with the root of its project. */
export const listWithProjects = <A, T extends object>(
  answers: readonly { project: Project; answer: A }[],
  list: (answer: A) => readonly T[],
) => answers.flatMap(({ project, answer }) => list(answer).map((one) => ({ project: project.root, ...one })));

/** Rejects after `ms`; later results of `work` are ignored. */
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

/** A daemon opens the project to search it; for a list, and elsewhere, what is stored is read. */
export function ask<O extends Operation>(
  project: Project,
  operation: O,
  request: RequestOf<O>,
): Promise<ResponseOf<O>> {
  const daemon = operation.of === "memory" ? null : getLocalAnswerer();
  return daemon ? daemon(project.root, operation, request) : run(operation, project, request);
}
