import type { AnalyseNow } from "../../answers/analyse.ts";
import { bareLine } from "../../attribution/lines/line-keys.ts";
import type { Project } from "../../base/paths.ts";
import { isoTime } from "../../base/text/iso-time.ts";
import { beginningOf } from "../../base/text/text-size.ts";
import { changesOf, nameBefore, type WhatChanged } from "../../git/diff/changes.ts";
import type { ChangedFile, ChangedHunk } from "../../git/diff/changes-types.ts";
import { gitFields } from "../../git/git.ts";
import { RepositoryCache } from "../../git/repository-cache.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import { checkpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import { knownCommits } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { turnOf } from "../../store/memory/sessions/turns.ts";
import { blameFile } from "../blame/blame-file.ts";
import type { BlameRange } from "../blame/operation.ts";
import type { EarlierLines, LaterChanges } from "./operation.ts";
import { authorIn, commitIn, groupsOf, largestOf } from "./why-origins.ts";

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

type Later = Omit<LaterChanges["latest"][number], "by_agent">;

/** .gitattributes files, which may be in any directory, decide what is text. */
const linesKnown = new RepositoryCache<LinesBefore | null>({ max: 500, maxAgeMs: 60_000 });
const laterKnown = new RepositoryCache<{ count: number; latest: Later[] }>({ max: 500 });

/**
 * What a file contained before a commit wrote these lines there.
 * @returns null if the lines, or the file, were new
 * @throws GitFailure
 */
function linesBefore(project: Project, lines: LinesAt, signal?: AbortSignal): Promise<LinesBefore | null> {
  const read = () => readLinesBefore(project, lines, signal);
  return lines.commit === null ? read() : linesKnown.of(project.root, JSON.stringify(lines), read);
}

async function readLinesBefore(
  project: Project,
  lines: LinesAt,
  signal?: AbortSignal,
): Promise<LinesBefore | null> {
  const what: WhatChanged = lines.commit === null ? { from: "HEAD", to: null } : { commit: lines.commit };
  const changed = await changeOf(project, what, lines.file, signal);
  const hunk = changed?.hunks.find((hunk) => overlaps(hunk, lines));
  if (!changed || !hunk || hunk.removed.length === 0) return null;
  const revision = lines.commit === null ? "HEAD" : `${lines.commit}^`;
  const asked = hunk.added.slice(Math.max(lines.first - hunk.newStart, 0), lines.last - hunk.newStart + 1);
  const same = asked.flatMap((text) => mostSimilar(text, hunk.removed) ?? []);
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

const overlaps = ({ newStart, added }: ChangedHunk, { first, last }: LinesAt) =>
  added.length > 0 && newStart <= last && newStart + added.length > first;

/** What a commit did to a file, with its old name if the commit renamed it. */
async function changeOf(
  { root }: Project,
  what: WhatChanged,
  file: string,
  signal?: AbortSignal,
): Promise<ChangedFile | null> {
  const find = async (paths: string[]) => {
    for await (const changed of changesOf(root, what, { paths, signal })) {
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
function mostSimilar(text: string, lines: readonly string[]): number | null {
  const words = wordsOf(text);
  let best: number | null = null;
  let most = alike;
  lines.forEach((line, i) => {
    const others = wordsOf(line);
    const shared = [...words].filter((word) => others.has(word)).length;
    const share = bareLine(line) === bareLine(text) ? 1 : (2 * shared) / (words.size + others.size || 1);
    if (share > most || (share === most && best === null)) [best, most] = [i, share];
  });
  return best;
}

const wordsOf = (text: string) => new Set(text.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? []);

/**
 * The commits that touched a file after a given one, the latest first.
 * @param files its names, current and former
 * @throws GitFailure
 */
export async function changesSince(
  project: Project,
  memory: Memory | null,
  commit: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<LaterChanges> {
  const { count, latest } = await laterKnown.of(project.root, JSON.stringify([commit, files]), () =>
    readChangesSince(project.root, commit, files, signal),
  );
  const hashes = latest.map(({ hash }) => hash);
  const known = memory === null ? new Map<string, number>() : knownCommits(memory, hashes);
  return {
    commits: count,
    latest: latest.map((one) => ({
      ...one,
      by_agent:
        memory === null || !known.get(one.hash) ? null : checkpointOfCommit(memory, one.hash) !== null,
    })),
  };
}

async function readChangesSince(
  root: string,
  commit: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<{ count: number; latest: Later[] }> {
  const args = [
    ...["--literal-pathspecs", "log", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8"],
    ...[`--max-count=${maxCounted}`, "--format=%H%n%at%n%an%n%s", `${commit}..HEAD`, "--", ...files],
  ];
  const latest: Later[] = [];
  let count = 0;
  for await (const field of gitFields(root, args, signal)) {
    if (count++ >= latestShown) continue;
    const [hash = "", at = "", person = "", subject = ""] = field.split("\n");
    latest.push({ hash, subject, person, authored_at: isoTime(Number(at) * 1000) });
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
export async function earlierLines(
  project: Project,
  memory: Memory | null,
  from: BlameRange,
  signal: AbortSignal,
  analyse: AnalyseNow,
): Promise<EarlierLines[]> {
  const steps: EarlierLines[] = [];
  for (let range: BlameRange | null = from; range !== null && steps.length < maxSteps; ) {
    const before = range.is_boundary ? null : await linesBefore(project, placeOf(range), signal);
    if (before === null) break;
    const { how, revision, file, first, last, text } = before;
    const request = { file, ranges: [{ first, last }], revision };
    const [group] = groupsOf((await blameFile(project, memory, request, signal, analyse)).ranges);
    range = group ? largestOf(group) : null;
    if (range === null) break;
    steps.push({
      how,
      file,
      first_line: first,
      last_line: last,
      text: text.slice(0, linesShown),
      written_by: authorIn(range),
      commit: commitIn(memory, range),
      prompt: promptOf(memory, range),
    });
  }
  return steps;
}

/** The place of the lines in their commit. */
const placeOf = ({ commit, original_path, original_line, first_line, last_line }: BlameRange): LinesAt => ({
  commit,
  file: original_path,
  first: original_line,
  last: original_line + last_line - first_line,
});

function promptOf(memory: Memory | null, { session_id, turn }: LineAuthor): string | null {
  if (memory === null || session_id === null || turn === null) return null;
  const session = sessionByUid(memory, session_id);
  const record = session ? turnOf(memory, session.id, turn) : null;
  return record ? beginningOf(record.prompt, maxPromptLength) : null;
}
