import { isAbsolute } from "node:path";
import type { ScrubText } from "../../redact/scrub-value.ts";
import { groupTurns } from "../../sessions/groups.ts";
import { chunkOptionsFor, rechunkSession } from "../../sessions/rechunk.ts";
import { cleanLines } from "../../sessions/reword.ts";
import { storedTurns } from "../../sessions/stored-turns.ts";
import { sumUpSession } from "../../sessions/sum-up.ts";
import { promptBeginning, toolCounts, touchedFiles } from "../../sessions/touched.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import { packContent } from "../../store/memory/content.ts";
import { isForgotten } from "../../store/memory/forget.ts";
import { insertLines, knownLines, lastTurnNumber, placesOfLines } from "../../store/memory/lines.ts";
import { saveSession, sessionByUid } from "../../store/memory/sessions.ts";
import { saveSummary, summariesOf } from "../../store/memory/summaries.ts";
import { hasForgottenLines, saveGroups, setSyncFact, syncFact, syncFacts } from "../../store/memory/sync.ts";
import { saveTurn, turnOf } from "../../store/memory/turns.ts";
import { saveUsage } from "../../store/memory/usage.ts";
import { type SessionRecord, titleSources } from "../../store/memory-records.ts";
import { canonicalJson } from "./canonical.ts";
import { cleanerFor, type Telling, toldTurns } from "./from-memory.ts";
import { joinTurns } from "./join-session.ts";
import { localLines } from "./portable.ts";
import type { SharedLine, SharedSession, SharedTurn } from "./records.ts";
import { sharedFact } from "./told-files.ts";

/** Of sync_state: sessions whose turns are stored and whose chunks are still to be made, with their first new turn. */
const toCut = "cut ";

export interface TakenIn {
  /** Nothing of it was known here. */
  isNew: boolean;
  /** Turns that are new or have more in them. */
  turns: number;
}

/**
 * Takes a session in, as far as it is not here: what was forgotten stays so, a line that is here already is not
 * stored again. Its turns come in one transaction; stopped before its chunks are made, `finishSessions` makes them.
 * @param meta null: only its turns are known
 * @returns null when it was forgotten
 */
export async function takeInSession(
  telling: Telling,
  meta: SharedSession,
  turns: readonly SharedTurn[],
  signal?: AbortSignal,
): Promise<TakenIn | null> {
  const { work } = telling;
  const { memory } = work;
  if (isForgotten(memory, meta.uid) || (meta.parent !== null && isForgotten(memory, meta.parent)))
    return null;
  const taken = memory.inTransaction(() => {
    const known = sessionByUid(memory, meta.uid);
    const session = saveMeta(telling, meta, known);
    if (isAbsolute(session.cwd)) setSyncFact(memory, sharedFact + meta.uid, "1");
    const changed = saveTurns(telling, session, turns);
    const summaries = saveSummaries(telling, session, meta);
    if (changed.length > 0) {
      const first = Math.min(...changed, regroup(telling, session));
      const before = syncFact(memory, toCut + meta.uid);
      setSyncFact(memory, toCut + meta.uid, String(Math.min(first, Number(before ?? first))));
    } else if (summaries && syncFact(memory, toCut + meta.uid) === null) {
      const last = lastTurnNumber(memory, session.id) ?? 0;
      setSyncFact(memory, toCut + meta.uid, String(last + 1));
    }
    return { isNew: known === null, turns: changed.length };
  });
  await finishSession(telling, meta.uid, signal);
  return taken;
}

/** Makes the chunks of sessions that were taken in when the process was stopped. */
export async function finishSessions(telling: Telling, signal?: AbortSignal): Promise<void> {
  for (const { key } of syncFacts(telling.work.memory, toCut)) {
    await finishSession(telling, key.slice(toCut.length), signal);
  }
}

async function finishSession({ work }: Telling, uid: string, signal?: AbortSignal): Promise<void> {
  const { memory } = work;
  const from = syncFact(memory, toCut + uid);
  if (from === null) return;
  const session = sessionByUid(memory, uid);
  if (session !== null) {
    await rechunkSession(work, session, Number(from), signal);
    await sumUpSession({ ...work, llm: null }, uid, { signal });
  }
  setSyncFact(memory, toCut + uid, null);
}

function saveMeta(telling: Telling, meta: SharedSession, known: SessionRecord | null): SessionRecord {
  const { memory } = telling.work;
  const clean = cleanerFor(telling, known?.id ?? null);
  const { agent } = meta;
  const cwd = clean(meta.cwd);
  // Its session may come after it.
  const above = meta.parent === null ? null : saveSession(memory, { uid: meta.parent, agent, cwd });
  const origin = meta.forked_from === null ? null : sessionByUid(memory, meta.forked_from);
  const isLater = (meta.last_at ?? 0) >= (known?.lastAt ?? 0);
  return saveSession(memory, {
    uid: meta.uid,
    agent,
    cwd,
    startedAt: meta.started_at,
    lastAt: meta.last_at,
    ...(meta.branch !== null && { branch: clean(meta.branch) }),
    ...(above && {
      parentId: above.id,
      parentToolUse: meta.parent_tool_use,
      agentType: meta.agent_type,
    }),
    ...(origin && { forkedFrom: origin.id }),
    ...(isLater && meta.ended_at !== null && { ended: { at: meta.ended_at, reason: meta.end_reason } }),
    ...titleFor(telling, meta, known, clean),
  });
}

/** What a session is called here stays, unless the other one knows better or later. */
function titleFor(
  { work: { memory } }: Telling,
  { title, title_source: source, title_at: at }: SharedSession,
  known: SessionRecord | null,
  clean: (text: string) => string,
) {
  if (title === null || source === null) return {};
  if (known !== null) {
    // It may speak of what was forgotten.
    if (hasForgottenLines(memory, known.id)) return {};
    const rank = (of: SharedSession["title_source"]) => (of === null ? -1 : titleSources.indexOf(of));
    const isBetter = rank(source) > rank(known.titleSource);
    if (!isBetter && (at ?? 0) <= (known.lastAt ?? 0)) return {};
  }
  return { title: { text: clean(title), source } };
}

function saveSummaries(telling: Telling, session: SessionRecord, { summaries }: SharedSession): boolean {
  const { memory } = telling.work;
  if (summaries.length === 0 || hasForgottenLines(memory, session.id)) return false;
  const clean = cleanerFor(telling, session.id);
  const known = summariesOf(memory, session.id);
  let saved = false;
  for (const { source, up_to_turn: upToTurn, at, model, text } of summaries) {
    const isThere = known.some(
      (one) =>
        one.source === source &&
        (source === "llm" ? one.upToTurn > upToTurn : false || one.upToTurn === upToTurn) &&
        (one.upToTurn > upToTurn || one.at >= at),
    );
    if (isThere) continue;
    saveSummary(memory, { sessionId: session.id, source, upToTurn, at, model, text: clean(text) });
    saved = true;
  }
  return saved;
}

/** @returns numbers of the turns that are new here or have more in them */
function saveTurns(telling: Telling, session: SessionRecord, turns: readonly SharedTurn[]): number[] {
  const { memory } = telling.work;
  const uids = turns.flatMap(({ lines, also }) => [
    ...lines.flatMap(({ uid }) => uid ?? []),
    ...Object.keys(also),
  ]);
  const known = knownLines(memory, uids);
  const places = placesOfLines(memory, uids);
  const isHere = (uid: string) => {
    const place = places.get(uid);
    return place !== undefined && place.sessionId === session.id && place.turn >= 0;
  };
  const taken = takenOf(telling, session);
  const changed: number[] = [];
  for (const turn of turns) {
    // What is stored elsewhere (a fork) or was forgotten is left out.
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
    const saved = saveOne(telling, session, wanted, number, taken, (uid) => !known.has(uid));
    for (const uid of named) known.add(uid);
    if (saved !== null) changed.push(saved);
  }
  return changed;
}

/** @returns its number, or null when nothing of it is new */
function saveOne(
  telling: Telling,
  session: SessionRecord,
  told: SharedTurn,
  known: number | null,
  taken: Taken,
  isNew: (uid: string) => boolean,
): number | null {
  const { memory } = telling.work;
  const stored = known === null ? turnWithoutUids(telling, session, told) : toldAt(telling, session, known);
  const joined = stored ? joinTurns(stored, told) : told;
  const fresh = Object.entries(joined.also).filter(([uid]) => isNew(uid));
  if (stored && canonicalJson(joined) === canonicalJson(stored)) return null;
  const number = stored?.number ?? freeNumber(taken, told.number);
  const before = new Set(stored?.lines.map(({ uid, seq }) => uid ?? `#${seq}`));
  const place = (seq: number) => {
    let free = seq;
    if (taken.places.has(seq)) for (const one of taken.places) free = Math.max(free, one + 1);
    taken.places.add(free);
    return free;
  };
  const placed = joined.lines.map(
    (line): SharedLine => (before.has(line.uid ?? `#${line.seq}`) ? line : { ...line, seq: place(line.seq) }),
  );
  const scrubbed = cleanLines(placed as unknown as StoredLine[], taken.clean);
  const content = isAbsolute(session.cwd) ? localLines(scrubbed, telling.work.root) : scrubbed;
  const turn = { number, branch: joined.branch, abandoned: joined.abandoned, lines: content };
  const times = content.flatMap(({ at }) => at ?? []);
  const { relativize } = chunkOptionsFor(telling.work, session);
  saveTurn(memory, session.id, {
    number,
    startedAt: times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null,
    endedAt: times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : null,
    branch: joined.branch,
    abandoned: joined.abandoned,
    groupStart: turnOf(memory, session.id, number)?.groupStart ?? number,
    prompt: promptBeginning(turn),
    tools: toolCounts(turn),
    files: touchedFiles(turn, relativize),
    content: packContent(content),
  });
  const places = [
    ...placed.flatMap(({ uid, seq }) => (uid === null || !isNew(uid) ? [] : [{ uid, seq, turn: number }])),
    ...fresh.map(([uid, seq]) => ({ uid, seq: place(seq), turn: number })),
  ];
  insertLines(memory, session.id, places);
  saveUsage(
    memory,
    session.id,
    joined.usage.map(({ message, model, input, output, cache_read, cache_write }) => ({
      messageUid: message,
      turn: number,
      model,
      input,
      output,
      cacheRead: cache_read,
      cacheWrite: cache_write,
    })),
  );
  return number;
}

function toldAt(telling: Telling, session: SessionRecord, number: number): SharedTurn | null {
  const [stored] = toldTurns({ ...telling, filter: true }, session, { first: number, last: number });
  return stored ?? null;
}

/** A turn none of whose lines has a uid is known by its number. */
function turnWithoutUids(telling: Telling, session: SessionRecord, told: SharedTurn): SharedTurn | null {
  if (!told.id.startsWith("#")) return null;
  const stored = toldAt(telling, session, told.number);
  return stored?.id === told.id ? stored : null;
}

/** What a session has already, while turns are added to it. */
interface Taken {
  places: Set<number>;
  /** Of turns, forgotten ones included. */
  numbers: Set<number>;
  clean: ScrubText;
}

function takenOf(telling: Telling, session: SessionRecord): Taken {
  const { memory } = telling.work;
  const lines = memory
    .prepare(
      "SELECT seq, CASE WHEN turn < 0 THEN -1 - turn ELSE turn END AS turn FROM lines WHERE session_id = ?",
    )
    .all(session.id) as { seq: number; turn: number }[];
  const numbers = memory
    .prepare("SELECT number FROM turns WHERE session_id = ?")
    .pluck()
    .all(session.id) as number[];
  return {
    places: new Set(lines.map(({ seq }) => seq)),
    numbers: new Set([...numbers, ...lines.map(({ turn }) => turn)]),
    clean: cleanerFor({ ...telling, filter: true }, session.id),
  };
}

/** Another machine may have gone on with the session differently: then the number is taken. */
function freeNumber({ numbers }: Taken, wanted: number): number {
  let number = wanted;
  if (numbers.has(wanted)) for (const one of numbers) number = Math.max(number, one + 1);
  numbers.add(number);
  return number;
}

/** Puts turns into the groups that they would be in had they been read here. @returns the first that moved */
function regroup({ work }: Telling, session: SessionRecord): number {
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
