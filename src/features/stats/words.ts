import {
  type Document,
  type DocumentColumn,
  faint,
  heading,
  id,
  type LinePart,
  line,
  makeDocument,
  type Paragraph,
  place,
  strong,
  table,
  wordShown,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { formatKnownShare } from "../../protocol/reading/authors.ts";
import { nameTitle } from "../../protocol/reading/names.ts";
import { formatPercent } from "../../protocol/reading/numbers.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { Share } from "../../protocol/shares.ts";
import { wordAuthorKinds } from "../blame/author-words.ts";
import type { StatsAnswer } from "./operation.ts";

/** Of a bar in a row, and of the one of all lines. */
const columnsOfBar = { row: 24, all: 60 } as const;

type TableCells = readonly (LinePart | false)[];

/** Who wrote the lines that commits added, by author, directory, week, model and session; and errors that come back. */
export function wordStats(answer: StatsAnswer, limit: number, weeksShown: number): Document {
  const { total } = answer;
  if (total.lines === 0) return [wordNone(answer), ...wordErrors(answer, limit)];
  const toTable = (
    name: string,
    columns: readonly DocumentColumn[],
    rows: readonly TableCells[],
    shown = rows.slice(0, limit),
  ) => rows.length > 0 && [heading(name), table(columns, shown), ...wordShown(shown.length, rows.length)];
  // Where there are no such lines, the column would only take room.
  const hasBefore = total.before_agents > 0;
  const toCells = (share: Share): TableCells => [
    ...(["agent", "human", "unknown"] as const).map((author) => formatKnownShare(share, author)),
    ...(hasBefore ? [formatPercent(share.before_agents, share.lines)] : []),
    formatNumber(share.lines),
    { draw: "authors", lines: share, columns: columnsOfBar.row },
  ];
  const shareColumns: DocumentColumn[] = [
    ...["agent", "human", "unknown", ...(hasBefore ? ["before"] : []), "lines"].map((title) => ({
      title,
      isNumber: true,
    })),
    { title: "", optional: 2 },
  ];
  const weeks = answer.by_week.map(({ week, ...share }): TableCells => [...toCells(share), week]);
  const most = Math.max(1, ...answer.by_model.map(({ lines }) => lines));
  return makeDocument(
    wordTotal(answer),
    toTable(
      "Authors",
      [...shareColumns, { title: "commits", isNumber: true }, { title: "author", wraps: true }],
      answer.by_author.map(({ author, commits, ...share }) => [
        ...toCells(share),
        formatNumber(commits),
        { text: author },
      ]),
    ),
    toTable(
      "Directories",
      [...shareColumns, { title: "directory", wraps: true }],
      answer.by_directory.map(({ directory, ...share }) => [...toCells(share), place(directory)]),
    ),
    // Those of late say more than the first ones.
    toTable("Weeks", [...shareColumns, { title: "week" }], weeks, weeks.slice(-limit)),
    weeks.length > 1 && wordCourse(answer.by_week.slice(-weeksShown)),
    toTable(
      "Models",
      [
        { title: "lines", isNumber: true },
        { title: "", optional: 1 },
        { title: "model", wraps: true },
      ],
      answer.by_model.map(({ model, lines }) => [
        formatNumber(lines),
        { draw: "bar", share: lines / most, columns: columnsOfBar.row, role: "agent" },
        { text: model },
      ]),
    ),
    toTable(
      "Whose sessions",
      [
        { title: "lines", isNumber: true },
        { title: "sessions", isNumber: true },
        { title: "by", wraps: true },
      ],
      answer.by_colleague.map(({ author, sessions, lines }) => [
        formatNumber(lines),
        formatNumber(sessions),
        { text: author || "you" },
      ]),
    ),
    toTable(
      "Sessions",
      [
        { title: "lines", isNumber: true },
        { title: "commits", isNumber: true, optional: 1 },
        { title: "session" },
        { title: "shared by", optional: 2 },
        { title: "title", wraps: true },
      ],
      answer.by_session.map(({ session_id, session_title, author, commits, lines }) => [
        formatNumber(lines),
        formatNumber(commits),
        id(shortenSessionId(session_id)),
        { text: author ?? "" },
        { text: nameTitle(session_title) },
      ]),
    ),
    ...wordErrors(answer, limit),
  );
}

const formatNumber = (count: number): string => count.toLocaleString("en");

function wordLookedAt({ commits: { in_history, looked_at } }: StatsAnswer): string {
  const of = in_history === null ? "" : ` of ${formatNumber(in_history)}`;
  return `${formatNumber(looked_at)}${of} commits analysed`;
}

const wordNone = (answer: StatsAnswer): Paragraph => [
  line(
    answer.commits.looked_at === 0 ? "No shares of lines yet." : `No added lines: ${wordLookedAt(answer)}.`,
  ),
  ...answer.notes.map((text) => line({ text })),
];

const wordTotal = (answer: StatsAnswer): Paragraph => [
  line(
    strong(formatCount(answer.total.lines, "added line")),
    `  ${wordLookedAt(answer)}, ${formatNumber(answer.commits.with_agent)} with an agent's lines`,
  ),
  ...answer.notes.map((text) => line(faint(text))),
  line({ draw: "authors", lines: answer.total, columns: columnsOfBar.all }),
  wordAuthorKinds(answer.total),
];

/** Lines of each week: a column for each, of all, of agents and of people. */
const wordCourse = (weeks: StatsAnswer["by_week"]): Paragraph => [
  table(
    [{ title: "" }, { title: "" }],
    [
      ["lines", { draw: "sparkline", values: weeks.map(({ lines }) => lines) }],
      ["agents", { draw: "sparkline", values: weeks.map(({ agent }) => agent), role: "agent" }],
      ["people", { draw: "sparkline", values: weeks.map(({ human }) => human), role: "human" }],
    ],
  ),
  line(faint(`${weeks[0]!.week} to ${weeks.at(-1)!.week}, each row by its own largest week`)),
];

const wordErrors = ({ recurring_errors: errors }: StatsAnswer, limit: number): Document =>
  errors.length === 0
    ? []
    : [
        [
          heading("Recurring errors"),
          table(
            [
              { title: "at most lost", isNumber: true },
              { title: "sessions", isNumber: true },
              { title: "times", isNumber: true },
              { title: "error", wraps: true },
            ],
            errors
              .slice(0, limit)
              .map(({ cost_ms, sessions, times, error }) => [
                formatDuration(cost_ms),
                `${sessions}`,
                `${times}`,
                { text: error, quotedChars: 160 },
              ]),
          ),
        ],
      ];
