import { gitAiRef, writeAuthorshipLog, writerOf } from "../../attribution/foreign/git-ai.ts";
import { notesIn, tipOf, writeNotes } from "../../git/notes.ts";
import { readObjects } from "../../git/objects.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { type AttributedCommit, attributedCommits } from "./attributed-commits.ts";
import { isReadableNote, readableNote } from "./readable-note.ts";

export interface ExportNotesRequest {
  format: NoteFormat;
  /** See `attributedCommits`. */
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
const attempts = 3;

/** Where notes of a format are, and which of them are ours. */
const formats = {
  "git-ai": { ref: `refs/${gitAiRef}`, isOurs: (text: string) => writerOf(text) !== null },
  readable: { ref: "refs/notes/pommel", isOurs: isReadableNote },
} as const;
export type NoteFormat = keyof typeof formats;

/**
 * Writes the attribution of commits as git notes. A note that another tool wrote stays, unless `force`.
 * @throws PommelError as `attributedCommits`; `sync_failed` where others keep writing notes meanwhile
 */
export async function exportNotes(
  project: Project,
  memory: Memory,
  { format, range, force, dryRun, signal }: ExportNotesRequest,
): Promise<NotesExport> {
  const notes = new Map<string, string>();
  const titleOf = (uid: string) => sessionByUid(memory, uid)?.title ?? null;
  let unknown = 0;
  for await (const commit of attributedCommits(memory, project.root, range, signal)) {
    const note = format === "git-ai" ? logOf(commit) : readableNote(commit, titleOf);
    if (note === null) unknown++;
    else notes.set(commit.info.hash, note);
  }
  return writeNotesOf(format, project.root, notes, { force, dryRun, unknown });
}

const logOf = ({ info, lines }: AttributedCommit) =>
  writeAuthorshipLog({
    ...{ hash: info.hash, lines, version },
    person: `${info.author} <${info.authorEmail}>`.replace(/\s+/g, " "),
  });

/** @param wanted notes, by the hashes of their commits */
export async function writeNotesOf(
  format: NoteFormat,
  root: string,
  wanted: ReadonlyMap<string, string>,
  { force, dryRun, unknown = 0 }: { force: boolean; dryRun: boolean; unknown?: number },
): Promise<NotesExport> {
  const { ref, isOurs } = formats[format];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await tipOf(root, ref);
    const found = before === null ? new Map<string, string>() : await notesIn(root, ref);
    const report: NotesExport = {
      ...{ ref, written: [], updated: [], replaced: [], unchanged: 0, kept: [], unknown, before },
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
  throw new PommelError("sync_failed", `Others keep writing ${ref}.`, "Nothing was changed: run it again.");
}
