import { join } from "node:path";
import { toStoredPaths } from "../../answers/file-place.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { drawAuthorBar } from "../../terminal/chart.ts";
import { toFileUrl } from "../../terminal/links.ts";
import type { Output, Screen } from "../../terminal/output.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import { formatCount, toOneLine, wrapText } from "../../terminal/text.ts";
import { type SharedEntry, sumByEntry } from "../files/files.ts";
import { type Share, showStats } from "../stats/operation.ts";
import { formatAuthorShare, formatKnownShare, listAuthorKinds } from "./author-words.ts";

/** `pm blame` of a directory: who wrote the lines that commits added to what lies in it. */
export async function blameDirectory(
  project: Project,
  cwd: string,
  directory: string,
  output: Output,
): Promise<void> {
  const [path = "**"] = toStoredPaths(project, cwd, [directory]);
  const isWhole = path === "**";
  const request = { path: isWhole ? [] : [path], files: true };
  const { by_file = [], total, commits, notes } = await call(showStats, request, project);
  const entries = sumByEntry(by_file, isWhole ? "" : `${path.replace(/\/+(?:\*\*)?$/, "")}/`);
  const shown = { directory: isWhole ? "." : path, total, entries, notes };
  output.result({ ...shown, commits }, () => renderDirectory({ ...shown, root: project.root }, output));
}

const barWidth = 20;

/** Rows on a terminal. */
const rowsShown = 40;

const titles = { agent: "agents", human: "people", unknown: "unknown", before_agents: "before" } as const;

/** For a person: a row for each file and directory. */
export function renderDirectory(
  {
    directory,
    root,
    total,
    entries,
    notes,
  }: { directory: string; root: string; total: Share; entries: SharedEntry[]; notes: string[] },
  screen: Screen,
): string {
  const { colors } = screen;
  const said = notes.flatMap((note) => wrapText(note, screen.columns));
  if (entries.length === 0) {
    const where = directory === "." ? "this directory" : toOneLine(directory);
    return [`No lines known in ${where}.`, ...said].join("\n");
  }
  const authors = listAuthorKinds(total);
  const columns: Column[] = [
    { title: "path", wraps: true },
    { title: "", optional: 1 },
    ...authors.map((author) => ({ title: titles[author], isNumber: true })),
    { title: "lines", isNumber: true },
  ];
  const shown = screen.columns === undefined ? entries : entries.slice(0, rowsShown);
  const rows = shown.map((entry) => [
    colors.link(colors.place(toOneLine(entry.path)), toFileUrl(join(root, entry.path))),
    screen.columns === undefined ? "" : drawAuthorBar(entry, barWidth, colors),
    ...authors.map((author) => formatKnownShare(entry, author)),
    entry.lines.toLocaleString("en"),
  ]);
  const shares = authors.map((author) => formatAuthorShare(total, author, colors));
  const more = entries.length - shown.length;
  return [
    `${colors.bold(toOneLine(directory))}  ${formatCount(total.lines, "line")} added by commits  ${shares.join("  ")}`,
    ...said.map(colors.dim),
    "",
    formatTable(columns, rows, screen),
    ...(more > 0 ? [colors.dim(`and ${more} more`)] : []),
  ].join("\n");
}
