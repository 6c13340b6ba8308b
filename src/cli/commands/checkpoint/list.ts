import { findProject, inWorktreeOf } from "../../../project/paths.ts";
import type {
  CheckpointSession,
  CheckpointSummary,
  CheckpointsRequest,
} from "../../../protocol/operations/checkpoints.ts";
import { answerFromStore } from "../../../queries/operations.ts";
import { pathsFrom } from "../../../queries/sessions/conversations-related.ts";
import type { CommandContext } from "../../frame.ts";
import { type Colors, table } from "../../terminal/output.ts";
import { printable } from "../search/results.ts";
import { counted, localTime, oneLine, shortId } from "../session/text.ts";

/** `pm checkpoint list`: reads the memory itself, whether a daemon runs or not. */
export async function checkpointListCommand(
  { cwd, output }: CommandContext,
  request: CheckpointsRequest,
): Promise<void> {
  const project = inWorktreeOf(findProject(cwd), cwd);
  const [path] = request.file === undefined ? [] : pathsFrom(project, cwd, [request.file]);
  // The whole project is no filter.
  const file = path === "**" ? undefined : path;
  const answer = await answerFromStore(project, "checkpoints", { ...request, file });
  output.result(answer, () => renderCheckpoints(answer, request, output.colors));
}

/** A line for each checkpoint. */
export function renderCheckpoints(
  { checkpoints, total }: { checkpoints: readonly CheckpointSummary[]; total: number },
  { limit: _, ...filters }: CheckpointsRequest,
  colors: Colors,
): string {
  if (checkpoints.length === 0) {
    const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
    return `${isFiltered ? "No matching checkpoints" : "No checkpoints"}. \`pm checkpoint backfill\` searches the history for them.`;
  }
  const rows = checkpoints.map((checkpoint) => [
    printable(checkpoint.id),
    printable(checkpoint.commit.slice(0, 8)),
    localTime(checkpoint.committed_at),
    oneLine(checkpoint.branch ?? "", 24),
    oneLine(sessionsOf(checkpoint.sessions), 40),
    linesOf(checkpoint),
    oneLine(subjectOf(checkpoint), 60),
  ]);
  const text = table(rows)
    .split("\n")
    .map((line, i) => `${colors.cyan(rows[i]![0]!)}${line.slice(rows[i]![0]!.length)}`)
    .join("\n");
  return checkpoints.length < total ? `${text}\n\n${colors.dim(`${checkpoints.length} of ${total}`)}` : text;
}

/** "8ecde0fc:3,4-6 +2". */
function sessionsOf(sessions: readonly CheckpointSession[]): string {
  const [first, ...others] = sessions;
  if (first === undefined) return "";
  const turns = first.turns.length > 0 ? `:${spans(first.turns)}` : "";
  return `${shortId(first.session_id)}${turns}${others.length > 0 ? ` +${others.length}` : ""}`;
}

/** Ascending numbers, those that follow each other as a span: "1,3-5". */
export function spans(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** "+120 -14, 95% agent". */
function linesOf({ insertions, deletions, lines }: CheckpointSummary): string {
  const all = lines.agent + lines.human + lines.unknown;
  const share = all === 0 ? "" : `, ${Math.round((lines.agent / all) * 100)}% agent`;
  return `+${insertions} -${deletions}${share}`;
}

function subjectOf({ subject, rewritten_as }: CheckpointSummary): string {
  const now = rewritten_as.at(-1);
  const text = subject === "" ? "(no message)" : subject;
  return now === undefined ? text : `[now ${printable(now.slice(0, 8))}] ${text}`;
}

/** "95 lines by agents, 1 line by people, 5 lines unknown"; zeros are left out. */
export function whoWrote({ agent, human, unknown }: CheckpointSummary["lines"]): string {
  const parts = [
    agent > 0 ? `${counted(agent, "line")} by agents` : "",
    human > 0 ? `${counted(human, "line")} by people` : "",
    unknown > 0 ? `${counted(unknown, "line")} unknown` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "no lines added" : parts.join(", ");
}
