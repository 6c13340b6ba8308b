import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { EventAnswer } from "../../../protocol/operations/events.ts";
import type { CommandContext } from "../../frame.ts";
import { passage } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import { type Column, table } from "../../terminal/table.ts";
import { counted, heading, homeRelative, oneLine, shortId, when } from "../../terminal/text.ts";
import { daysOf, eventFacts } from "./text.ts";

/** `pm event show <event>`. */
export async function eventShowCommand({ cwd, output }: CommandContext, name: string): Promise<void> {
  const details = await call("event", { event: name }, await findProject(cwd));
  output.result(details, () => renderEvent(details, output));
}

/** An event for a person: what it is, and what belongs to it. */
export function renderEvent(details: EventAnswer, screen: Screen): string {
  const { colors } = screen;
  const { event, from, to, sessions, checkpoints } = details;
  const span = daysOf(from, to);
  const parts = [
    [
      heading(oneLine(event.title), colors),
      `${eventFacts(event)}${span === "" ? "" : ` | happened ${span}`}  ${colors.dim(event.id)}`,
      ...(event.description === "" ? [] : ["", ...passage(event.description, screen)]),
    ].join("\n"),
  ];
  if (sessions.length > 0) parts.push(renderSessions(details, screen));
  if (checkpoints.length > 0) parts.push(renderCheckpoints(details, screen));
  if (sessions.length + checkpoints.length === 0) {
    parts.push("It is empty; `pm event link` adds sessions and checkpoints.");
  }
  const lines = linesOf(details);
  if (lines !== null) parts.push(lines);
  return parts.join("\n\n");
}

function renderSessions({ sessions }: EventAnswer, screen: Screen): string {
  const { colors } = screen;
  const columns: Column[] = [
    { title: "session" },
    { title: "active" },
    { title: "turns", isNumber: true },
    { title: "title", wraps: true },
    { title: "commits", wraps: true, optional: 1 },
  ];
  const rows = sessions.map((session) => [
    colors.id(shortId(session.id)),
    when(session.last_at, screen),
    session.is_known ? `${session.turns}` : "",
    (session.is_known ? oneLine(session.title ?? "(no title)") : "(not on this machine)") +
      placeOf(session, screen),
    colors.commit(session.commits.map((hash) => hash.slice(0, 7)).join(" ")),
  ]);
  return `${colors.bold(counted(sessions.length, "session"))}\n${table(columns, rows, screen)}`;
}

/** Where it is of another project. */
const placeOf = ({ project }: { project: string | null }, { colors }: Screen): string =>
  project === null ? "" : ` ${colors.dim(`(${homeRelative(project)})`)}`;

function renderCheckpoints({ checkpoints }: EventAnswer, screen: Screen): string {
  const { colors } = screen;
  const columns: Column[] = [
    { title: "checkpoint" },
    { title: "committed" },
    { title: "subject", wraps: true },
  ];
  const rows = checkpoints.map((checkpoint) => [
    colors.commit(checkpoint.id),
    when(checkpoint.committed_at, screen),
    oneLine(checkpoint.subject ?? "(not on this machine)") + placeOf(checkpoint, screen),
  ]);
  return `${colors.bold(counted(checkpoints.length, "checkpoint"))}\n${table(columns, rows, screen)}`;
}

/** "Lines in its commits: claude 120, people 30, unknown 2" */
function linesOf({ lines }: EventAnswer): string | null {
  if (lines === null) return null;
  const parts = [
    ...Object.entries(lines.agents),
    ["people", lines.human] as const,
    ["unknown", lines.unknown] as const,
  ]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${oneLine(name, 40)} ${count.toLocaleString("en")}`);
  return parts.length === 0 ? null : `Lines in its commits: ${parts.join(", ")}`;
}
