import { findProject, inWorktreeOf } from "../../../project/paths.ts";
import type { Share, StatsAnswer } from "../../../protocol/operations/stats.ts";
import type { RequestOf } from "../../../protocol/routes.ts";
import { answerFromStore } from "../../../queries/operations.ts";
import { pathsFrom } from "../../../queries/sessions/conversations-related.ts";
import type { CommandContext } from "../../frame.ts";
import { type Colors, table } from "../../terminal/output.ts";
import { percent } from "../blame/author-text.ts";
import { counted, heading, oneLine, shortId } from "../session/text.ts";

interface StatsOptions extends Omit<RequestOf<"stats">, "depth"> {
  dirDepth?: number;
  limit?: number;
}

/** `pm stats`: reads git and the memory itself, whether a daemon runs or not. */
export async function statsCommand(
  { cwd, output }: CommandContext,
  { path = [], dirDepth, limit = 10, ...options }: StatsOptions,
): Promise<void> {
  const project = inWorktreeOf(findProject(cwd), cwd);
  const request = { ...options, path: pathsFrom(project, cwd, path), depth: dirDepth };
  const answer = await answerFromStore(project, "stats", request);
  if (!output.json) for (const note of answer.notes) output.note(output.colors.dim(note));
  output.result(answer, () => renderStats(answer, limit, output.colors));
}

/** Tables for a person. */
export function renderStats(answer: StatsAnswer, limit: number, colors: Colors): string {
  const { commits, total } = answer;
  const of = commits.in_history === null ? "" : ` of ${commits.in_history.toLocaleString("en")}`;
  const lookedAt = `${commits.looked_at.toLocaleString("en")}${of} commits analysed`;
  if (commits.looked_at === 0) return "No commits analysed yet. Run `pm checkpoint backfill --all`.";
  if (total.lines === 0) return `No added lines: ${lookedAt}.`;
  const parts = [
    [
      `${colors.bold(counted(total.lines, "added line"))}  ${lookedAt}, ` +
        `${commits.with_agent.toLocaleString("en")} with an agent's lines`,
      table([
        ["agent", percent(total.agent, total.lines), total.agent.toLocaleString("en")],
        ["human", percent(total.human, total.lines), total.human.toLocaleString("en")],
        ["unknown", percent(total.unknown, total.lines), total.unknown.toLocaleString("en")],
        ...(total.before_agents === 0
          ? []
          : [
              [
                "before agents",
                percent(total.before_agents, total.lines),
                total.before_agents.toLocaleString("en"),
              ],
            ]),
      ]),
    ].join("\n"),
  ];
  const add = (title: string, rows: string[][], head: string[], shown = rows.slice(0, limit)) => {
    if (rows.length === 0) return;
    const more = rows.length > shown.length ? [colors.dim(`${shown.length} of ${rows.length}`)] : [];
    parts.push([heading(title, colors), table([head, ...shown]), ...more].join("\n"));
  };
  const shares = ["agent", "human", "unknown", "before", "lines"];
  add(
    "Authors",
    answer.by_author.map(({ author, commits: made, ...share }) => [
      ...cells(share),
      counted(made, "commit"),
      oneLine(author, 60),
    ]),
    shares,
  );
  add(
    "Directories",
    answer.by_directory.map(({ directory, ...share }) => [...cells(share), oneLine(directory, 100)]),
    shares,
  );
  const weeks = answer.by_week.map(({ week, ...share }) => [...cells(share), week]);
  // Those of late say more than the first ones.
  add("Weeks", weeks, shares, weeks.slice(-limit));
  add(
    "Models",
    answer.by_model.map(({ model, lines }) => [lines.toLocaleString("en"), oneLine(model, 60)]),
    ["lines"],
  );
  add(
    "Sessions",
    answer.by_session.map(({ session_id, session_title, commits: led, lines }) => [
      lines.toLocaleString("en"),
      counted(led, "commit"),
      shortId(session_id),
      oneLine(session_title ?? "(no title)", 60),
    ]),
    ["lines"],
  );
  return parts.join("\n\n");
}

const cells = ({ agent, human, unknown, before_agents, lines }: Share) => [
  percent(agent, lines),
  percent(human, lines),
  percent(unknown, lines),
  percent(before_agents, lines),
  lines.toLocaleString("en"),
];
