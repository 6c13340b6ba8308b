import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import { agents } from "../../agents/registry.ts";
import { readSource } from "../../code/files/read-source.ts";
import { GitFailure, gitFields } from "../../git/git.ts";
import { commitsOf } from "../../git/history/history.ts";
import { RepositoryCache } from "../../git/repository-cache.ts";
import type { Config } from "../../project/config/settings.ts";
import type { Project } from "../../project/paths.ts";
import type { Decision } from "../../protocol/operations/decisions.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import { findDecisions } from "../../sessions/decisions/find.ts";
import { scrubberOf } from "../../sessions/from-config.ts";
import { plainLine, sentencesOf } from "../../sessions/summaries/prose.ts";
import { contentWords } from "../../sessions/summaries/words.ts";
import { beginningOf } from "../../text/text-size.ts";
import { decisionWith } from "./decision.ts";

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
const maxMemories = 50;
/** Bytes: a larger file is no notebook. */
const maxMemorySize = 256 * 1024;
/** Of a commit. */
const maxFiles = 50;
/** Characters. */
const maxText = 400;

const ofCommits = new RepositoryCache<Decision[]>({ max: 20 });
/** Files change without git; nobody notices a comment's absence for so long. */
const ofFiles = new RepositoryCache<Decision[]>({ max: 20, maxAgeMs: 10_000 });

/**
 * Decisions recorded outside of sessions, quoted: decision records, comments that begin with "WHY:" or "DECISION:",
 * bodies of commits, and the files in which clients keep what they learned about the project. None if git fails.
 */
export async function recordedDecisions(project: Project, config: Config): Promise<Decision[]> {
  const { root } = project;
  const found = await Promise.all([
    config["sessions.client_memory"] ? ofFiles.of(root, "memories", () => memoriesOf(project, config)) : [],
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

const recorded = (known: Parameters<typeof decisionWith>[0]): Decision =>
  decisionWith({ ...known, text: beginningOf(known.text, maxText) });

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

/** What clients remember of the project, scrubbed. */
async function memoriesOf(project: Project, config: Config): Promise<Decision[]> {
  const scrubber = scrubberOf(project, config);
  const found: Decision[] = [];
  for (const agent of agents) {
    const files = (await agent.memories?.(project.root)) ?? [];
    for (const file of files.slice(0, maxMemories)) {
      const stamp = { path: basename(file), size: 0, mtimeMs: 0 };
      const read = readSource(file, stamp, { maxFileSize: maxMemorySize });
      if (read.kind !== "text") continue;
      const text = scrubAlone(scrubber, read.text);
      const lines = text.split("\n");
      for (const { text: said } of findDecisions([{ by: "agent", text, turn: 0 }])) {
        const line = lines.findIndex((one) => plainLine(one).includes(said.slice(0, 40)));
        const place = `${shownPath(file)}:${line + 1}`;
        const timestamp = new Date(read.mtimeMs).toISOString();
        found.push(recorded({ source: "memory", text: said, place, timestamp }));
      }
    }
  }
  return found;
}

const shownPath = (file: string): string => {
  const home = homedir();
  return file.startsWith(home + sep) ? `~${file.slice(home.length)}` : file;
};

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
