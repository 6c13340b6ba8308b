import { isAbsolute } from "node:path";
import { defaultAgentName } from "../../agents/profiles.ts";
import { cutOf } from "../../sessions/chunks/cut-rules.ts";
import { rechunkSession } from "../../sessions/chunks/rechunk.ts";
import { groupTurns } from "../../sessions/ingest/turns.ts";
import { sumUpSession } from "../../sessions/summaries/sum-up.ts";
import { storedTurns } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Authorship, SessionRecord } from "../../store/memory/memory-records.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { saveCut } from "../../store/memory/sessions/session-index.ts";
import { type SessionUpdate, saveSession, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { saveSummary, summariesOf } from "../../store/memory/sessions/summaries.ts";
import { lastTurnNumber } from "../../store/memory/sessions/transcripts.ts";
import { saveGroups, turnsOf } from "../../store/memory/sessions/turns.ts";
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
import { canonicalJson } from "../codec/codec.ts";
import { sharedFact } from "../export-files.ts";
import { authorshipOf, type ExportWork, redactorFor } from "./from-memory.ts";
import type { SharedSession, SharedTurn } from "./records.ts";
import { emptyRecord, importRow } from "./shared-rows.ts";
import { rankOf } from "./to-memory.ts";
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
export const nameless = (uid: string): SharedSession => ({
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
function ownedPart(exportWork: ExportWork, meta: SharedSession, turns: readonly SharedTurn[]): OwnedSession {
  const given = authorshipOf(exportWork, "session", meta.uid, meta);
  // A copy within one home: its turns are its session's.
  const { authorshipOf: tell } = exportWork;
  if (tell === undefined) return { origin: given, meta, turns, foreign: 0 };
  const ofTurns = turns.map((turn) => tell("turn", meta.uid, turn));
  const known = knownOrigin(exportWork, meta.uid);
  const candidates = [...(known ? [known] : []), ...ofTurns, given];
  const origin = candidates.reduce((best, one) => (rankOf(one) > rankOf(best) ? one : best));
  const isOwn = (one: Authorship) =>
    rankOf(one) === rankOf(origin) && (rankOf(one) !== 1 || one.signer === origin.signer);
  const own = turns.filter((_, i) => isOwn(ofTurns[i]!));
  const isBare = canonicalJson(meta) === canonicalJson(nameless(meta.uid));
  return {
    // Without a signature the head alone says who it claims to be of.
    origin: rankOf(origin) === 0 ? given : origin,
    meta: isOwn(given) ? meta : nameless(meta.uid),
    turns: own,
    foreign: turns.length - own.length + (isBare || isOwn(given) ? 0 : 1),
  };
}

/** Whose the turns are that are here; null: there are none. */
function knownOrigin({ work: { memory } }: ExportWork, uid: string): Authorship | null {
  const known = sessionByUid(memory, uid);
  if (known === null) return null;
  if (isRecordedHere(memory, uid)) return { author: null, signer: null };
  return lastTurnNumber(memory, known.id) === null ? null : known;
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
  const { origin, meta, turns, foreign } = ownedPart(exportWork, given, all);
  const taken = memory.inTransaction(() => {
    const before = sessionByUid(memory, uid);
    // It is somebody else's than it was taken for: theirs is imported anew.
    if (before !== null && before.author !== null && isOthers(before, origin)) dropTurns(memory, before.id);
    const known = sessionByUid(memory, uid);
    // Somebody changed what this person shared: the next exchange repairs it.
    if (foreign > 0 && origin.author === null) markChanged(memory, { kind: "session", uid });
    const session = saveMeta(exportWork, meta, known, origin);
    if (isAbsolute(session.cwd)) setSyncFact(memory, sharedFact + meta.uid, "1");
    const changed = saveTurns(exportWork, session, turns);
    const hasSummaries = saveSummaries(exportWork, session, meta);
    if (changed.length > 0) {
      const first = Math.min(...changed, regroup(exportWork, session));
      const before = syncFact(memory, toCut + meta.uid);
      setSyncFact(memory, toCut + meta.uid, String(Math.min(first, Number(before ?? first))));
    } else if (hasSummaries && syncFact(memory, toCut + meta.uid) === null) {
      const last = lastTurnNumber(memory, session.id) ?? 0;
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
  rankOf(a) !== rankOf(b) || (rankOf(a) === 1 && a.signer !== b.signer);

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
  const session = sessionByUid(memory, uid);
  if (session !== null) {
    await rechunkSession(work, session, Number(from), { signal });
    const first = turnsOf(memory, session.id, { limit: 1 })[0]?.number ?? 0;
    if (Number(from) <= first) saveCut(memory, session.id, cutOf(work, session.agent));
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
  const clean = redactorFor(exportWork, known?.id ?? null);
  const idOf = (uid: string) => sessionByUid(memory, uid)?.id ?? null;
  const {
    title: _,
    titleSource: __,
    endedAt,
    endReason,
    ...facts
  } = importRow(sessions, meta, { clean, idOf });
  const { agent, cwd } = facts;
  const above = meta.parent ? parentOf(memory, meta.parent, { agent, cwd, ...origin }) : null;
  const isLater = (meta.last_at ?? 0) >= (known?.lastAt ?? 0);
  return saveSession(memory, {
    ...facts,
    ...(!isRecordedHere(memory, meta.uid) && { author: origin.author, signer: origin.signer }),
    parentId: above?.id ?? null,
    ...(above === null && { parentToolUse: null, agentType: null }),
    ...(isLater && endedAt !== null && { ended: { at: endedAt, reason: endReason } }),
    ...titleFor(exportWork, meta, known, clean),
  });
}

/** A subagent's session, which may be imported later. Nobody's subagents are another's. */
function parentOf(
  memory: Memory,
  uid: string,
  update: Omit<SessionUpdate, "uid"> & Authorship,
): SessionRecord | null {
  const known = sessionByUid(memory, uid);
  if (known === null) return saveSession(memory, { uid, ...update });
  return isOthers(known, update) ? null : known;
}

/** Keeps the local title unless the other one is better or newer. */
function titleFor(
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
  const session = sessionByUid(memory, meta.uid);
  if (session === null) return;
  const { title } = titleFor(exportWork, meta, null, redactorFor(exportWork, session.id));
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
  const clean = redactorFor(exportWork, session.id);
  const known = summariesOf(memory, session.id);
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
function regroup({ work }: ExportWork, session: SessionRecord): number {
  const { memory } = work;
  const turns = [...storedTurns(memory, session.id)];
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
