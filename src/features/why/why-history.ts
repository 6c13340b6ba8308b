import type { AnalyseNow } from "../../answers/analyse.ts";
import { stripFormatting } from "../../attribution/lines/line-keys.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { nameBefore, streamChangedFiles, type WhatChanged } from "../../git/diff/changes.ts";
import type { ChangedFile, ChangedHunk } from "../../git/diff/changes-types.ts";
import { readGitFields } from "../../git/git.ts";
import { RepositoryCache } from "../../git/repository-cache.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import { readAttributedVersions } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTurn } from "../../store/memory/sessions/turns.ts";
import { blameFile } from "../blame/blame-file.ts";
import type { BlameRange } from "../blame/operation.ts";
import type { EarlierLines, LaterChanges } from "./operation.ts";
import { findLargestRange, groupByOrigin, pickLineAuthor, toOriginCommit } from "./why-origins.ts";

/** Lines of a file as they are in a commit, or (null) in the working tree. */
interface LinesAt {
  commit: string | null;
  file: string;
  first: number;
  last: number;
}

/** Lines in the commit before. */
interface LinesBefore {
  how: "changed" | "replaced";
  /** The commit before, as git takes it. */
  revision: string;
  file: string;
  first: number;
  last: number;
  text: string[];
}

/** Maximum number of lines in a replaced block; larger blocks do not count as replaced. */
const maxReplaced = 40;
/** The share of words that makes two lines versions of each other. */
const alike = 0.5;
const maxCounted = 200;
const latestShown = 5;

type LaterCommit = Omit<LaterChanges["latest"][number], "by_agent">;

/** .gitattributes files, which may be in any directory, decide what is text. */
const linesKnown = new RepositoryCache<LinesBefore | null>({ max: 500, maxAgeMs: 60_000 });
const laterKnown = new RepositoryCache<{ count: number; latest: LaterCommit[] }>({ max: 500 });

/**
 * What a file contained before a commit wrote these lines there.
 * @returns null if the lines, or the file, were new
 * @throws GitFailure
 */
function findLinesBefore(
  project: Project,
  lines: LinesAt,
  signal?: AbortSignal,
): Promise<LinesBefore | null> {
  const read = () => readLinesBefore(project, lines, signal);
  return lines.commit === null ? read() : linesKnown.getOrAsk(project.root, JSON.stringify(lines), read);
}

async function readLinesBefore(
  project: Project,
  lines: LinesAt,
  signal?: AbortSignal,
): Promise<LinesBefore | null> {
  const what: WhatChanged = lines.commit === null ? { from: "HEAD", to: null } : { commit: lines.commit };
  const changed = await readFileChange(project, what, lines.file, signal);
  const hunk = changed?.hunks.find((hunk) => isOverlapping(hunk, lines));
  if (!changed || !hunk || hunk.removed.length === 0) return null;
  const revision = lines.commit === null ? "HEAD" : `${lines.commit}^`;
  const asked = hunk.added.slice(Math.max(lines.first - hunk.newStart, 0), lines.last - hunk.newStart + 1);
  const same = asked.flatMap((text) => findMostSimilar(text, hunk.removed) ?? []);
  if (same.length === 0 && hunk.removed.length > maxReplaced) return null;
  const [from, to] =
    same.length === 0 ? [0, hunk.removed.length - 1] : [Math.min(...same), Math.max(...same)];
  return {
    how: same.length === 0 ? "replaced" : "changed",
    revision,
    file: changed.oldPath ?? changed.path,
    first: hunk.oldStart + from,
    last: hunk.oldStart + to,
    text: hunk.removed.slice(from, to + 1),
  };
}

const isOverlapping = ({ newStart, added }: ChangedHunk, { first, last }: LinesAt) =>
  added.length > 0 && newStart <= last && newStart + added.length > first;

/** What a commit did to a file, with its old name if the commit renamed it. */
async function readFileChange(
  { root }: Project,
  what: WhatChanged,
  file: string,
  signal?: AbortSignal,
): Promise<ChangedFile | null> {
  const find = async (paths: string[]) => {
    for await (const changed of streamChangedFiles(root, what, { paths, signal })) {
      if (changed.path === file) return changed;
    }
    return null;
  };
  const changed = await find([file]);
  if (changed?.status !== "A") return changed;
  const before = await nameBefore(root, what, file, signal);
  return before === null ? changed : find([before, file]);
}

/** The index of the line most similar to a text, if any is similar enough. */
function findMostSimilar(text: string, lines: readonly string[]): number | null {
  const words = listTokens(text);
  let best: number | null = null;
  let most = alike;
  lines.forEach((line, i) => {
    const others = listTokens(line);
    const shared = [...words].filter((word) => others.has(word)).length;
    const share =
      stripFormatting(line) === stripFormatting(text) ? 1 : (2 * shared) / (words.size + others.size || 1);
    if (share > most || (share === most && best === null)) [best, most] = [i, share];
  });
  return best;
}

const listTokens = (text: string) => new Set(text.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? []);

/**
 * The commits that touched a file after a given one, the latest first.
 * @param files its names, current and former
 * @throws GitFailure
 */
export async function findChangesSince(
  project: Project,
  memory: Memory | null,
  commit: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<LaterChanges> {
  const { count, latest } = await laterKnown.getOrAsk(project.root, JSON.stringify([commit, files]), () =>
    readChangesSince(project.root, commit, files, signal),
  );
  const hashes = latest.map(({ hash }) => hash);
  const known = memory === null ? new Map<string, number>() : readAttributedVersions(memory, hashes);
  return {
    commits: count,
    latest: latest.map((one) => ({
      ...one,
      by_agent: memory === null || !known.get(one.hash) ? null : isLedTo(memory, one.hash),
    })),
  };
}

/** Whether a session led to a commit; null: maybe. */
function isLedTo(memory: Memory, hash: string): boolean | null {
  const sessions = findCheckpointOfCommit(memory, hash)?.sessions ?? [];
  if (sessions.some(({ confidence }) => confidence >= certain)) return true;
  return sessions.length === 0 ? false : null;
}

async function readChangesSince(
  root: string,
  commit: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<{ count: number; latest: LaterCommit[] }> {
  const args = [
    "--literal-pathspecs",
    "log",
    "-z",
    "--no-show-signature",
    "--no-color",
    "--encoding=UTF-8",
    `--max-count=${maxCounted}`,
    "--format=%H%n%at%n%an%n%s",
    `${commit}..HEAD`,
    "--",
    ...files,
  ];
  const latest: LaterCommit[] = [];
  let count = 0;
  for await (const field of readGitFields(root, args, signal)) {
    if (count++ >= latestShown) continue;
    const [hash = "", at = "", person = "", subject = ""] = field.split("\n");
    latest.push({ hash, subject, person, authored_at: formatIsoTime(Number(at) * 1000) });
  }
  return { count, latest };
}

/** Steps back. */
const maxSteps = 3;
const linesShown = 5;
/** Of a prompt; characters. */
const maxPromptLength = 300;

/**
 * Earlier versions of lines, step by step back: each step returns the lines that the previous step changed or replaced.
 * @throws GitFailure, PommelError as `blameFile`
 */
export async function findEarlierLines(
  project: Project,
  memory: Memory | null,
  from: BlameRange,
  signal: AbortSignal,
  analyse: AnalyseNow,
): Promise<EarlierLines[]> {
  const steps: EarlierLines[] = [];
  for (let range: BlameRange | null = from; range !== null && steps.length < maxSteps; ) {
    const before = range.is_boundary ? null : await findLinesBefore(project, toLinesAt(range), signal);
    if (before === null) break;
    const { how, revision, file, first, last, text } = before;
    const request = { file, ranges: [{ first, last }], revision };
    const [group] = groupByOrigin((await blameFile(project, memory, request, signal, analyse)).ranges);
    range = group ? findLargestRange(group) : null;
    if (range === null) break;
    steps.push({
      how,
      file,
      first_line: first,
      last_line: last,
      text: text.slice(0, linesShown),
      written_by: pickLineAuthor(range),
      commit: toOriginCommit(memory, range),
      prompt: findPrompt(memory, range),
    });
  }
  return steps;
}

/** The place of the lines in their commit. */
const toLinesAt = ({ commit, original_path, original_line, first_line, last_line }: BlameRange): LinesAt => ({
  commit,
  file: original_path,
  first: original_line,
  last: original_line + last_line - first_line,
});

function findPrompt(memory: Memory | null, { session_id, turn }: LineAuthor): string | null {
  if (memory === null || session_id === null || turn === null) return null;
  const session = findSessionByUid(memory, session_id);
  const record = session ? findTurn(memory, session.id, turn) : null;
  return record ? shortenText(record.prompt, maxPromptLength) : null;
}
