import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { TranscriptEntry } from "../../agents/agent.ts";
import { addTo } from "../../base/multimap.ts";
import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";
import { createLedger, type ScrubText, scrubAlone, scrubValue } from "../../redact/scrubber.ts";
import { buildOptionsForSession } from "../../sessions/chunks/rechunk.ts";
import { cleanLines } from "../../sessions/scrub/redact-stored.ts";
import { readStoredTurns, type StoredLine } from "../../sessions/turn-content.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { findNoteByUid } from "../../store/memory/chunks/notes.ts";
import { listAttributions } from "../../store/memory/commits/attributions.ts";
import { findCheckpointByUid } from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import { findEventByUid, listEventLinks } from "../../store/memory/events.ts";
import type { AttributionRecord, Authorship, SessionRecord } from "../../store/memory/memory-records.ts";
import { listSecrets } from "../../store/memory/privacy/secrets.ts";
import { findSessionById, findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listSummaries } from "../../store/memory/sessions/summaries.ts";
import { readLinesByTurn, readUsageByTurn, syncFact } from "../../store/memory/sharing.ts";
import { checkpointSessions, checkpoints } from "../../store/tables/checkpoints.ts";
import { attributions, commits } from "../../store/tables/commits.ts";
import { eventLinks, events } from "../../store/tables/events.ts";
import { notes } from "../../store/tables/notes.ts";
import { sessions } from "../../store/tables/sessions.ts";
import { summaries } from "../../store/tables/summaries.ts";
import { turns, usage } from "../../store/tables/turns.ts";
import type { SignedKind, SignedRecords } from "../origin/signed-records.ts";
import type {
  SharedAttribution,
  SharedCheckpoint,
  SharedEvent,
  SharedLine,
  SharedNote,
  SharedSession,
  SharedTurn,
} from "./records.ts";
import { exportRow } from "./shared-rows.ts";

/** Settings of an export. */
export interface ExportWork {
  work: ScrubbingWork;
  /** Whether to scrub texts again with the current rules. */
  filter: boolean;
  /** Under which name this person shares; null or left out: none is known. */
  me?: string | null | undefined;
  /** Whose an imported record is; left out: what it says itself is believed, as of a copy within one home. */
  authorshipOf?: SignedRecords["authorshipOf"] | undefined;
}

/** As fields of a record: who shares it. Of others' a copy says what is known; on a branch their own signatures do. */
function toAuthorFields(
  { me, authorshipOf: tell }: ExportWork,
  { author, signer }: Partial<Authorship>,
): Partial<Authorship> {
  if (author == null) return me == null ? {} : { author: me };
  return tell !== undefined ? {} : signer == null ? { author } : { author, signer };
}

/** What a record says of its author. */
type AuthorClaim = { author?: string | null | undefined; signer?: string | null | undefined };

/** Whose an imported record is. */
export function chooseAuthorship(
  { work, authorshipOf: tell }: ExportWork,
  kind: SignedKind,
  uid: string,
  record: AuthorClaim,
): Authorship {
  const { author, signer } = tell?.(kind, uid, record) ?? {
    author: record.author ?? null,
    signer: record.signer ?? null,
  };
  return { author: author === null ? null : scrubAlone(work.scrubber, author), signer };
}

/** Scrubs the texts of a session (by row), or of other items. */
export function createRedactor({ work, filter }: ExportWork, sessionId: number | null = null): ScrubText {
  const homeless = createHomeReplacer();
  if (!filter) return homeless;
  const known = sessionId === null ? [] : listSecrets(work.memory, sessionId);
  const ledger = createLedger(work.ledgerKey, known);
  return (text, name) => homeless(work.scrubber.scrub(text, ledger, name));
}

/** A session without its turns; null when there is nothing to share. */
export function exportSession(exportWork: ExportWork, uid: string): SharedSession | null {
  const { memory } = exportWork.work;
  const session = findSessionByUid(memory, uid);
  // Pommel's own session only has chunks of notes from a shell.
  if (session === null || session.agent === "pommel") return null;
  const clean = createRedactor(exportWork, session.id);
  const stored = listSummaries(memory, session.id);
  return {
    ...exportRow(sessions, session, { clean, uidOf: (id) => findSessionById(memory, id)?.uid ?? null }),
    ...toAuthorFields(exportWork, session),
    title_at: session.title === null ? null : session.lastAt,
    summaries: stored.flatMap(({ source, ...summary }) =>
      source === "extractive" ? [] : [{ ...exportRow(summaries, { source, ...summary }, { clean }), source }],
    ),
  };
}

/** A session's stored turns, lazily. */
export function* exportTurns(
  exportWork: ExportWork,
  session: SessionRecord,
  range: { first?: number; last?: number } = {},
): Generator<SharedTurn, void, undefined> {
  const { memory } = exportWork.work;
  const clean = createRedactor(exportWork, session.id);
  const { relativize } = buildOptionsForSession(exportWork.work, session);
  const silent = readLinesByTurn(memory, session.id);
  const costs = readUsageByTurn(memory, session.id);
  for (const { record, ...turn } of readStoredTurns(memory, session.id, range)) {
    const lines = toPortableLines(turn.lines, relativize, clean);
    const said = new Set(lines.map(({ uid }) => uid));
    yield {
      id: lines.find(({ uid }) => uid !== null)?.uid ?? `#${turn.number}`,
      ...exportRow(turns, record, { clean }),
      lines: lines as unknown as SharedLine[],
      also: Object.fromEntries((silent.get(turn.number) ?? []).filter(([uid]) => !said.has(uid))),
      usage: (costs.get(turn.number) ?? []).map((message) => exportRow(usage, message)),
    };
  }
}

export function exportNote(exportWork: ExportWork, uid: string): SharedNote | null {
  const { memory } = exportWork.work;
  const note = findNoteByUid(memory, uid);
  if (note === null) return null;
  const session = note.sessionUid === null ? null : findSessionByUid(memory, note.sessionUid);
  const clean = createRedactor(exportWork, session?.id ?? null);
  return { ...exportRow(notes, note, { clean }), ...toAuthorFields(exportWork, note) };
}

export function exportCheckpoint(exportWork: ExportWork, uid: string): SharedCheckpoint | null {
  const checkpoint = findCheckpointByUid(exportWork.work.memory, uid);
  if (checkpoint === null) return null;
  return {
    ...exportRow(checkpoints, checkpoint),
    commit: exportRow(commits, checkpoint.commit),
    agent_state: scrubValue(checkpoint.agentState, createRedactor(exportWork)),
    sessions: checkpoint.sessions.map((binding) => exportRow(checkpointSessions, binding)),
  };
}

/** sync_state key: the version of an attribution that was made elsewhere, of a commit that is not analysed here. */
export const importedVersion = "attributed ";

/** A commit's attribution; null when unknown. */
export function exportAttribution(exportWork: ExportWork, hash: string): SharedAttribution | null {
  const { memory } = exportWork.work;
  const commit = findCommitByHash(memory, hash);
  const ranges = commit === null ? [] : listAttributions(memory, commit.id);
  if (commit === null || ranges.every(({ author }) => author === "unknown")) return null;
  const files = new Map<string, SharedAttribution["files"][string]>();
  for (const { path, ...range } of ranges) addTo(files, path, exportRange(range));
  const version = commit.attributed || Number(syncFact(memory, importedVersion + hash) ?? 0);
  return { commit: exportRow(commits, commit), version, files: Object.fromEntries(files) };
}

function exportRange(range: Omit<AttributionRecord, "path">): SharedAttribution["files"][string][number] {
  const { basis = null } = range;
  return { ...exportRow(attributions, range), ...(basis !== null && { basis }) };
}

export function exportEvent(exportWork: ExportWork, uid: string): SharedEvent | null {
  const { memory } = exportWork.work;
  const event = findEventByUid(memory, uid);
  if (event === null) return null;
  return {
    ...exportRow(events, event, { clean: createRedactor(exportWork) }),
    ...toAuthorFields(exportWork, event),
    links: listEventLinks(memory, uid).map((link) => exportRow(eventLinks, link)),
  };
}

/** Makes stored data portable between machines. */

/** Replaces the home directory with `~`. */
function createHomeReplacer(): (text: string) => string {
  const home = homedir();
  // "/" cannot be replaced.
  if (home.length < 2) return (text) => text;
  const escaped = escapeRegExp(home.replace(/[/\\]+$/, ""));
  const pattern = new RegExp(`(?<![\\w.~/\\\\-])${escaped}(?![\\w.-])`, "g");
  return (text) => (text.includes(home) ? text.replace(pattern, "~") : text);
}

/** Lines with paths relative to the project's root, and cleaned texts. */
function toPortableLines(
  lines: readonly StoredLine[],
  relativize: (path: string) => string,
  clean: ScrubText,
): StoredLine[] {
  return cleanLines(withPaths(lines, relativize), clean);
}

/** Lines with absolute paths, as stored on this machine. */
export function toLocalLines(lines: readonly StoredLine[], root: string): StoredLine[] {
  return withPaths(lines, (path) => (isAbsolute(path) || path.startsWith("~") ? path : join(root, path)));
}

function withPaths(lines: readonly StoredLine[], pathOf: (path: string) => string): StoredLine[] {
  const moved = <T extends { path: string }>(items: T[]) =>
    items.map((item) => ({ ...item, path: pathOf(item.path) }));
  const moveEntryPaths = (entry: TranscriptEntry): TranscriptEntry => {
    if (entry.kind === "tool_use" && entry.files.length > 0) return { ...entry, files: moved(entry.files) };
    if (entry.kind === "tool_result" && entry.edits) return { ...entry, edits: moved(entry.edits) };
    return entry;
  };
  return lines.map((line) => ({ ...line, entries: line.entries.map(moveEntryPaths) }));
}
