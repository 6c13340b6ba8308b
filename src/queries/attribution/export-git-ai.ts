import { gitAiRef, writeAuthorshipLog, writerOf } from "../../attribution/foreign/git-ai.ts";
import { notesIn, tipOf, writeNotes } from "../../git/notes.ts";
import { readObjects } from "../../git/objects.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { type AttributedCommit, attributedCommits } from "./attributed-commits.ts";

export interface ExportGitAiRequest {
  /** See `attributedCommits`. */
  range: string | null;
  /** Replace other tools' notes, too. */
  force: boolean;
  /** Write nothing. */
  dryRun: boolean;
  signal?: AbortSignal | undefined;
}

export interface GitAiExport {
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
const attempts = 3;

const ref = `refs/${gitAiRef}`;

/**
 * Writes the attribution of commits as notes of Git AI. A note that another tool wrote stays, unless `force`.
 * @throws PommelError as `attributedCommits`; `sync_failed` where others keep writing notes meanwhile
 */
export async function exportGitAi(
  project: Project,
  memory: Memory,
  { range, force, dryRun, signal }: ExportGitAiRequest,
): Promise<GitAiExport> {
  const logs = new Map<string, string>();
  let unknown = 0;
  for await (const commit of attributedCommits(memory, project.root, range, signal)) {
    const log = logOf(commit);
    if (log === null) unknown++;
    else logs.set(commit.info.hash, log);
  }
  return writeLogs(project.root, logs, { force, dryRun, unknown });
}

const logOf = ({ info, lines }: AttributedCommit) =>
  writeAuthorshipLog({
    ...{ hash: info.hash, lines, version },
    person: `${info.author} <${info.authorEmail}>`.replace(/\s+/g, " "),
  });

/** Writes authorship logs, by the hashes of their commits. */
export async function writeLogs(
  root: string,
  logs: ReadonlyMap<string, string>,
  { force, dryRun, unknown = 0 }: { force: boolean; dryRun: boolean; unknown?: number },
): Promise<GitAiExport> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await tipOf(root, ref);
    const found = before === null ? new Map<string, string>() : await notesIn(root, ref);
    const report: GitAiExport = {
      ...{ ref, written: [], updated: [], replaced: [], unchanged: 0, kept: [], unknown, before },
      after: before,
    };
    const blobs = [...logs.keys()].flatMap((hash) => found.get(hash) ?? []);
    const texts = await readObjects(root, blobs, { maxBytes: maxNote, type: "blob" });
    const notes = new Map<string, string>();
    for (const [hash, log] of logs) {
      const blob = found.get(hash);
      const text = blob === undefined ? null : (texts.get(blob)?.toString() ?? "");
      if (text === log) {
        report.unchanged++;
        continue;
      }
      const isOurs = text !== null && writerOf(text) !== null;
      if (text !== null && !isOurs && !force) {
        report.kept.push(hash);
        continue;
      }
      (text === null ? report.written : isOurs ? report.updated : report.replaced).push(hash);
      notes.set(hash, log);
    }
    if (dryRun || notes.size === 0) return report;
    const message = "Notes written by `pm attribution`";
    const after = await writeNotes(root, ref, notes, { from: before, message, at: Date.now() });
    if (after !== null) return { ...report, after };
  }
  throw new PommelError("sync_failed", `Others keep writing ${ref}.`, "Nothing was changed: run it again.");
}
