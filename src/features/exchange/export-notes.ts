import { findPommelVersionInNote, gitAiRef, writeAuthorshipLog } from "../../attribution/foreign/git-ai.ts";
import type { AttributedLines } from "../../attribution/foreign/types.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { toPlainLine } from "../../base/text/text-size.ts";
import { version } from "../../base/version.ts";
import { findPlaceInRepository } from "../../git/diff/changes.ts";
import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure } from "../../git/git.ts";
import { readCommits } from "../../git/history/commits.ts";
import { findCommitHash, findHistoryProblem } from "../../git/history/history.ts";
import { listGitNotes, resolveRef, writeNotes } from "../../git/notes.ts";
import { readObjects } from "../../git/objects.ts";
import { nameTitle } from "../../protocol/reading/names.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { listAttributions } from "../../store/memory/commits/attributions.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";

/** A commit with who wrote its lines; paths from the top of the repository. */
interface AttributedCommit {
  info: CommitInfo;
  lines: AttributedLines[];
}

/**
 * The commits of a range whose lines have an attribution of our own, newest first. What another tool says about a line is
 * left out: it is not ours to repeat.
 * @param range as `git log` takes it; one revision alone is that commit; null: HEAD's history
 * @throws PommelError `usage` without a repository, `not_found` for a range that git does not know
 */
export async function* readAttributedCommits(
  memory: Memory,
  root: string,
  range: string | null,
  signal?: AbortSignal,
): AsyncGenerator<AttributedCommit, void, undefined> {
  const agents = new Map<string, string | null>();
  const findAgent = (uid: string) => {
    if (!agents.has(uid)) agents.set(uid, findSessionByUid(memory, uid)?.agent ?? null);
    return agents.get(uid)!;
  };
  const { prefix } = await findPlaceInRepository(root, signal);
  for await (const info of readCommitsInRange(root, range, signal)) {
    const commit = findCommitByHash(memory, info.hash);
    if (commit === null) continue;
    const lines = listAttributions(memory, commit.id)
      .filter(({ how }) => how !== "note")
      .map((record) => toAttributedLines(record, prefix, findAgent));
    if (lines.length > 0) yield { info, lines };
  }
}

function toAttributedLines(
  { path, firstLine, lastLine, author, sessionUid, toolUse, model }: AttributionRecord,
  prefix: string,
  agentOf: (uid: string) => string | null,
): AttributedLines {
  const isAgent = author === "agent";
  return {
    path: prefix + path,
    first: firstLine,
    last: lastLine,
    author,
    tool: isAgent && sessionUid !== null ? agentOf(sessionUid) : null,
    model: isAgent ? model : null,
    session: isAgent ? sessionUid : null,
    call: isAgent ? toolUse : null,
    person: null,
  };
}

/** The commits of a range, newest first; see `readAttributedCommits`. */
async function* readCommitsInRange(
  root: string,
  range: string | null,
  signal?: AbortSignal,
): AsyncGenerator<CommitInfo, void, undefined> {
  const isOne = range !== null && !range.includes("..");
  const revisions = isOne ? ["--no-walk", range] : [range ?? "HEAD"];
  if (range?.startsWith("-")) throw makeNoRangeError(range);
  if (isOne && (await findCommitHash(root, range)) === null)
    throw (await findHistoryProblem(root, signal)) ?? makeNoRangeError(range);
  try {
    yield* readCommits(root, revisions, { signal });
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason !== "failed" || range === null) throw error;
    throw makeNoRangeError(range);
  }
}

const makeNoRangeError = (range: string) =>
  new PommelError(
    "not_found",
    `git finds no commits ${range}.`,
    "Name a commit or a range: HEAD, v1.2.0, main..HEAD.",
  );

/** Notes on commits for people, as `git log --notes=pommel` shows them. */

const title = "Pommel: ";

/** Whether a note is one of these. */
const isReadableNote = (text: string): boolean => text.startsWith(title);

/**
 * "Pommel: 12 lines by agents, 3 by people", and a line for each session.
 * @param titleOf a session's title
 * @returns null where no line has a known author
 */
function formatReadableNote(
  { lines }: AttributedCommit,
  titleOf: (uid: string) => string | null,
): string | null {
  const counts = { agent: 0, human: 0, unknown: 0 };
  const sessions = new Map<string, { tool: string | null; lines: number }>();
  for (const { author, first, last, session, tool } of lines) {
    const count = last - first + 1;
    counts[author] += count;
    if (session === null) continue;
    sessions.set(session, { tool, lines: (sessions.get(session)?.lines ?? 0) + count });
  }
  if (counts.agent + counts.human === 0) return null;
  const shares = [
    counts.agent > 0 && `${counts.agent} by agents`,
    counts.human > 0 && `${counts.human} by people`,
    counts.unknown > 0 && `${counts.unknown} unknown`,
  ].filter((share) => share !== false);
  const total = counts.agent + counts.human + counts.unknown;
  const rows = [...sessions]
    .sort(([, a], [, b]) => b.lines - a.lines)
    .map(
      ([uid, of]) =>
        // A title may be anybody's text, and a terminal shows the note.
        `  ${shortenSessionId(uid)} ${of.tool ?? "agent"}, ${of.lines}: ${toPlainLine(nameTitle(titleOf(uid)))}`,
    );
  return `${[`${title}${total} ${total === 1 ? "line" : "lines"}, ${shares.join(", ")}`, ...rows].join("\n")}\n`;
}

export interface ExportNotesRequest {
  format: NoteFormat;
  /** See `readAttributedCommits`. */
  range: string | null;
  /** Replace other tools' notes, too. */
  force: boolean;
  /** Write nothing. */
  dryRun: boolean;
  signal?: AbortSignal | undefined;
}

export interface NotesExport {
  ref: string;
  /** Hashes of commits that got a note. */
  written: string[];
  /** Whose note of ours was replaced by a newer one. */
  updated: string[];
  /** Whose note of another tool was replaced. */
  replaced: string[];
  /** Whose note said the same already. */
  unchanged: number;
  /** Whose note is another tool's: left as it is. */
  kept: string[];
  /** Commits with an attribution, but without a line that an agent or a person wrote for sure. */
  unknown: number;
  /** The notes' commit before; null: there were none. */
  before: string | null;
  /** The notes' commit now; null: still none. */
  after: string | null;
}

/** A note that is larger is nobody's that could be read. Bytes. */
const maxNote = 5_000_000;
/** Others may write notes meanwhile. */
const maxAttempts = 3;

/** Where notes of a format are, and which of them are ours. */
const formats = {
  "git-ai": { ref: `refs/${gitAiRef}`, isOurs: (text: string) => findPommelVersionInNote(text) !== null },
  readable: { ref: "refs/notes/pommel", isOurs: isReadableNote },
} as const;
type NoteFormat = keyof typeof formats;

/**
 * Writes the attribution of commits as git notes. A note that another tool wrote stays, unless `force`.
 * @throws PommelError as `readAttributedCommits`; `sync_failed` where others keep writing notes meanwhile
 */
export async function exportNotes(
  project: Project,
  memory: Memory,
  { format, range, force, dryRun, signal }: ExportNotesRequest,
): Promise<NotesExport> {
  const notes = new Map<string, string>();
  const findTitle = (uid: string) => findSessionByUid(memory, uid)?.title ?? null;
  let unknown = 0;
  for await (const commit of readAttributedCommits(memory, project.root, range, signal)) {
    const note = format === "git-ai" ? formatLog(commit) : formatReadableNote(commit, findTitle);
    if (note === null) unknown++;
    else notes.set(commit.info.hash, note);
  }
  return writeCommitNotes(format, project.root, notes, { force, dryRun, unknown });
}

const formatLog = ({ info, lines }: AttributedCommit) =>
  writeAuthorshipLog({
    hash: info.hash,
    lines,
    version,
    person: `${info.author} <${info.authorEmail}>`.replace(/\s+/g, " "),
  });

/** @param wanted notes, by the hashes of their commits */
export async function writeCommitNotes(
  format: NoteFormat,
  root: string,
  wanted: ReadonlyMap<string, string>,
  { force, dryRun, unknown = 0 }: { force: boolean; dryRun: boolean; unknown?: number },
): Promise<NotesExport> {
  const { ref, isOurs } = formats[format];
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await resolveRef(root, ref);
    const found = before === null ? new Map<string, string>() : await listGitNotes(root, ref);
    const report: NotesExport = {
      ref,
      written: [],
      updated: [],
      replaced: [],
      unchanged: 0,
      kept: [],
      unknown,
      before,
      after: before,
    };
    const blobs = [...wanted.keys()].flatMap((hash) => found.get(hash) ?? []);
    const texts = await readObjects(root, blobs, { maxBytes: maxNote, type: "blob" });
    const notes = new Map<string, string>();
    for (const [hash, note] of wanted) {
      const blob = found.get(hash);
      const text = blob === undefined ? null : (texts.get(blob)?.toString() ?? "");
      if (text === note) {
        report.unchanged++;
        continue;
      }
      const isKnown = text !== null && isOurs(text);
      if (text !== null && !isKnown && !force) {
        report.kept.push(hash);
        continue;
      }
      (text === null ? report.written : isKnown ? report.updated : report.replaced).push(hash);
      notes.set(hash, note);
    }
    if (dryRun || notes.size === 0) return report;
    const message = "Notes written by `pm share attribution`";
    const after = await writeNotes(root, ref, notes, { from: before, message, at: Date.now() });
    if (after !== null) return { ...report, after };
  }
  throw new PommelError(
    "sync_failed",
    `Another process keeps changing ${ref}.`,
    "Nothing was changed: run it again.",
  );
}
