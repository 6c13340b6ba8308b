import { toStoredPaths } from "../../answers/file-place.ts";
import { explainError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findHistoryProblem } from "../../git/history/history.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { formatSpans } from "../../protocol/reading/numbers.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode, makeInterruptionSignal } from "../../terminal/interruption.ts";
import { makeCommitPageFinder } from "../../terminal/links.ts";
import { formatDuration, type Screen } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import { formatCount, formatWhen, shortenId, toOneLine, toPrintable } from "../../terminal/text.ts";
import type { BackfillRequest } from "./checkpoints.ts";
import type { CheckpointSession, CheckpointSummary, CheckpointsRequest } from "./operation.ts";
import { backfill, listCheckpoints } from "./operation.ts";

/** `pm checkpoint list` */
export async function checkpointListCommand(
  { cwd, output }: CommandContext,
  request: CheckpointsRequest,
): Promise<void> {
  const project = await findProject(cwd);
  const [path] = request.file === undefined ? [] : toStoredPaths(project, cwd, [request.file]);
  // The whole project is no filter.
  const file = path === "**" ? undefined : path;
  const answer = await call(listCheckpoints, { ...request, file }, project);
  const pageOf = await makeCommitPageFinder(project.root, output.colors);
  const problem = answer.total === 0 ? await findHistoryProblem(project.root) : null;
  if (problem?.isBroken) throw problem;
  output.result(answer, () =>
    problem === null ? renderCheckpoints(answer, request, output, pageOf) : explainError(problem),
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
    colors.link(colors.commit(toPrintable(checkpoint.id)), pageOf(checkpoint.commit)),
    formatWhen(checkpoint.committed_at, screen),
    `${colors.added(`+${checkpoint.insertions}`)} ${colors.removed(`-${checkpoint.deletions}`)}`,
    formatAgentShare(checkpoint, screen),
    toOneLine(formatSessions(checkpoint.sessions)),
    colors.dim(toOneLine(checkpoint.branch ?? "")),
    toOneLine(formatSubject(checkpoint)),
  ]);
  const text = formatTable(columns, rows, screen);
  return checkpoints.length < total ? `${text}\n\n${colors.dim(`${checkpoints.length} of ${total}`)}` : text;
}

/** "8ecde0fc:3,4-6 +2". */
function formatSessions(sessions: readonly CheckpointSession[]): string {
  const [first, ...others] = sessions;
  if (first === undefined) return "";
  const turns = first.turns.length > 0 ? `:${formatSpans(first.turns)}` : "";
  return `${shortenId(first.session_id)}${turns}${others.length > 0 ? ` +${others.length}` : ""}`;
}

/** How much of what it added agents wrote: "95%". */
function formatAgentShare({ lines }: CheckpointSummary, { colors }: Screen): string {
  const all = lines.agent + lines.human + lines.unknown;
  if (all === 0) return "";
  const share = `${Math.round((lines.agent / all) * 100)}%`;
  return lines.agent > 0 ? colors.agent(share) : colors.dim(share);
}

function formatSubject({ subject, rewritten_as }: CheckpointSummary): string {
  const now = rewritten_as.at(-1);
  const text = subject === "" ? "(no message)" : subject;
  return now === undefined ? text : `[now ${toPrintable(now.slice(0, 8))}] ${text}`;
}

/** "95 lines by agents, 1 line by people, 5 lines unknown"; zeros are left out. */
export function formatLinesByAuthor({ agent, human, unknown }: CheckpointSummary["lines"]): string {
  const parts = [
    agent > 0 ? `${formatCount(agent, "line")} by agents` : "",
    human > 0 ? `${formatCount(human, "line")} by people` : "",
    unknown > 0 ? `${formatCount(unknown, "line")} unknown` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "no lines added" : parts.join(", ");
}

/** `pm checkpoint backfill` */
export async function checkpointBackfillCommand(
  { cwd, output }: CommandContext,
  options: BackfillRequest,
): Promise<number> {
  const project = await findProject(cwd);
  const started = Date.now();
  const progress = createProgress({ label: "Reading history", unit: "commits" });
  const how = { signal: makeInterruptionSignal(), onProgress: progress.update, onNote: output.note };
  const report = await call(backfill, options, project, how).finally(progress.finish);
  if (report.isShallow) {
    output.note("This clone is shallow: `git fetch --unshallow` fetches the rest.");
  }
  const took_ms = Date.now() - started;
  output.result(
    {
      commits: report.commits,
      looked_at: report.lookedAt,
      checkpoints: report.checkpoints,
      interrupted: report.isInterrupted,
      shallow: report.isShallow,
      took_ms,
    },
    () => {
      if (report.commits === 0) {
        return options.all
          ? "No commits yet."
          : "No commits since the first recorded session. --all analyses the whole history.";
      }
      const known = report.commits - report.lookedAt;
      const before =
        known > 0 && !report.isInterrupted ? ` ${formatCount(known, "commit")} analysed before.` : "";
      if (report.lookedAt === 0 && !report.isInterrupted) return `Nothing new.${before}`;
      const counts = `${formatCount(report.lookedAt, "commit")} analysed, ${formatCount(report.checkpoints, "checkpoint")} found`;
      if (report.isInterrupted) return `Interrupted: ${counts}. Run it again to continue.`;
      return `Done in ${formatDuration(took_ms)}: ${counts}.${before}`;
    },
  );
  return report.isInterrupted ? interruptedCode : 0;
}
