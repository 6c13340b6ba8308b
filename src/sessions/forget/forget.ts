import type { Memory } from "../../store/memory/memory.ts";
import {
  expireSessions,
  forget,
  leaveNoTrace,
  previewForget as previewRows,
  sessionsBefore,
} from "../../store/memory/privacy/forget.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { sessionById } from "../../store/memory/sessions/sessions.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { rechunkSession } from "../chunks/rechunk.ts";
import { sumUpSession } from "../summaries/sum-up.ts";
import { storedTurns } from "../turn-content.ts";
import { turnStateOf } from "../turn-state.ts";
import type { SessionWork } from "../work.ts";
import { cutPattern, type ForgetReport, previewPattern } from "./forget-pattern.ts";
import { examplesOf, type ForgetAsked, forgetTarget } from "./forget-target.ts";

/**
 * What `forgetNow` would remove. Needs a writable memory: the change is made, and rolled back.
 * @throws PommelError `usage` for an invalid request, `not_found`
 */
export async function previewForget(
  memory: SessionWork["memory"],
  asked: ForgetAsked,
  now: Date = new Date(),
): Promise<ForgetReport> {
  const target = await forgetTarget(memory, asked, now);
  if ("pattern" in target) return previewPattern(memory, target.pattern);
  const { summaries: _, ...counts } = previewRows(memory, target.rows);
  return { ...counts, matches: 0, examples: examplesOf(memory, target.rows) };
}

/**
 * Forgets the target without a trace: sessions that lost turns are chunked and summarised again. Do not run it while
 * transcripts of the sessions are read.
 * @returns what was removed; `isLogEmpty` false: another process was reading, and the database's log still holds traces
 * until it is emptied
 * @throws PommelError `usage`, `not_found`
 */
export async function forgetNow(
  work: SessionWork,
  asked: ForgetAsked,
  { signal, now = new Date() }: { signal?: AbortSignal | undefined; now?: Date } = {},
): Promise<ForgetReport & { isLogEmpty: boolean }> {
  const { memory } = work;
  const target = await forgetTarget(memory, asked, now);
  if ("pattern" in target) {
    const report = await previewPattern(memory, target.pattern);
    return { ...report, isLogEmpty: await cutPattern(work, target.pattern, signal) };
  }
  const { rows } = target;
  const examples = examplesOf(memory, rows);
  for (const [id, numbers] of rows.turns) dropLaterCompactions(work, id, Math.min(...numbers));
  const { changed, isLogEmpty, summaries: _, ...counts } = forget(memory, rows, now.getTime());
  for (const id of changed) {
    const session = sessionById(memory, id);
    if (session === null) continue;
    await rechunkSession(work, session, Math.min(...(rows.turns.get(id) ?? [0])), { signal });
    await sumUpSession({ ...work, llm: null }, session.uid, { signal });
  }
  const isEmpty = changed.length > 0 ? leaveNoTrace(memory) : isLogEmpty;
  return { ...counts, matches: 0, examples, isLogEmpty: isEmpty };
}

/** The agent's own summaries in later turns cover the forgotten turns as well. */
function dropLaterCompactions({ memory }: SessionWork, sessionId: number, after: number): void {
  memory.inTransaction(() => {
    for (const { record, lines } of storedTurns(memory, sessionId, { first: after + 1 })) {
      if (!lines.some(({ entries }) => entries.some(({ kind }) => kind === "summary"))) continue;
      const without = lines.map((line) => ({
        ...line,
        entries: line.entries.filter(({ kind }) => kind !== "summary"),
      }));
      const state = turnStateOf(without);
      saveTurn(memory, sessionId, { ...record, state, content: packContent(without) });
    }
  });
}

const dayMs = 86_400_000;

/**
 * Removes the turns, and their chunks, of sessions whose last line is older than so many days. Notes and summaries stay
 * with their chunks and can be found. Removed turns are not imported again from their transcript.
 * @param days 0: everything is kept
 * @returns rows of the sessions that lost turns
 */
export function retainMemory(
  memory: Memory,
  { days, now = Date.now() }: { days: number; now?: number },
): number[] {
  if (days === 0) return [];
  const expired = sessionsBefore(memory, now - days * dayMs);
  if (expired.length === 0) return [];
  // One by one: others write as well.
  for (const id of expired) expireSessions(memory, [id]);
  memory.vacuum();
  return expired;
}
