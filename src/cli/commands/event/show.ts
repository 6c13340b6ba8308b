import { findProject } from "../../../project/paths.ts";
import type { EventAnswer } from "../../../protocol/operations/events.ts";
import { answerFromStore } from "../../../queries/operations.ts";
import type { CommandContext } from "../../frame.ts";
import { type Colors, table } from "../../terminal/output.ts";
import { block, counted, heading, localTime, oneLine, shortId } from "../session/text.ts";
import { daysOf, eventFacts } from "./text.ts";

/** `pm event show <event>`. */
export async function eventShowCommand({ cwd, output }: CommandContext, name: string): Promise<void> {
  const details = await answerFromStore(findProject(cwd), "event", { event: name });
  output.result(details, () => renderEvent(details, output.colors));
}

/** An event for a person: what it is, and what belongs to it. */
export function renderEvent(details: EventAnswer, colors: Colors): string {
  const { event, from, to, sessions, checkpoints } = details;
  const span = daysOf(from, to);
  const parts = [
    [
      heading(oneLine(event.title, 100), colors),
      `${eventFacts(event)}${span === "" ? "" : ` | happened ${span}`}  ${colors.dim(event.id)}`,
      ...(event.description === "" ? [] : ["", ...block(event.description)]),
    ].join("\n"),
  ];
  if (sessions.length > 0) parts.push(renderSessions(details, colors));
  if (checkpoints.length > 0) parts.push(renderCheckpoints(details, colors));
  if (sessions.length + checkpoints.length === 0) {
    parts.push("It is empty; `pm event link` adds sessions and checkpoints.");
  }
  const lines = linesOf(details);
  if (lines !== null) parts.push(lines);
  return parts.join("\n\n");
}

function renderSessions({ sessions }: EventAnswer, colors: Colors): string {
  const rows = sessions.map((session) => [
    `  ${shortId(session.id)}`,
    session.last_at === null ? "" : localTime(session.last_at),
    session.is_known ? counted(session.turns, "turn") : "",
    session.is_known ? oneLine(session.title ?? "(no title)", 60) : "(not on this machine)",
    session.commits.map((hash) => hash.slice(0, 7)).join(" "),
  ]);
  return `${colors.bold(counted(sessions.length, "session"))}\n${table(rows)}`;
}

function renderCheckpoints({ checkpoints }: EventAnswer, colors: Colors): string {
  const rows = checkpoints.map((checkpoint) => [
    `  ${checkpoint.id}`,
    checkpoint.committed_at === null ? "" : localTime(checkpoint.committed_at),
    checkpoint.commit?.slice(0, 7) ?? "",
    oneLine(checkpoint.subject ?? "(not on this machine)", 70),
  ]);
  return `${colors.bold(counted(checkpoints.length, "checkpoint"))}\n${table(rows)}`;
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
