import { call } from "../../../client/call.ts";
import { historyProblem } from "../../../git/history/history.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { explanationOf } from "../../../project/errors.ts";
import type {
  CheckpointSession,
  CheckpointSummary,
  CheckpointsRequest,
} from "../../../protocol/operations/checkpoints.ts";
import { pathsFrom } from "../../../queries/sessions/conversations-related.ts";
import type { CommandContext } from "../../frame.ts";
import { commitPages } from "../../terminal/links.ts";
import type { Screen } from "../../terminal/output.ts";
import { type Column, table } from "../../terminal/table.ts";
import { counted, oneLine, printable, shortId, when } from "../../terminal/text.ts";

/** `pm checkpoint list` */
export async function checkpointListCommand(
  { cwd, output }: CommandContext,
  request: CheckpointsRequest,
): Promise<void> {
  const project = await findProject(cwd);
  const [path] = request.file === undefined ? [] : pathsFrom(project, cwd, [request.file]);
  // The whole project is no filter.
  const file = path === "**" ? undefined : path;
  const answer = await call("checkpoints", { ...request, file }, project);
  const pageOf = await commitPages(project.root, output.colors);
  const problem = answer.total === 0 ? await historyProblem(project.root) : null;
  if (problem?.isBroken) throw problem;
  output.result(answer, () =>
    problem === null ? renderCheckpoints(answer, request, output, pageOf) : explanationOf(problem),
  );
}

const columns: Column[] = [
  { title: "commit" },
  { title: "committed" },
  { title: "lines", optional: 3 },
  { title: "by agents", isNumber: true },
  { title: "sessions", optional: 2, wraps: true },
  { title: "branch", optional: 4, wraps: true },
  { title: "subject", wraps: true },
];

/** A row for each checkpoint. @param pageOf of a commit */
export function renderCheckpoints(
  { checkpoints, total }: { checkpoints: readonly CheckpointSummary[]; total: number },
  { limit: _, ...filters }: CheckpointsRequest,
  screen: Screen,
  pageOf: (hash: string) => string | null = () => null,
): string {
  const { colors } = screen;
  if (checkpoints.length === 0) {
    const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
    return isFiltered ? "No matching checkpoints." : "No checkpoints: no recorded session led to a commit.";
  }
  const rows = checkpoints.map((checkpoint) => [
    colors.link(colors.commit(printable(checkpoint.id)), pageOf(checkpoint.commit)),
    when(checkpoint.committed_at, screen),
    `${colors.added(`+${checkpoint.insertions}`)} ${colors.removed(`-${checkpoint.deletions}`)}`,
    agentShare(checkpoint, screen),
    oneLine(sessionsOf(checkpoint.sessions)),
    colors.dim(oneLine(checkpoint.branch ?? "")),
    oneLine(subjectOf(checkpoint)),
  ]);
  const text = table(columns, rows, screen);
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

/** How much of what it added agents wrote: "95%". */
function agentShare({ lines }: CheckpointSummary, { colors }: Screen): string {
  const all = lines.agent + lines.human + lines.unknown;
  if (all === 0) return "";
  const share = `${Math.round((lines.agent / all) * 100)}%`;
  return lines.agent > 0 ? colors.agent(share) : colors.dim(share);
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
