import { isAbsolute } from "node:path";
import type { ScrubText } from "../../redact/scrubber.ts";
import { buildOptionsForSession } from "../../sessions/chunks/rechunk.ts";
import { turnToStore } from "../../sessions/ingest/turns.ts";
import { cleanLines } from "../../sessions/scrub/redact-stored.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import {
  findKnownLines,
  findPlacesOfLines,
  findTakenPlaces,
  insertLines,
} from "../../store/memory/sessions/transcripts.ts";
import { findTurn, saveTurn } from "../../store/memory/sessions/turns.ts";
import { saveUsage } from "../../store/memory/sessions/usage.ts";
import { turns, usage } from "../../store/tables/turns.ts";
import { toCanonicalJson } from "../codec/codec.ts";
import { joinTurns } from "../merge/join.ts";
import { createRedactor, type ExportWork, exportTurns, toLocalLines } from "./from-memory.ts";
import type { SharedLine, SharedTurn } from "./records.ts";
import { importRow } from "./shared-rows.ts";

/**
 * Stores missing turns and lines. Call it in a transaction.
 * @returns numbers of the turns that are new or have more lines
 */
export function saveTurns(
  exportWork: ExportWork,
  session: SessionRecord,
  shared: readonly SharedTurn[],
): number[] {
  const { memory } = exportWork.work;
  const uids = shared.flatMap(({ lines, also }) => [
    ...lines.flatMap(({ uid }) => uid ?? []),
    ...Object.keys(also),
  ]);
  const known = findKnownLines(memory, uids);
  const places = findPlacesOfLines(memory, uids);
  const isHere = (uid: string) => {
    const place = places.get(uid);
    return place !== undefined && place.sessionId === session.id && place.turn >= 0;
  };
  const taken = readExisting(exportWork, session);
  const changed: number[] = [];
  for (const turn of shared) {
    // Skip lines that are stored in a fork or were forgotten.
    const isWanted = (uid: string | null) => uid === null || !known.has(uid) || isHere(uid);
    const wanted: SharedTurn = {
      ...turn,
      lines: turn.lines.filter(({ uid }) => isWanted(uid)),
      also: Object.fromEntries(Object.entries(turn.also).filter(([uid]) => isWanted(uid))),
    };
    const named = [...wanted.lines.flatMap(({ uid }) => uid ?? []), ...Object.keys(wanted.also)];
    const first = named.find((uid) => isHere(uid));
    const isAllRefused = turn.lines.some(({ uid }) => uid !== null) && named.length === 0;
    if (isAllRefused) continue;
    const number = first === undefined ? null : places.get(first)!.turn;
    const saved = saveOne(exportWork, session, wanted, number, taken, (uid) => !known.has(uid));
    for (const uid of named) known.add(uid);
    if (saved !== null) changed.push(saved);
  }
  return changed;
}

/** @returns its number, or null when nothing is new */
function saveOne(
  exportWork: ExportWork,
  session: SessionRecord,
  shared: SharedTurn,
  known: number | null,
  taken: Existing,
  isNew: (uid: string) => boolean,
): number | null {
  const { memory } = exportWork.work;
  const stored =
    known === null ? findTurnWithoutUids(exportWork, session, shared) : exportAt(exportWork, session, known);
  const joined = stored ? joinTurns(stored, shared) : shared;
  const fresh = Object.entries(joined.also).filter(([uid]) => isNew(uid));
  if (stored && toCanonicalJson(joined) === toCanonicalJson(stored)) return null;
  const number = stored?.number ?? takeFreeNumber(taken, shared.number);
  const before = new Set(stored?.lines.map(({ uid, seq }) => uid ?? `#${seq}`));
  const place = (seq: number) => {
    let free = seq;
    if (taken.places.has(seq)) for (const one of taken.places) free = Math.max(free, one + 1);
    taken.places.add(free);
    return free;
  };
  const positioned = joined.lines.map(
    (line): SharedLine => (before.has(line.uid ?? `#${line.seq}`) ? line : { ...line, seq: place(line.seq) }),
  );
  const scrubbed = cleanLines(positioned as unknown as StoredLine[], taken.clean);
  const content = isAbsolute(session.cwd) ? toLocalLines(scrubbed, exportWork.work.root) : scrubbed;
  const facts = { ...importRow(turns, joined), number };
  const times = content.flatMap(({ at }) => at ?? []);
  const { relativize } = buildOptionsForSession(exportWork.work, session);
  saveTurn(memory, session.id, {
    ...facts,
    startedAt: times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null,
    endedAt: times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : null,
    groupStart: findTurn(memory, session.id, number)?.groupStart ?? number,
    ...turnToStore({ ...facts, lines: content }, relativize),
  });
  const places = [
    ...positioned.flatMap(({ uid, seq }) =>
      uid === null || !isNew(uid) ? [] : [{ uid, seq, turn: number }],
    ),
    ...fresh.map(([uid, seq]) => ({ uid, seq: place(seq), turn: number })),
  ];
  insertLines(memory, session.id, places);
  saveUsage(
    memory,
    session.id,
    joined.usage.map((message) => ({ ...importRow(usage, message), turn: number })),
  );
  return number;
}

function exportAt(exportWork: ExportWork, session: SessionRecord, number: number): SharedTurn | null {
  const [stored] = exportTurns({ ...exportWork, filter: true }, session, { first: number, last: number });
  return stored ?? null;
}

/** A turn without uids is identified by its number. */
function findTurnWithoutUids(
  exportWork: ExportWork,
  session: SessionRecord,
  shared: SharedTurn,
): SharedTurn | null {
  if (!shared.id.startsWith("#")) return null;
  const stored = exportAt(exportWork, session, shared.number);
  return stored?.id === shared.id ? stored : null;
}

/** A session's existing turns and lines. */
interface Existing {
  places: Set<number>;
  /** Turn numbers, including forgotten ones. */
  numbers: Set<number>;
  clean: ScrubText;
}

function readExisting(exportWork: ExportWork, session: SessionRecord): Existing {
  const { memory } = exportWork.work;
  return {
    ...findTakenPlaces(memory, session.id),
    clean: createRedactor({ ...exportWork, filter: true }, session.id),
  };
}

/** The number may be taken if another machine continued the session differently. */
function takeFreeNumber({ numbers }: Existing, wanted: number): number {
  let number = wanted;
  if (numbers.has(wanted)) for (const one of numbers) number = Math.max(number, one + 1);
  numbers.add(number);
  return number;
}
