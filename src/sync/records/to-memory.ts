import { defaultAgentName } from "../../agents/profiles.ts";
import { scrubValue } from "../../redact/scrubber.ts";
import { chunkToStore } from "../../sessions/chunks/chunk-to-store.ts";
import { buildOptionsForSession, embedDrafts, noteDraft } from "../../sessions/chunks/rechunk.ts";
import { notesSession } from "../../sessions/notes/notes-session.ts";
import { replaceNoteChunk } from "../../store/memory/chunks/chunks.ts";
import { findNoteByUid, listStoredNotes, saveNote } from "../../store/memory/chunks/notes.ts";
import { saveAttributions } from "../../store/memory/commits/attributions.ts";
import { saveCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash, saveCommit, updateCommit } from "../../store/memory/commits/commits.ts";
import { findEventByUid, saveEvent, saveLink, saveOriginOfEvent } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Authorship, CommitRecord } from "../../store/memory/memory-records.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import { dropNote, isRecordedHere, isRefused, markChanged, setSyncFact } from "../../store/memory/sharing.ts";
import { checkpointSessions, checkpoints } from "../../store/tables/checkpoints.ts";
import { attributions, commits } from "../../store/tables/commits.ts";
import { eventLinks, events } from "../../store/tables/events.ts";
import { notes } from "../../store/tables/notes.ts";
import { encode, type FileType, type SharedRecords } from "../branch/shared-file.ts";
import { joinAttributions, joinCheckpoints, joinEvents } from "../merge/join-git.ts";
import {
  chooseAuthorship,
  createRedactor,
  type ExportWork,
  exportAttribution,
  exportCheckpoint,
  exportEvent,
  importedVersion,
} from "./from-memory.ts";
import type {
  SharedAttribution,
  SharedCheckpoint,
  SharedCommit,
  SharedEvent,
  SharedNote,
} from "./records.ts";
import { importRow } from "./shared-rows.ts";

/** Imports shared records. Each function is atomic and idempotent. */

/** Whether a record is new; null when it was forgotten. */
export type IsNew = boolean | null;

const isMine = ({ author }: Partial<Authorship>): boolean => author == null;

/** This person's own counts more than what another signed, and that more than what nobody did. */
export const rankOrigin = (origin: Partial<Authorship>): number =>
  isMine(origin) ? 2 : origin.signer == null ? 0 : 1;

/** Imports a note with its chunk. */
export async function importNote(exportWork: ExportWork, shared: SharedNote): Promise<IsNew> {
  const { memory, embedder, root } = exportWork.work;
  const { uid, session: sessionUid } = shared;
  if (isForgotten(memory, uid) || isRefused(memory, uid)) return null;
  if (sessionUid !== null && isForgotten(memory, sessionUid)) return null;
  const origin = chooseAuthorship(exportWork, "annotation", uid, shared);
  const known = findNoteByUid(memory, uid);
  if (known !== null) {
    // Somebody changed what this person wrote, or did not sign it: the next exchange repairs it.
    if (isMine(known) && !isMine(origin)) markChanged(memory, { kind: "annotation", uid });
    if (rankOrigin(origin) <= rankOrigin(known)) return false;
    dropNote(memory, uid);
  }
  const clean = createRedactor({ ...exportWork, filter: true }, findSessionRowId(memory, sessionUid));
  const imported = { ...importRow(notes, shared, { clean }), ...origin };
  // Known under its text before scrubbing.
  const isThere =
    imported.lineUid !== null &&
    listStoredNotes(memory, { sessionUid }).some(
      ({ lineUid, note }) => lineUid === imported.lineUid && note === imported.note,
    );
  if (isThere) return false;
  const session =
    sessionUid === null
      ? saveSession(memory, { ...notesSession, cwd: root })
      : (findSessionByUid(memory, sessionUid) ??
        saveSession(memory, { uid: sessionUid, agent: defaultAgentName, cwd: "" }));
  const draft = noteDraft(
    exportWork.work,
    session,
    imported,
    buildOptionsForSession(exportWork.work, session),
  );
  const [vectors] = await embedDrafts(embedder, [draft]);
  memory.runInTransaction(() => {
    const id = saveNote(memory, imported);
    if (id === null) return;
    const chunk = chunkToStore(session, draft, { position: id, annotationId: id }, embedder, vectors);
    replaceNoteChunk(memory, session.id, { ...chunk, annotationId: id });
  });
  return true;
}

const findSessionRowId = (memory: Memory, uid: string | null) =>
  uid === null ? null : (findSessionByUid(memory, uid)?.id ?? null);

/** A commit from others, not analysed here yet. */
function ensureCommit(memory: Memory, shared: SharedCommit): CommitRecord {
  const known = findCommitByHash(memory, shared.hash);
  if (known === null) {
    return saveCommit(memory, { ...importRow(commits, shared), seen: "sync", attributed: 0 }, []);
  }
  const rewrittenFrom = [...new Set([...known.rewrittenFrom, ...shared.rewritten_from])];
  const branch = known.branch ?? shared.branch;
  if (branch !== known.branch || rewrittenFrom.length > known.rewrittenFrom.length) {
    updateCommit(memory, known.id, { ...known, branch, rewrittenFrom });
  }
  return known;
}

const isSame = <T extends FileType>(type: T, a: SharedRecords[T] | null, b: SharedRecords[T]) =>
  a !== null && encode(type, a) === encode(type, b);

export function importCheckpoint(exportWork: ExportWork, shared: SharedCheckpoint): IsNew {
  const { memory } = exportWork.work;
  return memory.runInTransaction(() => {
    const known = exportCheckpoint(exportWork, shared.uid);
    // What was asked in a session that was recorded here is known here.
    const others = Object.entries(shared.agent_state).filter(([uid]) => !isRecordedHere(memory, uid));
    const state = { ...Object.fromEntries(others), ...known?.agent_state };
    const joined = { ...(known ? joinCheckpoints(known, shared) : shared), agent_state: state };
    if (isSame("checkpoint", known, joined)) return false;
    const commit = ensureCommit(memory, joined.commit);
    const isThere = saveCheckpoint(memory, {
      ...importRow(checkpoints, joined),
      commitId: commit.id,
      agentState: scrubValue(joined.agent_state, createRedactor({ ...exportWork, filter: true })),
      sessions: joined.sessions.map((binding) => importRow(checkpointSessions, binding)),
    });
    return isThere ? known === null : null;
  });
}

export function importAttribution(exportWork: ExportWork, shared: SharedAttribution): IsNew {
  const { memory } = exportWork.work;
  return memory.runInTransaction(() => {
    const known = exportAttribution(exportWork, shared.commit.hash);
    const joined = known ? joinAttributions(known, shared) : shared;
    if (isSame("attribution", known, joined)) return false;
    const commit = ensureCommit(memory, joined.commit);
    const records = Object.entries(joined.files).flatMap(([path, ranges]) =>
      ranges.map((range) => ({ ...importRow(attributions, range), path, basis: range.basis ?? null })),
    );
    saveAttributions(memory, commit.id, records);
    if (commit.attributed === 0) setSyncFact(memory, importedVersion + commit.hash, String(joined.version));
    return known === null;
  });
}

export function importEvent(exportWork: ExportWork, shared: SharedEvent): IsNew {
  const { memory } = exportWork.work;
  const clean = createRedactor({ ...exportWork, filter: true });
  return memory.runInTransaction(() => {
    const before = findEventByUid(memory, shared.uid);
    const known = exportEvent(exportWork, shared.uid);
    const origin = chooseAuthorship(exportWork, "event", shared.uid, shared);
    const isBetter = before !== null && rankOrigin(origin) > rankOrigin(before);
    if (isSame("event", known, known ? joinEvents(known, shared) : shared) && !isBetter) return false;
    // Nobody's words do not take the place of somebody's; the next exchange repairs this person's.
    const isBeaten = before !== null && rankOrigin(origin) === 0 && rankOrigin(before) > 0;
    if (isBeaten && isMine(before)) markChanged(memory, { kind: "event", uid: shared.uid });
    if (!isBeaten) {
      const event = { ...importRow(events, shared, { clean }), ...origin };
      saveEvent(memory, event);
      if (isBetter) saveOriginOfEvent(memory, event, origin);
    }
    for (const link of shared.links)
      saveLink(memory, { ...importRow(eventLinks, link), eventUid: shared.uid });
    return before === null;
  });
}
