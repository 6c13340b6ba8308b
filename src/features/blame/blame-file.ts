import { type AnalyseNow, analyseFor } from "../../answers/analyse.ts";
import { describeUnanalysed, describeUnread } from "../../answers/backfill-hint.ts";
import type { LineRange } from "../../answers/file-place.ts";
import { findAgentsSince, type KnownAgents, notesOnBefore } from "../../attribution/agents-since.ts";
import { findLineAuthors } from "../../attribution/lines/line-authors.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { BlamedCommit, BlamedLine } from "../../git/diff/changes-types.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import { unknownAuthor } from "../../protocol/line-author.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { summariseBlame } from "./blame-summary.ts";
import { readBlame } from "./blamed-lines.ts";
import type { AgentsSince, BlameAnswer, BlameRange } from "./operation.ts";

interface BlameFileRequest {
  /** From the project's root, with slashes: `locate` of file-place.ts. */
  file: string;
  /** Left out or empty: the whole file. */
  ranges?: readonly LineRange[] | undefined;
  /** The file as it was there; left out: as it is in the working tree. */
  revision?: string | undefined;
  /** Give the lines' texts as well. */
  texts?: boolean | undefined;
}

/**
 * Who wrote the lines of a file.
 * @param memory null: there is no memory, so only git is asked
 * @param analyse where several answers are one, for all of them
 * @throws PommelError `usage` for what git cannot blame, `not_found` for a missing file or line
 */
export async function blameFile(
  project: Project,
  memory: Memory | null,
  request: BlameFileRequest,
  signal?: AbortSignal,
  analyse: AnalyseNow = analyseFor(project, memory, signal),
): Promise<BlameAnswer> {
  const { file, revision = null, texts = false } = request;
  const { lines, commits, note } = await readBlame(project, request, signal);
  await analyse(listCommitsOfLines(lines, commits));
  const since = memory === null ? null : findAgentsSince(memory, project.root);
  const { authors, unseen } = await findLineAuthors(project, memory, file, { lines, commits }, since, signal);
  const ranges = groupIntoRanges(lines, commits, authors, new Set(unseen));
  return {
    file,
    revision,
    ranges,
    summary: summariseBlame(ranges),
    agents_since: since && toAgentsSince(since),
    notes: [
      ...listBlameNotes(memory, lines, commits, unseen),
      ...(note === null ? [] : [note]),
      ...(since === null
        ? []
        : notesOnBefore(since, {
            before: ranges.some(({ author }) => author === "before_agents"),
            olderUnknown: ranges.some(
              ({ author, authored_at }) =>
                author === "unknown" && authored_at !== null && Date.parse(authored_at) < since.at,
            ),
          })),
    ],
    ...(texts && { lines: lines.map(({ line, text }) => ({ line, text })) }),
  };
}

/** The commits of the lines, each once. */
function listCommitsOfLines(lines: readonly BlamedLine[], commits: ReadonlyMap<string, BlamedCommit>) {
  const hashes = new Set(lines.flatMap(({ commit }) => commit ?? []));
  return [...hashes].flatMap((hash) => {
    const commit = commits.get(hash);
    return commit === undefined ? [] : [{ hash, authoredAt: commit.authoredAt }];
  });
}

const toAgentsSince = ({ at: _, agentFile: __, ...since }: KnownAgents): AgentsSince => since;

/** Puts lines together that follow each other in the file and in their commit, and that one author wrote. */
function groupIntoRanges(
  lines: readonly BlamedLine[],
  commits: ReadonlyMap<string, BlamedCommit>,
  authors: readonly LineAuthor[],
  unseen: ReadonlySet<string>,
): BlameRange[] {
  const ranges: BlameRange[] = [];
  let before: { line: BlamedLine; author: LineAuthor } | null = null;
  lines.forEach((line, i) => {
    const author = authors[i] ?? unknownAuthor;
    const range = ranges.at(-1);
    if (range && before?.author === author && isNextLine(line, before.line)) {
      range.last_line = line.line;
    } else {
      const commit = line.commit === null ? undefined : commits.get(line.commit);
      ranges.push({
        first_line: line.line,
        last_line: line.line,
        commit: line.commit,
        ...author,
        person: commit?.author ?? null,
        authored_at: formatIsoTime(commit?.authoredAt ?? null),
        subject: commit?.summary ?? null,
        original_path: line.originalPath,
        original_line: line.originalLine,
        is_boundary: line.isBoundary,
        ...(author.author === "unknown" && unseen.has(line.commit ?? "") && { not_analysed: true }),
      });
    }
    before = { line, author };
  });
  return ranges;
}

function isNextLine(line: BlamedLine, before: BlamedLine): boolean {
  return (
    line.commit === before.commit &&
    line.originalPath === before.originalPath &&
    line.line === before.line + 1 &&
    line.originalLine === before.originalLine + 1
  );
}

function listBlameNotes(
  memory: Memory | null,
  lines: readonly BlamedLine[],
  commits: ReadonlyMap<string, BlamedCommit>,
  unseen: readonly string[],
): string[] {
  const at = unseen.map((hash) => commits.get(hash)?.authoredAt ?? Number.POSITIVE_INFINITY);
  const notes = memory === null ? [] : [...describeUnread(memory), ...describeUnanalysed(memory, at)];
  if (lines.some(({ isBoundary }) => isBoundary)) {
    notes.push("This clone is shallow: some lines may be older than the named commit.");
  }
  return notes;
}
