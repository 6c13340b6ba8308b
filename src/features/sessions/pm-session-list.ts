import { findCurrentSession } from "../../agents/profiles.ts";
import { line } from "../../answers/document.ts";
import { getErrorCode } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import { callNoted } from "../../terminal/call-noted.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { noteLeftOut } from "../../terminal/left-out.ts";
import type { Output } from "../../terminal/output.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { toHomeRelative } from "../../terminal/text.ts";
import type { SessionSummary, SessionsRequest } from "./operation.ts";
import { listSessions, sessionsEverywhere, showSession } from "./operation.ts";
import { wordSessionList, wordSessions, wordSessionsEverywhere } from "./session-words.ts";

interface SessionListOptions extends SessionsRequest {
  allProjects?: boolean;
  full?: boolean;
  outline?: boolean;
}

/** `pm session list`. */
export async function sessionListCommand(
  context: CommandContext,
  id: string | undefined,
  { allProjects = false, full, outline, ...options }: SessionListOptions,
): Promise<void> {
  if (id !== undefined) {
    const { sessionShowCommand } = await import("./pm-session-show.ts");
    return sessionShowCommand(context, id, { full, outline });
  }
  if (allProjects) return listAcross(context, options);
  const { cwd, output } = context;
  const project = await findProject(cwd);
  const answer = await callNoted(listSessions, options, project, output);
  showAnswer(output, answer, () => wordSessionList(answer, isNarrowed(options)));
}

/** Whether others than those asked for may be there. */
function isNarrowed({ since, until, branch, agent, author, team, mine, topic }: SessionsRequest): boolean {
  return [since, until, branch, agent, author, team, mine, topic].some((filter) => filter !== undefined);
}

/** `pm session list --all-projects`: works anywhere. */
async function listAcross({ cwd, output }: CommandContext, options: SessionsRequest): Promise<void> {
  const here = (await findProjectIfAny(cwd))?.root;
  const answer = await call(sessionsEverywhere, { ...options, here }, null);
  noteLeftOut(answer, output);
  showAnswer(output, answer, () => wordSessionsEverywhere(answer, toHomeRelative));
}

/** What had no line for longer is not open, or not in use. Milliseconds. */
const openFor = 30 * 60_000;

/**
 * `pm session current`: the session that this runs in, if its agent passes its id to commands; else
 * all open sessions.
 */
export async function sessionCurrentCommand({ cwd, output }: CommandContext): Promise<void> {
  const project = await findProject(cwd);
  const current = findCurrentSession();
  const sessions = await (current === null
    ? openSessions(project, output)
    : readOneSession(project, current, output));
  showAnswer(output, { current, sessions }, () => {
    if (sessions.length > 0) return [[wordSessions(sessions)]];
    return current === null
      ? [[line("No session is open in this project.")]]
      : [[line({ text: current }), line("It is not recorded yet.")]];
  });
}

async function openSessions(project: Project, output: Output): Promise<SessionSummary[]> {
  const request = { since: new Date(Date.now() - openFor).toISOString(), limit: 1000 };
  const { sessions } = await callNoted(listSessions, request, project, output);
  return sessions.filter(({ ended_at }) => ended_at === null);
}

async function readOneSession(project: Project, id: string, output: Output): Promise<SessionSummary[]> {
  try {
    const { session: found } = await callNoted(showSession, { id }, project, output);
    // The beginning of an id finds a session as well, but this is one in full.
    return found.id === id ? [found] : [];
  } catch (error) {
    if (getErrorCode(error) !== "not_found") throw error;
    return [];
  }
}
