import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GitFailure, gitFields } from "../../git/git.ts";
import { commitsOf } from "../../git/history/history.ts";
import { RepositoryCache } from "../../git/repository-cache.ts";
import type { Decision } from "../../protocol/operations/decisions.ts";
import { findDecisions } from "../../sessions/decisions/find.ts";
import { plainLine, sentencesOf } from "../../sessions/summaries/prose.ts";
import { contentWords } from "../../sessions/summaries/words.ts";
import { beginningOf } from "../../text/text-size.ts";

/** Where repositories keep records of decisions. */
const recordFolders = [
  "docs/decisions",
  "docs/adr",
  "docs/adrs",
  "docs/architecture/decisions",
  "doc/adr",
  "adr",
];
const maxRecords = 300;
const maxComments = 500;
const maxCommits = 2_000;
/** Of a commit. */
const maxFiles = 50;
/** Characters. */
const maxText = 400;

const ofCommits = new RepositoryCache<Decision[]>({ max: 20 });
/** Files change without git; nobody notices a comment's absence for so long. */
const ofFiles = new RepositoryCache<Decision[]>({ max: 20, maxAgeMs: 10_000 });

/**
 * Decisions that the repository itself records, quoted: decision records, comments that begin with "WHY:" or
 * "DECISION:", bodies of commits. None if git fails.
 */
export async function recordedDecisions(root: string): Promise<Decision[]> {
  const found = await Promise.all([
    ofFiles.of(root, "records", () => orNone(recordsIn(root))),
    ofFiles.of(root, "comments", () => orNone(commentsIn(root))),
    ofCommits.of(root, "commits", () => orNone(commitsIn(root))),
  ]);
  return found.flat();
}

async function orNone(found: Promise<Decision[]>): Promise<Decision[]> {
  try {
    return await found;
  } catch (error) {
    // No repository, no commit yet, or no match of git grep.
    if (error instanceof GitFailure) return [];
    throw error;
  }
}

const recorded = (given: Pick<Decision, "source" | "text" | "place"> & Partial<Decision>): Decision => ({
  session_id: null,
  session_title: null,
  turn: null,
  timestamp: null,
  branch: null,
  files: [],
  score: null,
  superseded_by: null,
  supersedes: [],
  ...given,
  text: beginningOf(given.text, maxText),
});

async function recordsIn(root: string): Promise<Decision[]> {
  const found: Decision[] = [];
  for await (const path of gitFields(root, ["ls-files", "-z", "--", ...recordFolders])) {
    if (!path.endsWith(".md") || found.length >= maxRecords) continue;
    const record = recordOf(path, textAt(join(root, path)));
    if (record) found.push(record);
  }
  return found;
}

function textAt(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Deleted in the working tree.
    return "";
  }
}

/** The title of a record, and the first sentence of its decision. */
function recordOf(path: string, text: string): Decision | null {
  const title = /^#\s+(.+)$/m.exec(text)?.[1];
  const heading = /^#{2,3}\s+(?:decision|decision outcome)\b.*$/im.exec(text);
  const start = heading ? heading.index + heading[0].length : title ? text.indexOf(title) + title.length : 0;
  const [sentence] = sentencesOf(text.slice(start).replace(/^\**status\**:.*$/gim, ""));
  if (title === undefined || sentence === undefined) return null;
  const line = text.slice(0, text.indexOf(sentence.slice(0, 20), start)).split("\n").length;
  const status = /^(?:#{2,3}\s+status\s*\n+|\W*status\W*:\W*)(.+)$/im.exec(text)?.[1] ?? "";
  return recorded({
    source: "adr",
    text: `${plainLine(title)}: ${sentence}`,
    place: `${path}:${line}`,
    files: [path],
    superseded_by: /supersede|deprecated|rejected/i.test(status) ? beginningOf(plainLine(status), 160) : null,
  });
}

const marked = /\b(?:WHY|DECISION):\s*(.+?)\s*(?:\*\/|-->)?\s*$/;

async function commentsIn(root: string): Promise<Decision[]> {
  const found: Decision[] = [];
  const args = ["grep", "-z", "-n", "-I", "-E", "(^|[^A-Za-z_])(WHY|DECISION):"];
  let rest: string[] = [];
  // With -z, path and line number end with a NUL, the line itself with a line feed.
  for await (const field of gitFields(root, args)) {
    const lines = field.split("\n");
    rest = [...rest, lines[0]!];
    if (rest.length === 3) {
      const [path = "", line = "", code = ""] = rest;
      const text = marked.exec(code)?.[1];
      if (text && contentWords(text).size >= 3 && found.length < maxComments)
        found.push(recorded({ source: "comment", text, place: `${path}:${line}`, files: [path] }));
    }
    if (lines.length > 1) rest = lines.slice(1);
  }
  return found;
}

async function commitsIn(root: string): Promise<Decision[]> {
  const found: Decision[] = [];
  for await (const commit of commitsOf(root, { limit: maxCommits, merges: true })) {
    const { hash, authoredAt, message, files } = commit;
    const [, ...body] = message.split("\n");
    // Lines of a paragraph are wrapped.
    const text = body
      .join("\n")
      .replace(/([^\n])\n(?=[a-z(`])/g, "$1 ")
      .replace(/^[A-Za-z-]+: .*$/gm, (line) => (/^(?:why|decision):/i.test(line) ? line : ""));
    for (const { text: said } of findDecisions([{ by: "agent", text, turn: 0 }])) {
      const timestamp = new Date(authoredAt).toISOString();
      const place = hash.slice(0, 12);
      found.push(
        recorded({ source: "commit", text: said, place, timestamp, files: files.slice(0, maxFiles) }),
      );
    }
  }
  return found;
}
