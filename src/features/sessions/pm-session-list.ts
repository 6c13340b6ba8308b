import { findCurrentSession } from "../../agents/profiles.ts";
import { getErrorCode } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output, Screen } from "../../terminal/output.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import { formatWhen, shortenId, toHomeRelative, toOneLine } from "../../terminal/text.ts";
import { callNoted } from "./call-noted.ts";
import type { SessionSummary, SessionsRequest } from "./operation.ts";
import { listSessions, sessionsEverywhere, showSession } from "./operation.ts";

interface ListOptions extends SessionsRequest {
  allProjects?: boolean;
  full?: boolean;
  outline?: boolean;
}

/** `pm session list`. */
export async function sessionListCommand(
  context: CommandContext,
  id: string | undefined,
  { allProjects = false, full, outline, ...options }: ListOptions,
): Promise<void> {
  if (id !== undefined) {
    const { sessionShowCommand } = await import("./pm-session-show.ts");
    return sessionShowCommand(context, id, { full, outline });
  }
  if (allProjects) return listAcross(context, options);
  const { cwd, output } = context;
  const project = await findProject(cwd);
  const answer = await callNoted(listSessions, options, project, output);
  const { sessions, total } = answer;
  output.result(answer, () => {
    if (sessions.length === 0)
      return isNarrowed(options) ? "No sessions match." : "No sessions. `pm import` imports past ones.";
    const shown = sessions.length < total ? `\n\n${output.colors.dim(`${sessions.length} of ${total}`)}` : "";
    return renderSessions(sessions, output) + shown;
  });
}

/** Whether others than those asked for may be there. */
function isNarrowed({ since, until, branch, agent, author, team, mine, topic }: SessionsRequest): boolean {
  return [since, until, branch, agent, author, team, mine, topic].some((filter) => filter !== undefined);
}

/** `pm session list --all-projects`: works anywhere. */
async function listAcross({ cwd, output }: CommandContext, options: SessionsRequest): Promise<void> {
  const { noteLeftOut } = await import("../search/pm/across.ts");
  const here = (await findProjectIfAny(cwd))?.root;
  const answer = await call(sessionsEverywhere, { ...options, here }, null);
  noteLeftOut(answer, output);
  output.result(answer, () => {
    if (answer.sessions.length === 0) return "No sessions.";
    const { colors } = output;
    const groups = [...new Set(answer.sessions.map(({ project }) => project))].map((project) => {
      const own = answer.sessions.filter((session) => session.project === project);
      return `${colors.bold(toHomeRelative(project))}\n${renderSessions(own, output)}`;
    });
    const { length } = answer.sessions;
    const shown = length < answer.total ? [colors.dim(`${length} of ${answer.total}`)] : [];
    return [...groups, ...shown].join("\n\n");
  });
}

const columns: Column[] = [
  { title: "session" },
  { title: "active" },
  { title: "turns", isNumber: true },
  { title: "agent", optional: 2 },
  { title: "shared by", optional: 3 },
  { title: "branch", optional: 1, wraps: true },
  { title: "title", wraps: true },
  { title: "topics", optional: 4, wraps: true },
];

/** A row for each session. */
export function renderSessions(sessions: readonly SessionSummary[], screen: Screen): string {
  const { colors } = screen;
  // On a terminal, what all have in common takes no room.
  const isMixed = screen.columns === undefined || new Set(sessions.map(({ agent }) => agent)).size > 1;
  const rows = sessions.map(({ id, last_at, turns, agent, author, agent_type, branch, title, topics }) => [
    colors.id(shortenId(id)),
    formatWhen(last_at, screen) || "unknown",
    turns.toLocaleString("en"),
    isMixed ? toOneLine(agent) : "",
    toOneLine(author ?? ""),
    colors.dim(toOneLine(branch ?? "")),
    toOneLine(title ?? agent_type ?? "(no title)"),
    colors.dim(toOneLine(topics.join(", "))),
  ]);
  return formatTable(columns, rows, screen);
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
  output.result({ current, sessions }, () => describe(current, sessions, output));
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

function describe(current: string | null, sessions: readonly SessionSummary[], screen: Screen): string {
  if (sessions.length > 0) return renderSessions(sessions, screen);
  return current === null ? "No session is open in this project." : `${current}\nIt is not recorded yet.`;
}
