import { toStoredPaths } from "../../answers/file-place.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { drawAuthorBar, drawBar, drawSparkline } from "../../terminal/chart.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { alignColumns, type Screen } from "../../terminal/output.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import {
  formatCount,
  formatHeading,
  shortenId,
  toOneLine,
  wrapText,
  wrapWithIndent,
} from "../../terminal/text.ts";
import {
  authorMarks,
  authorNames,
  colorByAuthor,
  formatKnownShare,
  formatPercent,
  listAuthorKinds,
} from "../blame/author-words.ts";
import { formatRunTime } from "../how/pm-how.ts";
import type { Share, StatsAnswer } from "./operation.ts";
import { showStats, type statsRequest } from "./operation.ts";

interface StatsOptions extends Omit<Shaped<typeof statsRequest>, "depth"> {
  dirDepth?: number;
  limit?: number;
}

/** `pm code stats` */
export async function statsCommand(
  { cwd, output }: CommandContext,
  { path = [], dirDepth, limit = 10, ...options }: StatsOptions,
): Promise<void> {
  const project = await findProject(cwd);
  const request = { ...options, path: toStoredPaths(project, cwd, path), depth: dirDepth };
  const answer = await call(showStats, request, project);
  output.result(answer, () => renderStats(answer, limit, output));
}

/** Weeks in the line that shows how it went. */
const weeksInLine = 52;
const barWidth = 24;

/** Tables for a person. */
export function renderStats(answer: StatsAnswer, limit: number, screen: Screen): string {
  return [renderLines(answer, limit, screen), ...renderErrors(answer, limit, screen)].join("\n\n");
}

function renderErrors({ recurring_errors: errors }: StatsAnswer, limit: number, screen: Screen): string[] {
  if (errors.length === 0) return [];
  const columns: Column[] = [
    { title: "cost", isNumber: true },
    { title: "sessions", isNumber: true },
    { title: "times", isNumber: true },
    { title: "error", wraps: true },
  ];
  const rows = errors
    .slice(0, limit)
    .map(({ cost_ms, sessions, times, error }) => [
      formatRunTime(cost_ms),
      `${sessions}`,
      `${times}`,
      toOneLine(error, 160),
    ]);
  return [[formatHeading("Recurring errors", screen.colors), formatTable(columns, rows, screen)].join("\n")];
}

function renderLines(answer: StatsAnswer, limit: number, screen: Screen): string {
  const { commits, total } = answer;
  const { colors, columns } = screen;
  const isTerminal = columns !== undefined;
  const of = commits.in_history === null ? "" : ` of ${commits.in_history.toLocaleString("en")}`;
  const lookedAt = `${commits.looked_at.toLocaleString("en")}${of} commits analysed`;
  const notes = answer.notes.flatMap((note) => wrapText(note, columns));
  if (total.lines === 0) {
    const what = commits.looked_at === 0 ? "No shares of lines yet." : `No added lines: ${lookedAt}.`;
    return [what, ...notes].join("\n");
  }
  const kinds = listAuthorKinds(total).map((author) => [
    colorByAuthor(
      isTerminal ? `${authorMarks[author]} ${authorNames[author]}` : authorNames[author],
      { author },
      colors,
    ),
    formatKnownShare(total, author),
    total[author].toLocaleString("en"),
  ]);
  const head =
    `${colors.bold(formatCount(total.lines, "added line"))}  ${lookedAt}, ` +
    `${commits.with_agent.toLocaleString("en")} with an agent's lines`;
  const parts = [
    [
      ...wrapWithIndent(head, screen, 0),
      ...notes.map(colors.dim),
      ...(isTerminal ? [drawAuthorBar(total, Math.min(columns, 60), colors)] : []),
      alignColumns(kinds),
    ].join("\n"),
  ];
  const add = (title: string, shape: readonly Column[], rows: string[][], shown = rows.slice(0, limit)) => {
    if (rows.length === 0) return;
    const more = rows.length > shown.length ? [colors.dim(`${shown.length} of ${rows.length}`)] : [];
    parts.push([formatHeading(title, colors), formatTable(shape, shown, screen), ...more].join("\n"));
  };
  // Where there are no such lines, the column would only take room.
  const hasBefore = total.before_agents > 0;
  const cells = (share: Share) => [
    ...(["agent", "human", "unknown"] as const).map((author) => formatKnownShare(share, author)),
    ...(hasBefore ? [formatPercent(share.before_agents, share.lines)] : []),
    share.lines.toLocaleString("en"),
    isTerminal ? drawAuthorBar(share, barWidth, colors) : "",
  ];
  const shareColumns: Column[] = [
    { title: "agent", isNumber: true },
    { title: "human", isNumber: true },
    { title: "unknown", isNumber: true },
    ...(hasBefore ? [{ title: "before", isNumber: true }] : []),
    { title: "lines", isNumber: true },
    { title: "", optional: 2 },
  ];
  add(
    "Authors",
    [...shareColumns, { title: "commits", isNumber: true }, { title: "author", wraps: true }],
    answer.by_author.map(({ author, commits: made, ...share }) => [
      ...cells(share),
      made.toLocaleString("en"),
      toOneLine(author),
    ]),
  );
  add(
    "Directories",
    [...shareColumns, { title: "directory", wraps: true }],
    answer.by_directory.map(({ directory, ...share }) => [
      ...cells(share),
      colors.place(toOneLine(directory)),
    ]),
  );
  const weeks = answer.by_week.map(({ week, ...share }) => [...cells(share), week]);
  // Those of late say more than the first ones.
  add("Weeks", [...shareColumns, { title: "week" }], weeks, weeks.slice(-limit));
  if (isTerminal && weeks.length > 1) parts.push(renderWeeks(answer.by_week, screen));
  const most = Math.max(1, ...answer.by_model.map(({ lines }) => lines));
  add(
    "Models",
    [
      { title: "lines", isNumber: true },
      { title: "", optional: 1 },
      { title: "model", wraps: true },
    ],
    answer.by_model.map(({ model, lines }) => [
      lines.toLocaleString("en"),
      isTerminal ? colors.agent(drawBar(lines / most, barWidth)) : "",
      toOneLine(model),
    ]),
  );
  add(
    "Whose sessions",
    [
      { title: "lines", isNumber: true },
      { title: "sessions", isNumber: true },
      { title: "by", wraps: true },
    ],
    answer.by_colleague.map(({ author, sessions, lines }) => [
      lines.toLocaleString("en"),
      sessions.toLocaleString("en"),
      toOneLine(author || "you"),
    ]),
  );
  add(
    "Sessions",
    [
      { title: "lines", isNumber: true },
      { title: "commits", isNumber: true, optional: 1 },
      { title: "session" },
      { title: "shared by", optional: 2 },
      { title: "title", wraps: true },
    ],
    answer.by_session.map(({ session_id, session_title, author, commits: led, lines }) => [
      lines.toLocaleString("en"),
      led.toLocaleString("en"),
      colors.id(shortenId(session_id)),
      toOneLine(author ?? ""),
      toOneLine(session_title ?? "(no title)"),
    ]),
  );
  return parts.join("\n\n");
}

/** Lines of each week, as far as they fit: a column for each, of all and of agents. */
function renderWeeks(weeks: StatsAnswer["by_week"], { colors, columns = 80 }: Screen): string {
  const shown = weeks.slice(-Math.min(weeksInLine, columns - 10));
  const rows = [
    ["lines", drawSparkline(shown.map(({ lines }) => lines))],
    ["agents", colors.agent(drawSparkline(shown.map(({ agent }) => agent)))],
    ["people", colors.human(drawSparkline(shown.map(({ human }) => human)))],
  ];
  const span = colors.dim(`${shown[0]!.week} to ${shown.at(-1)!.week}, each row by its own largest week`);
  return `${alignColumns(rows)}\n${span}`;
}
