import { existsSync } from "node:fs";
import { answererHere } from "../../answers/here.ts";
import type { Operation, RequestOf, ResponseOf } from "../../answers/operation.ts";
import { run } from "../../answers/run.ts";
import { loadConfig } from "../../base/config/config.ts";
import { codeOf, explanationOf } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { whyNotIndexed } from "../../git/projects/indexed.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { periodOf } from "../digest/digest.ts";
import { sumUp } from "../digest/operation.ts";
import { listEvents } from "../events/operation.ts";
import { projectsBelow } from "../projects/known-projects.ts";
import { resultUnitOf, searchCode, searchHistory, searchTranscripts } from "../search/operation.ts";
import { listSessions, showSession } from "../sessions/operation.ts";
import {
  type CodePart,
  type HistoryPart,
  mergeCode,
  mergeHistory,
  mergeTranscripts,
  type TranscriptPart,
} from "./merge.ts";
import type {
  digestEverywhereRequest,
  digestEverywhereResponse,
  eventsEverywhereRequest,
  eventsEverywhereResponse,
  locateSessionRequest,
  locateSessionResponse,
  searchEverywhereRequest,
  searchEverywhereResponse,
  sessionsEverywhereRequest,
  sessionsEverywhereResponse,
} from "./operation.ts";

/** Asks all projects of the registry; each one is read as by a question in it. */

/** No further project is asked after this, and late answers are left out. Milliseconds. */
const deadlineMs = 15_000;

type LeftOut = Shaped<typeof searchEverywhereResponse>["left_out"][number];

/** Which projects: the one around `here` first; only those in the directory `below`. */
interface Where {
  here?: string | undefined;
  below?: string | undefined;
}

/**
 * The projects to search: the one here first, then those used last.
 */
export async function projectsToAsk({
  here: place,
  below = "",
}: Where): Promise<{ project: Project; withMemory: boolean }[]> {
  const here = place === undefined ? null : await findProject(place);
  const others = projectsBelow(below).filter(({ id }) => id !== here?.id);
  return [...(here ? [here] : []), ...others].map((project) => ({
    project,
    withMemory: existsSync(project.memoryDb),
  }));
}

/**
 * Searches all projects and puts what is found in one order (merge.ts).
 * @throws PommelError `usage` for a question that makes no sense
 */
export async function searchEverywhere(
  { asks, here, below, ...request }: Shaped<typeof searchEverywhereRequest>,
  deadline = deadlineMs,
): Promise<Shaped<typeof searchEverywhereResponse>> {
  const projects = await projectsToAsk({ here, below });
  const own = here === undefined ? null : projects[0]!.project;
  const limit = request.limit ?? loadConfig(own).config["search.limit"];
  // The signals of a result show how confident its project is.
  const asked = { ...request, limit, explain: true };
  const start = performance.now();
  const { answers, left_out } = await askEach(
    projects,
    async ({ project, withMemory }) => {
      const errors: unknown[] = [];
      // Another project's files are elsewhere.
      const ofCode = project.root === own?.root ? asked : { ...asked, near: undefined };
      const isIndexed = whyNotIndexed(project) === null;
      const code =
        asks.includes("code") && isIndexed
          ? await attempt(() => ask(project, searchCode, ofCode), errors)
          : null;
      const transcripts =
        asks.includes("transcripts") && withMemory
          ? await attempt(() => ask(project, searchTranscripts, asked), errors)
          : null;
      const history =
        asks.includes("history") && isIndexed
          ? await attempt(() => ask(project, searchHistory, asked), errors)
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
    code: asks.includes("code") ? mergeCode(codeParts, merged) : null,
    transcripts: asks.includes("transcripts")
      ? mergeTranscripts(saidParts, { ...merged, by: resultUnitOf(request) })
      : null,
    history: asks.includes("history") ? mergeHistory(historyParts, merged) : null,
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}

/** Sessions of all projects, those with the latest line first. Errors as `searchEverywhere`. */
export async function sessionsEverywhere(
  { here, below, ...request }: Shaped<typeof sessionsEverywhereRequest>,
  deadline = deadlineMs,
): Promise<Shaped<typeof sessionsEverywhereResponse>> {
  const limit = request.limit ?? 20;
  const { answers, left_out } = await askEach(
    (await projectsToAsk({ here, below })).filter(({ withMemory }) => withMemory),
    ({ project }) => ask(project, listSessions, { ...request, limit }),
    deadline,
  );
  const sessions = answers.flatMap(({ project, answer }) =>
    answer.sessions.map((session) => ({ project: project.root, ...session })),
  );
  type Session = (typeof sessions)[number];
  const latestFirst = (a: Session, b: Session) =>
    (b.last_at ?? "").localeCompare(a.last_at ?? "") || (a.id < b.id ? -1 : 1);
  return {
    sessions: sessions.sort(latestFirst).slice(0, limit),
    total: answers.reduce((sum, { answer }) => sum + answer.total, 0),
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}

/** Events of all projects, project by project. Errors as `searchEverywhere`. */
export async function eventsEverywhere(
  { here, below, ...request }: Shaped<typeof eventsEverywhereRequest>,
  deadline = deadlineMs,
): Promise<Shaped<typeof eventsEverywhereResponse>> {
  const { answers, left_out } = await askEach(
    (await projectsToAsk({ here, below })).filter(({ withMemory }) => withMemory),
    ({ project }) => ask(project, listEvents, request),
    deadline,
  );
  return {
    events: answers.flatMap(({ project, answer }) =>
      answer.events.map((event) => ({ project: project.root, ...event })),
    ),
    archived: answers.reduce((sum, { answer }) => sum + answer.archived, 0),
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}

/** What happened lately in all projects, a part for each. Errors as `searchEverywhere`. */
export async function digestEverywhere(
  { here, below, ...request }: Shaped<typeof digestEverywhereRequest>,
  deadline = deadlineMs,
): Promise<Shaped<typeof digestEverywhereResponse>> {
  const { answers, left_out } = await askEach(
    (await projectsToAsk({ here, below })).filter(({ withMemory }) => withMemory),
    ({ project }) => ask(project, sumUp, request),
    deadline,
  );
  return {
    ...(await periodOf(request)),
    parts: answers.flatMap(({ project, answer }) =>
      answer.parts.map((part) => ({ ...part, name: project.root })),
    ),
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}

/**
 * The root of the project that stores a session, of all but the one here; null where none does. Of an id's beginning that
 * several have, the one that was used last.
 */
export async function locateSession(
  { id, here }: Shaped<typeof locateSessionRequest>,
  deadline = deadlineMs,
): Promise<Shaped<typeof locateSessionResponse>> {
  const end = performance.now() + deadline;
  for (const { project, withMemory } of (await projectsToAsk({ here })).slice(1)) {
    const left = end - performance.now();
    if (left <= 0) break;
    if (!withMemory) continue;
    // One that cannot be read is as good as one without it.
    const found = await within(ask(project, showSession, { id }), left).catch(() => null);
    if (found !== null) return { root: project.root };
  }
  return { root: null };
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

/** A daemon opens the project to search it; for a list, and elsewhere, what is stored is read. */
function ask<O extends Operation>(
  project: Project,
  operation: O,
  request: RequestOf<O>,
): Promise<ResponseOf<O>> {
  const daemon = operation.of === "memory" ? null : answererHere();
  return daemon ? daemon(project.root, operation, request) : run(operation, project, request);
}
