import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import type { Config } from "../../base/config/settings.ts";
import { readTextIfAny } from "../../base/files/if-any.ts";
import type { Project } from "../../base/paths.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { readSource } from "../../code/files/read-source.ts";
import { GitFailure, readGitFields } from "../../git/git.ts";
import { listCommits } from "../../git/history/history.ts";
import { RepositoryCache } from "../../git/repository-cache.ts";
import type { Decision } from "../../protocol/decision.ts";
import { findReasonedChoices } from "../../sessions/decisions/find.ts";
import { makeDecision } from "../../sessions/decisions/to-decision.ts";
import {
  extractContentWords,
  joinWrapped,
  splitSentences,
  stripMarkdown,
} from "../../sessions/summaries/prose.ts";

/** Where repositories keep records of decisions. */
const recordFolders = ["adr", "adrs", "decisions", "decision-records"].flatMap((folder) => [
  `:(glob,icase)**/${folder}/*.md`,
  `:(glob,icase)**/${folder}/*.markdown`,
]);
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
export async function readRecordedDecisions(project: Project, config: Config): Promise<Decision[]> {
  const { root } = project;
  const found = await Promise.all([
    ofFiles.getOrAsk(root, "memories", () => readAgentMemories(project, config)),
    readRepositoryDecisions(root),
  ]);
  return found.flat();
}

/** Those in the repository. */
export async function readRepositoryDecisions(root: string): Promise<Decision[]> {
  const found = await Promise.all([
    ofFiles.getOrAsk(root, "records", () => ignoreGitFailure(readDecisionRecords(root))),
    ofFiles.getOrAsk(root, "comments", () => ignoreGitFailure(readMarkedComments(root))),
    ofCommits.getOrAsk(root, "commits", () => ignoreGitFailure(readCommitDecisions(root))),
  ]);
  return found.flat();
}

async function ignoreGitFailure(found: Promise<Decision[]>): Promise<Decision[]> {
  try {
    return await found;
  } catch (error) {
    // No repository, no commit yet, or no match of git grep.
    if (error instanceof GitFailure) return [];
    throw error;
  }
}

/** What a client learned about the project, its agent wrote down. */
const makeRecordedDecision = (known: Omit<Parameters<typeof makeDecision>[0], "by">): Decision =>
  makeDecision({
    ...known,
    by: known.source === "memory" ? "agent" : null,
    text: shortenText(known.text, maxText),
  });

async function readDecisionRecords(root: string): Promise<Decision[]> {
  const found: Decision[] = [];
  for await (const path of readGitFields(root, ["ls-files", "-z", "--", ...recordFolders])) {
    if (found.length >= maxRecords) break;
    // Empty where it is deleted in the working tree.
    const record = parseDecisionRecord(path, readTextIfAny(join(root, path)));
    if (record) found.push(record);
  }
  return found;
}

/** Not yet decided, or no more than a form to fill in. */
const open =
  /^\W*(?:proposed|draft|open|pending|in review|under review|wip|todo|idea|deferred|template|\{|<)/i;
const ended = /supersede|deprecated|rejected|withdrawn|obsolete/i;

/** It leads up to a decision: how it was, what was weighed, what something is. */
const leading =
  /^\W*(?:currently|although|while|this (?:is|adr|document|record|section)|these|there|we(?: have|['’]ve)? (?:discussed|considered|looked|tested|reviewed)|the (?:first|second|third|approaches?|options?)|follow(?:ing)? (?:is|are))\b|^[^.,:]{3,80}\bis (?:an?|the|for)\b|\b(?:was|were) considered\b|\bproposes?\b|\b(?:means|defined|following propert\w+)\b[^.]*[:.]/i;
/** A title that says what to do: then whatever leads up to it is about that. */
const ordering =
  /^(?:\W|\d|adr)*(?:use|remove|record|move|add|drop|replace|adopt|merge|migrate|combine|switch|stop|keep|separate|split|store|avoid|allow|reuse)\b/i;
/** The title of a record, and the first sentence of its decision; null for one without, or that is still open. */
function parseDecisionRecord(path: string, text: string): Decision | null {
  const title = /^#\s+(.+)$/m.exec(text)?.[1];
  const heading = /^#{2,3}\s+(?:\d+\.?\s+)?(?:the )?(?:decision|decision outcome|resolution)\b.*$/im.exec(
    text,
  );
  const status = /^(?:#{2,3}\s+status\s*\n+|\W*status\W*:\W*)(.+)$/im.exec(text)?.[1] ?? "";
  if (title === undefined || heading === null || open.test(status) || open.test(title)) return null;
  const start = heading.index + heading[0].length;
  const below = text.slice(start).split(/^#{1,2}\s/m)[0]!;
  const [begun, rest = ""] = splitSentences(joinWrapped(below));
  const sentence = begun?.endsWith(":") ? `${begun} ${rest}`.trim() : begun;
  if (sentence === undefined || extractContentWords(sentence).size < 2 || open.test(sentence)) return null;
  if (sentence.endsWith(":") || (leading.test(sentence) && !ordering.test(title))) return null;
  const line = text.slice(0, text.indexOf(sentence.slice(0, 20), start)).split("\n").length;
  return makeRecordedDecision({
    source: "adr",
    text: `${stripMarkdown(title)}: ${sentence}`,
    place: `${path}:${line}`,
    files: [path],
    superseded_by: ended.test(status) ? shortenText(stripMarkdown(status), 160) : null,
    superseded: ended.test(status) ? "known" : null,
  });
}

/** What clients remember of the project, scrubbed. */
async function readAgentMemories(project: Project, config: Config): Promise<Decision[]> {
  // Loaded on demand: readers of all agents, and the patterns of secrets.
  const [{ agents }, { createProjectScrubber: scrubberOf }, { scrubAlone }] = await Promise.all([
    import("../../agents/registry.ts"),
    import("../../redact/project-scrubber.ts"),
    import("../../redact/scrubber.ts"),
  ]);
  const scrubber = scrubberOf(project, config);
  const found: Decision[] = [];
  for (const agent of agents) {
    const files = (await agent.findMemories?.(project.root)) ?? [];
    for (const file of files.slice(0, maxMemories)) {
      const stamp = { path: basename(file), size: 0, mtimeMs: 0 };
      const read = readSource(file, stamp, { maxFileSize: maxMemorySize });
      if (read.kind !== "text") continue;
      const text = scrubAlone(scrubber, read.text);
      const lines = text.split("\n");
      for (const said of findReasonedChoices(text)) {
        const line = lines.findIndex((one) => stripMarkdown(one).includes(said.slice(0, 40)));
        const place = `${shortenHomePath(file)}:${line + 1}`;
        const timestamp = new Date(read.mtimeMs).toISOString();
        found.push(makeRecordedDecision({ source: "memory", text: said, place, timestamp }));
      }
    }
  }
  return found;
}

const shortenHomePath = (file: string): string => {
  const home = homedir();
  return file.startsWith(home + sep) ? `~${file.slice(home.length)}` : file;
};

/** A comment that begins with the mark; in prose the word is a heading, and in a string anything. */
const marked =
  /^\s*(?:\/\/+!?|\/\*+|\*|#+|--|;+|%+|<!--|"""|\{\/\*)\s*(?:WHY|DECISION)(?:\([^)]*\))?:\s*(.+?)\s*$/;
const comment = /^\s*(?:\/\/+!?|\*(?!\/)|#+(?!!)|--|;+|%+)\s?(?=\S)/;
const commentEnd = /\s*(?:\*\/\}?|-->|""")\s*$/;
const prose = [
  "md",
  "mdx",
  "markdown",
  "txt",
  "rst",
  "adoc",
  "json",
  "jsonl",
  "csv",
  "svg",
  "html",
  "snap",
  "patch",
];
/** Lines that a comment goes on for. */
const maxCommentLines = 8;

async function readMarkedComments(root: string): Promise<Decision[]> {
  const found: Decision[] = [];
  const args = ["grep", "-z", "-n", "-I", "-E", `-A${maxCommentLines}`, "(WHY|DECISION)(\\([^)]*\\))?:"];
  const texts = ["--", ".", ...prose.map((ending) => `:(exclude,icase)*.${ending}`)];
  const lines: CodeLine[] = [];
  let rest: string[] = [];
  // With -z, path and line number end with a NUL, the line itself with a line feed.
  for await (const field of readGitFields(root, [...args, ...texts])) {
    const parts = field.split("\n");
    rest = [...rest, parts[0]!];
    if (rest.length === 3) lines.push({ path: rest[0]!, line: Number(rest[1]), code: rest[2]! });
    // Parts that are not next to each other are set apart by a line of two hyphens.
    if (parts.length > 1) rest = parts.slice(-1);
  }
  for (const [i, { path, line, code }] of lines.entries()) {
    if (found.length >= maxComments) break;
    if (!marked.test(code)) continue;
    const text = extractComment(lines, i);
    if (extractContentWords(text).size >= 3)
      found.push(makeRecordedDecision({ source: "comment", text, place: `${path}:${line}`, files: [path] }));
  }
  return found;
}

interface CodeLine {
  path: string;
  line: number;
  code: string;
}

/** What a marked comment says on its line and on those that go on with it. */
function extractComment(lines: readonly CodeLine[], at: number): string {
  const { path, line, code } = lines[at]!;
  const said = [marked.exec(code)![1]!];
  for (const [i, next] of lines.slice(at + 1, at + 1 + maxCommentLines).entries()) {
    const isOver = commentEnd.test(said.at(-1)!) || next.path !== path || next.line !== line + 1 + i;
    if (isOver || !comment.test(next.code) || marked.test(next.code)) break;
    said.push(next.code.replace(comment, "").trim());
  }
  return stripMarkdown(said.join(" ").replace(commentEnd, ""));
}

/** Commits that say what others did, or that no author wrote. */
const byMachine = /\[bot\]|dependabot|renovate/i;
const repeats = /^(?:revert|merge|bump|release|chore\(release\)|chore\(deps)/i;

async function readCommitDecisions(root: string): Promise<Decision[]> {
  const found: Decision[] = [];
  // A commit that was picked, or made again, says it again.
  const known = new Set<string>();
  for await (const commit of listCommits(root, { limit: maxCommits, merges: false })) {
    const { hash, authoredAt, message, files, author } = commit;
    const [subject = "", ...body] = message.split("\n");
    if (repeats.test(subject) || byMachine.test(author)) continue;
    for (const said of findReasonedChoices(body.join("\n").replace(trailer, ""))) {
      if (known.has(said)) continue;
      known.add(said);
      const timestamp = new Date(authoredAt).toISOString();
      const place = shortenHash(hash);
      found.push(
        makeRecordedDecision({
          source: "commit",
          text: said,
          place,
          timestamp,
          files: files.slice(0, maxFiles),
        }),
      );
    }
  }
  return found;
}

/** `Signed-off-by: ...` */
const trailer = /^[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: .*$/gm;
