import { existsSync } from "node:fs";
import { loadConfig } from "../project/config/config.ts";
import { codeOf, explanationOf } from "../project/errors.ts";
import { isInside, type Project } from "../project/paths.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import {
  type HistorySearchRequest,
  resultUnitOf,
  type SearchAllRequest,
} from "../protocol/operations/search.ts";
import type { SessionSummary, SessionsRequest } from "../protocol/operations/sessions.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import { listProjects } from "../queries/projects/known-projects.ts";
import { call } from "./call.ts";
import {
  type CodePart,
  type HistoryPart,
  mergeCode,
  mergeHistory,
  mergeTranscripts,
  type TranscriptPart,
} from "./merge-answers.ts";

/** Searches all projects of the registry; each one is read as by a search in it. */

/** A project that did not answer. */
export interface LeftOut {
  /** Its root. */
  project: string;
  reason: string;
}

export interface Across<T> {
  answer: T;
  /** Roots of the projects that answered, in the order of the requests. */
  projects: string[];
  left_out: LeftOut[];
}

/** No further project is asked after this, and late answers are left out. Milliseconds. */
const deadlineMs = 15_000;

/** As long as one daemon may take; then its databases are read here. Milliseconds. */
const timeoutMs = 3000;

/** All projects, the one here first; null: there is none here. `below`: only those in a directory. */
export type Here = Project | { below: string } | null;

const isProject = (here: Here): here is Project => here !== null && "root" in here;

/** The projects in a directory ("" for any), those used last first. */
export function projectsBelow(dir: string): Project[] {
  const listed = listProjects().filter(
    ({ isGone, project }) => !isGone && (dir === "" || isInside(project.root, dir)),
  );
  return listed.map(({ project }) => project);
}

/**
 * The projects to search: the one here first, then those used last.
 */
export function projectsToAsk(here: Here): { project: Project; withMemory: boolean }[] {
  const known = projectsBelow(here === null || isProject(here) ? "" : here.below);
  const others = known.filter(({ id }) => !isProject(here) || id !== here.id);
  return [...(isProject(here) ? [here] : []), ...others].map((project) => ({
    project,
    withMemory: existsSync(project.memoryDb),
  }));
}

export interface AcrossAnswer {
  code: ReturnType<typeof mergeCode> | null;
  transcripts: ReturnType<typeof mergeTranscripts> | null;
  history: ReturnType<typeof mergeHistory> | null;
}

/**
 * Searches all projects and puts what is found in one order (merge-answers.ts).
 * @throws PommelError `usage` for a question that makes no sense
 */
export async function searchAcross(
  here: Here,
  asks: readonly (keyof AcrossAnswer)[],
  request: SearchAllRequest & Pick<HistorySearchRequest, "of">,
  deadline = deadlineMs,
): Promise<Across<AcrossAnswer>> {
  const limit = request.limit ?? loadConfig(isProject(here) ? here : null).config["search.limit"];
  // The signals of a result show how confident its project is.
  const asked = { ...request, limit, explain: true };
  const start = performance.now();
  const { answers, left_out } = await askEach(
    projectsToAsk(here),
    async ({ project, withMemory }) => {
      const errors: unknown[] = [];
      // Another project's files are elsewhere.
      const ofCode = isProject(here) && project.root === here.root ? asked : { ...asked, near: undefined };
      const code = asks.includes("code") ? await attempt(() => ask(project, "search", ofCode), errors) : null;
      const transcripts =
        asks.includes("transcripts") && withMemory
          ? await attempt(() => ask(project, "searchTranscripts", asked), errors)
          : null;
      const history = asks.includes("history")
        ? await attempt(() => ask(project, "searchHistory", asked), errors)
        : null;
      if (code === null && transcripts === null && history === null && errors.length > 0) throw errors[0];
      return { code, transcripts, history, error: errors[0] };
    },
    deadline,
  );
  const codeParts: CodePart[] = [];
  const saidParts: TranscriptPart[] = [];
  const historyParts: HistoryPart[] = [];
  for (const { project, answer } of answers) {
    if (answer.code) codeParts.push({ project: project.root, answer: answer.code });
    if (answer.transcripts) saidParts.push({ project: project.root, answer: answer.transcripts });
    if (answer.history) historyParts.push({ project: project.root, answer: answer.history });
    if (answer.error !== undefined) {
      left_out.push({ project: project.root, reason: explanationOf(answer.error) });
    }
  }
  const merged = {
    query: request.q,
    limit,
    explain: request.explain ?? false,
    took: Math.round(performance.now() - start),
  };
  return {
    answer: {
      code: asks.includes("code") ? mergeCode(codeParts, merged) : null,
      transcripts: asks.includes("transcripts")
        ? mergeTranscripts(saidParts, { ...merged, by: resultUnitOf(request) })
        : null,
      history: asks.includes("history") ? mergeHistory(historyParts, merged) : null,
    },
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}

export type SessionAcross = SessionSummary & {
  /** The root of the project that stores it. */
  project: string;
};

/** Sessions of all projects, those with the latest line first. Errors as `searchAcross`. */
export async function sessionsAcross(
  here: Here,
  request: SessionsRequest,
  deadline = deadlineMs,
): Promise<Across<{ sessions: SessionAcross[]; total: number }>> {
  const limit = request.limit ?? 20;
  const { answers, left_out } = await askEach(
    projectsToAsk(here).filter(({ withMemory }) => withMemory),
    ({ project }) => ask(project, "sessions", { ...request, limit }),
    deadline,
  );
  const sessions = answers.flatMap(({ project, answer }) =>
    answer.sessions.map((session): SessionAcross => ({ project: project.root, ...session })),
  );
  const latestFirst = (a: SessionAcross, b: SessionAcross) =>
    (b.last_at ?? "").localeCompare(a.last_at ?? "") || (a.id < b.id ? -1 : 1);
  return {
    answer: {
      sessions: sessions.sort(latestFirst).slice(0, limit),
      total: answers.reduce((sum, { answer }) => sum + answer.total, 0),
    },
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}

/**
 * The project that stores a session, of all but the one here; null where none does. Of an id's beginning that several have,
 * the one that was used last.
 */
export async function projectOfSession(
  here: Project,
  id: string,
  deadline = deadlineMs,
): Promise<Project | null> {
  const end = performance.now() + deadline;
  for (const { project, withMemory } of projectsToAsk(here)) {
    const left = end - performance.now();
    if (left <= 0) return null;
    if (!withMemory || project.memoryDb === here.memoryDb) continue;
    // One that cannot be read is as good as one without it.
    const found = await within(ask(project, "session", { id }), left).catch(() => null);
    if (found !== null) return project;
  }
  return null;
}

/**
 * One after the other: reading takes the whole processor.
 * @throws PommelError `usage` where the question makes no sense in any project
 */
async function askEach<P extends { project: Project }, T>(
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
      answers.push({ project, answer: await within(ask(one), left) });
    } catch (error) {
      // An agent, say, that only another project has.
      if (codeOf(error) === "usage") wrong.push(error);
      // The requested item is just not in this project.
      else if (codeOf(error) !== "not_found")
        left_out.push({ project: project.root, reason: explanationOf(error) });
    }
  }
  if (answers.length === 0 && wrong.length > 0) throw wrong[0];
  return { answers, left_out };
}

/** Rejects after `ms`; later results of `work` are ignored. */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
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

/** A side that cannot be searched does not take the other one with it. */
async function attempt<T>(search: () => Promise<T>, errors: unknown[]): Promise<T | null> {
  try {
    return await search();
  } catch (error) {
    if (codeOf(error) === "usage") throw error;
    if (codeOf(error) !== "not_found") errors.push(error);
    return null;
  }
}

/** As one would be asked alone, but sooner here, and starting none. */
async function ask<R extends RouteName>(
  project: Project,
  operation: R,
  request: RequestOf<R>,
): Promise<ResponseOf<R>> {
  return call(operation, request, project, { timeout: timeoutMs, without: "here" });
}
