import { setTimeout as sleep } from "node:timers/promises";
import { getErrorMessage } from "../base/errors.ts";
import { saveCommands } from "../store/memory/commands.ts";
import type { SessionRecord } from "../store/memory/memory-records.ts";
import {
  cutOfSession,
  indexAgain,
  listOutdatedSessions,
  saveCut,
} from "../store/memory/sessions/session-index.ts";
import { findSessionById, replacePromptTitle } from "../store/memory/sessions/sessions.ts";
import { listTurns } from "../store/memory/sessions/turns.ts";
import { buildCurrentCut, buildSessionCut } from "./chunks/cut-rules.ts";
import { buildOptionsForSession, rechunkSession } from "./chunks/rechunk.ts";
import { extractCommands } from "./commands/commands-of-turn.ts";
import { listSubjectsLedTo } from "./summaries/retitle.ts";
import { sumUpSession } from "./summaries/sum-up.ts";
import { makeSessionTitle } from "./summaries/title.ts";
import { readStoredTurns } from "./turn-content.ts";
import type { SessionWork } from "./work.ts";

/** After so much work others have their turn. Milliseconds. */
const sliceMs = 15;

export interface RecutOptions {
  /** Rows of sessions: no others. */
  only?: readonly number[];
  signal?: AbortSignal | undefined;
  /** Sessions done, and in all; called before each, where the work can be stopped and resumed. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Cuts sessions again that were cut by other rules or settings: groups, chunks, decisions, extractive summaries and
 * titles, from their archived turns, so that nothing forgotten or redacted comes back. Newest first, as these are
 * searched most. It rests as long as it works. Each session remembers what it is cut by, so after a stop the next call
 * goes on; a session that comes out as it was is not written. Notes, language models' summaries and vectors of unchanged
 * text stay (docs/decisions/0012-sessions-are-cut-again.md).
 * @returns how many chunks the sessions have
 * @throws the signal's reason when it is aborted; PommelError `embedder_unavailable`, and those of the store
 */
export async function recutSessions(
  work: SessionWork,
  { only, signal, onProgress }: RecutOptions = {},
): Promise<number> {
  const { memory, log } = work;
  const pause = createPacer(signal);
  const all = listOutdatedSessions(memory, buildCurrentCut(work)).filter((id) => only?.includes(id) ?? true);
  let chunks = 0;
  for (const [i, id] of all.entries()) {
    onProgress?.(i, all.length);
    signal?.throwIfAborted();
    const session = findSessionById(memory, id);
    if (session === null) continue;
    try {
      chunks += await recutSession(work, session, { signal, pause });
    } catch (error) {
      if (signal?.aborted || !isUnreadable(error)) throw error;
      log.warn(`${session.uid} stays as it was cut: ${getErrorMessage(error)}`);
    }
    saveCut(memory, id, buildSessionCut(work, session.agent));
    await pause();
  }
  onProgress?.(all.length, all.length);
  return chunks;
}

async function recutSession(
  work: SessionWork,
  session: SessionRecord,
  { signal, pause }: { signal: AbortSignal | undefined; pause: () => Promise<void> },
): Promise<number> {
  const { memory } = work;
  const [first] = listTurns(memory, session.id, { limit: 1 });
  if (first === undefined) return 0;
  const cut = cutOfSession(memory, session.id);
  const isByOtherRules = cut?.rules !== buildSessionCut(work, session.agent).rules;
  // One that was brought back, or came from elsewhere, is called what it was called there.
  const keepsTitle = cut === null && session.title !== null;
  const how = { signal, pause, regroup: true, reindex: isByOtherRules };
  const chunks = await rechunkSession(work, session, first.number, how);
  if (isByOtherRules) {
    const title = keepsTitle
      ? null
      : makeSessionTitle(readStoredTurns(memory, session.id), listSubjectsLedTo(memory, session.uid));
    const { relativize } = buildOptionsForSession(work, session);
    const ran = Array.from(
      readStoredTurns(memory, session.id),
      (turn) => [turn.record.id, extractCommands(turn, relativize)] as const,
    );
    await pause();
    memory.runInTransaction(() => {
      for (const [turnId, commands] of ran) saveCommands(memory, turnId, commands);
      if (title !== null) replacePromptTitle(memory, session.id, title);
      indexAgain(memory, session.id);
    });
  }
  await pause();
  const summed = await sumUpSession({ ...work, llm: null }, session.uid, {
    signal,
    pause,
    keepsTitle,
  });
  return chunks + (summed?.chunks ?? 0);
}

/** Rests as long as it worked, after every slice of work. */
function createPacer(signal: AbortSignal | undefined): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const workedMs = performance.now() - since;
    if (workedMs < sliceMs) return;
    await sleep(workedMs);
    since = performance.now();
    signal?.throwIfAborted();
  };
}

/** An archived turn that is damaged: what zlib and JSON.parse throw. */
function isUnreadable(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && /^Z_/.test(String(Object(error).code)));
}
