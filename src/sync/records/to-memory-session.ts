import { isAbsolute } from "node:path";
import { defaultAgentName } from "../../agents/profiles.ts";
import { buildSessionCut } from "../../sessions/chunks/cut-rules.ts";
import { rechunkSession } from "../../sessions/chunks/rechunk.ts";
import { groupTurns } from "../../sessions/ingest/turns.ts";
import { sumUpSession } from "../../sessions/summaries/sum-up.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Authorship, SessionRecord } from "../../store/memory/memory-records.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { saveCut } from "../../store/memory/sessions/session-index.ts";
import { findSessionByUid, type SessionUpdate, saveSession } from "../../store/memory/sessions/sessions.ts";
import { listSummaries, saveSummary } from "../../store/memory/sessions/summaries.ts";
import { findLastTurnNumber } from "../../store/memory/sessions/transcripts.ts";
import { listTurns, saveGroups } from "../../store/memory/sessions/turns.ts";
import {
  dropTurns,
  hasForgottenLines,
  isRecordedHere,
  markChanged,
  setSyncFact,
  syncFact,
  syncFacts,
} from "../../store/memory/sharing.ts";
import { sessions, titleSources } from "../../store/tables/sessions.ts";
import { summaries } from "../../store/tables/summaries.ts";
import { toCanonicalJson } from "../codec/codec.ts";
import { sharedFact } from "../export-files.ts";
import { chooseAuthorship, createRedactor, type ExportWork } from "./from-memory.ts";
import type { SharedSession, SharedTurn } from "./records.ts";
import { emptyRecord, importRow } from "./shared-rows.ts";
import { rankOrigin } from "./to-memory.ts";
import { saveTurns } from "./to-memory-turns.ts";

/** sync_state key: sessions whose chunks are pending, with their first new turn. */
const toCut = "cut ";

interface ImportedSession {
  /** The session was unknown. */
  isNew: boolean;
  /** Turns that are new or have more lines. */
  turns: number;
  /** Turns that are left out, as nobody adds to somebody else's session. */
  foreign: number;
}

/** A session of which only turns are known. */
export const makeNamelessSession = (uid: string): SharedSession => ({
  ...emptyRecord(sessions),
  uid,
  agent: defaultAgentName,
  cwd: "",
  title_at: null,
  summaries: [],
});

interface OwnedSession {
  origin: Authorship;
  meta: SharedSession;
  turns: readonly SharedTurn[];
  /** Of others. */
  foreign: number;
}

/**
 * What belongs to whoever a session is of: of this person what one of their keys signed, else of the first who signed a turn.
 * Without any signature, all of it is nobody's.
 */
function selectOwnedPart(
  exportWork: ExportWork,
  meta: SharedSession,
  turns: readonly SharedTurn[],
): OwnedSession {
  const given = chooseAuthorship(exportWork, "session", meta.uid, meta);
  // A copy within one home: its turns are its session's.
  const { authorshipOf: tell } = exportWork;
  if (tell === undefined) return { origin: given, meta, turns, foreign: 0 };
  const ofTurns = turns.map((turn) => tell("turn", meta.uid, turn));
  const known = findKnownOrigin(exportWork, meta.uid);
  const candidates = [...(known ? [known] : []), ...ofTurns, given];
  const origin = candidates.reduce((best, one) => (rankOrigin(one) > rankOrigin(best) ? one : best));
  const isOwn = (one: Authorship) =>
    rankOrigin(one) === rankOrigin(origin) && (rankOrigin(one) !== 1 || one.signer === origin.signer);
  const own = turns.filter((_, i) => isOwn(ofTurns[i]!));
  const isBare = toCanonicalJson(meta) === toCanonicalJson(makeNamelessSession(meta.uid));
  return {
    // Without a signature the head alone says who it claims to be of.
    origin: rankOrigin(origin) === 0 ? given : origin,
    meta: isOwn(given) ? meta : makeNamelessSession(meta.uid),
    turns: own,
    foreign: turns.length - own.length + (isBare || isOwn(given) ? 0 : 1),
  };
}

/** Whose the turns are that are here; null: there are none. */
function findKnownOrigin({ work: { memory } }: ExportWork, uid: string): Authorship | null {
  const known = findSessionByUid(memory, uid);
  if (known === null) return null;
  if (isRecordedHere(memory, uid)) return { author: null, signer: null };
  return findLastTurnNumber(memory, known.id) === null ? null : known;
}

/**
 * Imports the missing parts of a session: forgotten lines stay forgotten, known lines are not stored again. Turns are
 * stored in one transaction; if interrupted before chunking, `finishSessions` makes the chunks.
 * @returns null when it was forgotten
 */
export async function importSession(
  exportWork: ExportWork,
  given: SharedSession,
  all: readonly SharedTurn[],
  signal?: AbortSignal,
): Promise<ImportedSession | null> {
  const { work } = exportWork;
  const { memory } = work;
  const { uid } = given;
  if (isForgotten(memory, uid) || (given.parent !== null && isForgotten(memory, given.parent))) return null;
  const { origin, meta, turns, foreign } = selectOwnedPart(exportWork, given, all);
  const taken = memory.runInTransaction(() => {
    const before = findSessionByUid(memory, uid);
    // It is somebody else's than it was taken for: theirs is imported anew.
    if (before !== null && before.author !== null && isOthers(before, origin)) dropTurns(memory, before.id);
    const known = findSessionByUid(memory, uid);
    // Somebody changed what this person shared: the next exchange repairs it.
    if (foreign > 0 && origin.author === null) markChanged(memory, { kind: "session", uid });
    const session = saveMeta(exportWork, meta, known, origin);
    if (isAbsolute(session.cwd)) setSyncFact(memory, sharedFact + meta.uid, "1");
    const changed = saveTurns(exportWork, session, turns);
    const hasSummaries = saveSummaries(exportWork, session, meta);
    if (changed.length > 0) {
      const first = Math.min(...changed, regroupTurns(exportWork, session));
      const before = syncFact(memory, toCut + meta.uid);
      setSyncFact(memory, toCut + meta.uid, String(Math.min(first, Number(before ?? first))));
    } else if (hasSummaries && syncFact(memory, toCut + meta.uid) === null) {
      const last = findLastTurnNumber(memory, session.id) ?? 0;
      setSyncFact(memory, toCut + meta.uid, String(last + 1));
    }
    return { isNew: known === null, turns: changed.length, foreign };
  });
  await finishSession(exportWork, meta.uid, signal);
  // An extract of today may give a title of its own.
  if (taken.isNew) keepTitle(exportWork, meta);
  return taken;
}

const isOthers = (a: Authorship, b: Authorship) =>
  rankOrigin(a) !== rankOrigin(b) || (rankOrigin(a) === 1 && a.signer !== b.signer);

/** Makes the pending chunks of imported sessions after an interruption. */
export async function finishSessions(exportWork: ExportWork, signal?: AbortSignal): Promise<void> {
  for (const { key } of syncFacts(exportWork.work.memory, toCut)) {
    await finishSession(exportWork, key.slice(toCut.length), signal);
  }
}

async function finishSession({ work }: ExportWork, uid: string, signal?: AbortSignal): Promise<void> {
  const { memory } = work;
  const from = syncFact(memory, toCut + uid);
  if (from === null) return;
  const session = findSessionByUid(memory, uid);
  if (session !== null) {
    await rechunkSession(work, session, Number(from), { signal });
    const first = listTurns(memory, session.id, { limit: 1 })[0]?.number ?? 0;
    if (Number(from) <= first) saveCut(memory, session.id, buildSessionCut(work, session.agent));
    await sumUpSession({ ...work, llm: null }, uid, { signal });
  }
  setSyncFact(memory, toCut + uid, null);
}

function saveMeta(
  exportWork: ExportWork,
  meta: SharedSession,
  known: SessionRecord | null,
  origin: Authorship,
): SessionRecord {
  const { memory } = exportWork.work;
  const clean = createRedactor(exportWork, known?.id ?? null);
  const findSessionRowId = (uid: string) => findSessionByUid(memory, uid)?.id ?? null;
  const {
    title: _,
    titleSource: __,
    endedAt,
    endReason,
    ...facts
  } = importRow(sessions, meta, { clean, idOf: findSessionRowId });
  const { agent, cwd } = facts;
  const above = meta.parent ? ensureParent(memory, meta.parent, { agent, cwd, ...origin }) : null;
  const isLater = (meta.last_at ?? 0) >= (known?.lastAt ?? 0);
  return saveSession(memory, {
    ...facts,
    ...(!isRecordedHere(memory, meta.uid) && { author: origin.author, signer: origin.signer }),
    parentId: above?.id ?? null,
    ...(above === null && { parentToolUse: null, agentType: null }),
    ...(isLater && endedAt !== null && { ended: { at: endedAt, reason: endReason } }),
    ...chooseTitle(exportWork, meta, known, clean),
  });
}

/** A subagent's session, which may be imported later. Nobody's subagents are another's. */
function ensureParent(
  memory: Memory,
  uid: string,
  update: Omit<SessionUpdate, "uid"> & Authorship,
): SessionRecord | null {
  const known = findSessionByUid(memory, uid);
  if (known === null) return saveSession(memory, { uid, ...update });
  return isOthers(known, update) ? null : known;
}

/** Keeps the local title unless the other one is better or newer. */
function chooseTitle(
  { work: { memory } }: ExportWork,
  { title, title_source: source, title_at: at }: SharedSession,
  known: SessionRecord | null,
  clean: (text: string) => string,
) {
  if (title === null || source === null) return {};
  if (known !== null) {
    // It may mention forgotten text.
    if (hasForgottenLines(memory, known.id)) return {};
    const rank = (of: SharedSession["title_source"]) => (of === null ? -1 : titleSources.indexOf(of));
    const isBetter = rank(source) > rank(known.titleSource);
    if (!isBetter && (at ?? 0) <= (known.lastAt ?? 0)) return {};
  }
  return { title: { text: clean(title), source } };
}

function keepTitle(exportWork: ExportWork, meta: SharedSession): void {
  const { memory } = exportWork.work;
  const session = findSessionByUid(memory, meta.uid);
  if (session === null) return;
  const { title } = chooseTitle(exportWork, meta, null, createRedactor(exportWork, session.id));
  const { uid, agent, cwd } = session;
  if (title) saveSession(memory, { uid, agent, cwd, title: { ...title, replaces: true } });
}

function saveSummaries(
  exportWork: ExportWork,
  session: SessionRecord,
  { summaries: shared }: SharedSession,
): boolean {
  const { memory } = exportWork.work;
  if (shared.length === 0 || hasForgottenLines(memory, session.id)) return false;
  const clean = createRedactor(exportWork, session.id);
  const known = listSummaries(memory, session.id);
  let saved = false;
  for (const record of shared) {
    const summary = importRow(summaries, record, { clean });
    const { source, upToTurn, at } = summary;
    // Keep only the language model's summary with the most lines.
    const isThere = known.some(
      (one) =>
        one.source === source &&
        (one.upToTurn === upToTurn ? one.at >= at : source === "llm" && one.upToTurn > upToTurn),
    );
    if (isThere) continue;
    saveSummary(memory, { ...summary, sessionId: session.id });
    saved = true;
  }
  return saved;
}

/** Regroups turns as if they had been read here. @returns the first that moved */
function regroupTurns({ work }: ExportWork, session: SessionRecord): number {
  const { memory } = work;
  const turns = [...readStoredTurns(memory, session.id)];
  const starts = new Map<number, number>();
  for (const group of groupTurns(turns, work.chunks)) {
    for (const { number } of group) starts.set(number, group[0]!.number);
  }
  const moved = new Map(
    turns.flatMap(({ number, record }): [number, number][] => {
      const start = starts.get(number)!;
      return start === record.groupStart ? [] : [[number, start]];
    }),
  );
  saveGroups(memory, session.id, moved);
  return Math.min(Number.MAX_SAFE_INTEGER, ...moved.keys());
}
