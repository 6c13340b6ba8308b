import { join } from "node:path";
import { type Document, faint, line, type Part, strong, table } from "../../answers/document.ts";
import { toStoredPaths } from "../../answers/file-place.ts";
import type { Project } from "../../base/paths.ts";
import { formatCount } from "../../base/text/counted.ts";
import { call } from "../../client/call.ts";
import { formatKnownShare, listAuthorKinds } from "../../protocol/reading/authors.ts";
import { type SharedEntry, sumByEntry } from "../../protocol/reading/sum-shares.ts";
import type { Share } from "../../protocol/shares.ts";
import type { Output } from "../../terminal/output.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { showStats } from "../stats/operation.ts";
import { formatAuthorShare } from "./author-words.ts";

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
  const named = { ...shown, root: project.root };
  showAnswer(output, { ...shown, commits }, () => wordDirectory(named));
}

const barColumns = 20;

/** Rows on a terminal. */
const rowsShown = 40;

const titles = { agent: "agents", human: "people", unknown: "unknown", before_agents: "before" } as const;

interface BlamedDirectory {
  directory: string;
  root: string;
  total: Share;
  entries: SharedEntry[];
  notes: string[];
}

/** A row for each file and directory. */
export function wordDirectory({ directory, root, total, entries, notes }: BlamedDirectory): Document {
  const said = notes.map((text) => line(faint(text)));
  if (entries.length === 0) {
    const where = directory === "." ? "this directory" : directory;
    return [[line("No lines known in ", { text: where }, "."), ...said]];
  }
  const authors = listAuthorKinds(total);
  const shares = authors.flatMap((author): Part[] => ["  ", formatAuthorShare(total, author)]);
  return [
    [line(strong(directory), `  ${formatCount(total.lines, "line")} added by commits`, ...shares), ...said],
    [
      table(
        [
          { title: "path", wraps: true },
          { title: "", optional: 1 },
          ...authors.map((author) => ({ title: titles[author], isNumber: true })),
          { title: "lines", isNumber: true },
        ],
        entries.map((entry) => [
          { text: entry.path, role: "place", path: join(root, entry.path) },
          { draw: "authors", lines: entry, columns: barColumns },
          ...authors.map((author) => formatKnownShare(entry, author)),
          entry.lines.toLocaleString("en"),
        ]),
        rowsShown,
      ),
    ],
  ];
}
