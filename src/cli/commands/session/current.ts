import { sessionAround } from "../../../agents/profiles.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { codeOf } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { SessionSummary } from "../../../protocol/operations/sessions.ts";
import { callNoted } from "../../call-noted.ts";
import type { CommandContext } from "../../frame.ts";
import type { Output, Screen } from "../../terminal/output.ts";
import { renderSessions } from "./list.ts";

/** What had no line for longer is not open, or not in use. Milliseconds. */
const openFor = 30 * 60_000;

/**
 * `pm session current`: the session that this runs in, if its agent passes its id to commands; else
 * all open sessions.
 */
export async function sessionCurrentCommand({ cwd, output }: CommandContext): Promise<void> {
  const project = await findProject(cwd);
  const current = sessionAround();
  const sessions = await (current === null
    ? openSessions(project, output)
    : session(project, current, output));
  output.result({ current, sessions }, () => describe(current, sessions, output));
}

async function openSessions(project: Project, output: Output): Promise<SessionSummary[]> {
  const request = { since: new Date(Date.now() - openFor).toISOString(), limit: 1000 };
  const { sessions } = await callNoted("sessions", request, project, output);
  return sessions.filter(({ ended_at }) => ended_at === null);
}

async function session(project: Project, id: string, output: Output): Promise<SessionSummary[]> {
  try {
    const { session: found } = await callNoted("session", { id }, project, output);
    // The beginning of an id finds a session as well, but this is one in full.
    return found.id === id ? [found] : [];
  } catch (error) {
    if (codeOf(error) !== "not_found") throw error;
    return [];
  }
}

function describe(current: string | null, sessions: readonly SessionSummary[], screen: Screen): string {
  if (sessions.length > 0) return renderSessions(sessions, screen);
  return current === null ? "No session is open in this project." : `${current}\nIt is not recorded yet.`;
}
