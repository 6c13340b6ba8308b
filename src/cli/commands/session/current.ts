import { sessionAround } from "../../../agents/profiles.ts";
import { type Answered, answer } from "../../../client/answer.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { codeOf } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { SessionSummary } from "../../../protocol/operations/sessions.ts";
import type { CommandContext } from "../../frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { noteOnMemory } from "../../terminal/text.ts";
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
  const asked = await (current === null ? openSessions(project) : session(project, current));
  const note = noteOnMemory(asked);
  if (note !== null) output.note(output.colors.dim(note));
  const sessions = asked.answer;
  output.result({ current, sessions }, () => describe(current, sessions, output));
}

async function openSessions(project: Project): Promise<Answered<SessionSummary[]>> {
  const request = { since: new Date(Date.now() - openFor).toISOString(), limit: 1000 };
  const asked = await answer(project, "sessions", request);
  return { ...asked, answer: asked.answer.sessions.filter(({ ended_at }) => ended_at === null) };
}

async function session(project: Project, id: string): Promise<Answered<SessionSummary[]>> {
  try {
    const asked = await answer(project, "session", { id });
    // The beginning of an id finds a session as well, but this is one in full.
    return { ...asked, answer: asked.answer.session.id === id ? [asked.answer.session] : [] };
  } catch (error) {
    if (codeOf(error) !== "not_found") throw error;
    return { answer: [], without: null, asOf: null };
  }
}

function describe(current: string | null, sessions: readonly SessionSummary[], screen: Screen): string {
  if (sessions.length > 0) return renderSessions(sessions, screen);
  return current === null ? "No session is open in this project." : `${current}\nIt is not recorded yet.`;
}
