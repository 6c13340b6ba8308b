import {
  ask,
  askMemories,
  deadlineMs,
  listProjectsToAsk,
  listWithProjects,
  withTimeout,
} from "../../answers/ask-projects.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import {
  listSessions,
  type locateSessionRequest,
  type locateSessionResponse,
  type sessionsEverywhereRequest,
  type sessionsEverywhereResponse,
  showSession,
} from "./operation.ts";

/** Sessions of all projects, those with the latest line first. Errors as `searchEverywhere`. */
export async function listSessionsEverywhere({
  here,
  below,
  ...request
}: Shaped<typeof sessionsEverywhereRequest>): Promise<Shaped<typeof sessionsEverywhereResponse>> {
  const limit = request.limit ?? 20;
  const { answers, projects, left_out } = await askMemories(
    listSessions,
    { ...request, limit },
    { here, below },
  );
  const sessions = listWithProjects(answers, (answer) => answer.sessions);
  type Session = (typeof sessions)[number];
  const latestFirst = (a: Session, b: Session) =>
    (b.last_at ?? "").localeCompare(a.last_at ?? "") || (a.id < b.id ? -1 : 1);
  return {
    sessions: sessions.sort(latestFirst).slice(0, limit),
    total: answers.reduce((sum, { answer }) => sum + answer.total, 0),
    projects,
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
  for (const { project, withMemory } of (await listProjectsToAsk({ here })).slice(1)) {
    const left = end - performance.now();
    if (left <= 0) break;
    if (!withMemory) continue;
    // One that cannot be read is as good as one without it.
    const found = await withTimeout(ask(project, showSession, { id }), left).catch(() => null);
    if (found !== null) return { root: project.root };
  }
  return { root: null };
}
