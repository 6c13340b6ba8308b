import { join } from "node:path";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import { type BlameAuthor, blameAuthors } from "../../protocol/values.ts";
import { authorBar } from "../../terminal/chart.ts";
import { fileUrl } from "../../terminal/links.ts";
import type { Output, Screen } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { type Column, table } from "../../terminal/table.ts";
import { counted, oneLine, printable, shortId, wrapped } from "../../terminal/text.ts";
import type { LinesByAuthor } from "../checkpoints/operation.ts";
import { type SharedEntry, summedUp } from "../files/files.ts";
import { pathsFrom } from "../related/related.ts";
import type { Share } from "../stats/operation.ts";
import { showStats } from "../stats/operation.ts";

/** How those who wrote lines are named. */

/** What stands for each kind of author beside lines. */
export const authorMarks: Readonly<Record<LineAuthor["author"], string>> = {
  agent: "●",
  human: "○",
  unknown: "·",
  before_agents: "◦",
};

/** What each kind of author is called. */
export const authorNames: Readonly<Record<LineAuthor["author"], string>> = {
  agent: "agent",
  human: "human",
  unknown: "unknown",
  before_agents: "before agents",
};

/** Kinds of authors to name: lines from before the first session only where there are some. */
export const authorsIn = ({ before_agents }: { before_agents: number }) =>
  blameAuthors.filter((author) => author !== "before_agents" || before_agents > 0);

/**
 * "agent claude-opus-4", "Ann", "unknown (Ann)", "Ann, before agents"; in brackets git's author where the writer is
 * unknown.
 * @param isMarked whether a mark says already what kind of author it is
 */
export function whoWrote(
  { author, agent, model }: LineAuthor,
  person: string | null,
  width = 60,
  isMarked = false,
): string {
  if (isMarked) {
    // The vendor and the day of a model's version say least.
    const short = model?.replace(/^claude-(?=\w)/, "").replace(/-\d{8}$/, "");
    return oneLine((author === "agent" ? (short ?? agent) : person) ?? authorNames[author], width);
  }
  if (author === "agent") return oneLine(["agent", model ?? agent ?? ""].join(" "), width);
  if (author === "human") return oneLine(person ?? "a person", width);
  if (author === "before_agents" && person !== null) return oneLine(`${person}, before agents`, width);
  return oneLine(person === null ? authorNames[author] : `${authorNames[author]} (${person})`, width);
}

/** "8ecde0fc:7", as far as it is known; "" for what no agent wrote. */
export function turnId({ session_id, turn }: LineAuthor): string {
  if (session_id === null) return "";
  return turn === null ? shortId(session_id) : `${shortId(session_id)}:${turn}`;
}

/** A text in the colour of its author. */
export function inColor(text: string, { author }: Pick<LineAuthor, "author">, colors: Palette): string {
  if (author === "agent") return colors.agent(text);
  return author === "human" ? colors.human(text) : colors.dim(text);
}

/** The beginning of a hash, as git shows it. */
export const shortHash = (hash: string | null): string => hash?.slice(0, 8) ?? "--------";

/** "42%"; a share that rounds to nothing, or to all, without being so is "<1%", ">99%". */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const share = (100 * part) / whole;
  if (share > 0 && share < 1) return "<1%";
  if (share > 99 && share < 100) return ">99%";
  return `${Math.round(share)}%`;
}

/** The share of an author; "–" where it has no line that is known, and others are unknown: that is not "0%". */
export function knownShare(share: Share, author: BlameAuthor): string {
  const isOpen = share[author] === 0 && share.unknown > 0 && author !== "before_agents";
  return isOpen ? "–" : percent(share[author], share.lines);
}

/** "● agent 42%". */
export const authorShare = (share: Share, author: BlameAuthor, colors: Palette): string =>
  inColor(`${authorMarks[author]} ${authorNames[author]} ${knownShare(share, author)}`, { author }, colors);

/** The shares of a change's added lines: none of them is from before agents. */
export const shareOf = (lines: LinesByAuthor): Share => ({
  ...lines,
  lines: lines.agent + lines.human + lines.unknown,
  before_agents: 0,
});

/** A line of a file, safe to print; the carriage return of a Windows line ending is left out. */
export const codeLine = (text: string): string => printable(text.replace(/\r$/, ""));

/** `pm blame` of a directory: who wrote the lines that commits added to what lies in it. */
export async function blameDirectory(
  project: Project,
  cwd: string,
  directory: string,
  output: Output,
): Promise<void> {
  const [path = "**"] = pathsFrom(project, cwd, [directory]);
  const isWhole = path === "**";
  const request = { path: isWhole ? [] : [path], files: true };
  const { by_file = [], total, commits, notes } = await call(showStats, request, project);
  const entries = summedUp(by_file, isWhole ? "" : `${path.replace(/\/+(?:\*\*)?$/, "")}/`);
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
  const said = notes.flatMap((note) => wrapped(note, screen.columns));
  if (entries.length === 0) {
    const where = directory === "." ? "this directory" : oneLine(directory);
    return [`No lines known in ${where}.`, ...said].join("\n");
  }
  const authors = authorsIn(total);
  const columns: Column[] = [
    { title: "path", wraps: true },
    { title: "", optional: 1 },
    ...authors.map((author) => ({ title: titles[author], isNumber: true })),
    { title: "lines", isNumber: true },
  ];
  const shown = screen.columns === undefined ? entries : entries.slice(0, rowsShown);
  const rows = shown.map((entry) => [
    colors.link(colors.place(oneLine(entry.path)), fileUrl(join(root, entry.path))),
    screen.columns === undefined ? "" : authorBar(entry, barWidth, colors),
    ...authors.map((author) => knownShare(entry, author)),
    entry.lines.toLocaleString("en"),
  ]);
  const shares = authors.map((author) => authorShare(total, author, colors));
  const more = entries.length - shown.length;
  return [
    `${colors.bold(oneLine(directory))}  ${counted(total.lines, "line")} added by commits  ${shares.join("  ")}`,
    ...said.map(colors.dim),
    "",
    table(columns, rows, screen),
    ...(more > 0 ? [colors.dim(`and ${more} more`)] : []),
  ].join("\n");
}
