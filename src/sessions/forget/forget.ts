import { findAgentByName } from "../../agents/registry.ts";
import { releaseTranscript } from "../../agents/vaulted.ts";
import { dayMs } from "../../base/text/day.ts";
import type { Memory } from "../../store/memory/memory.ts";
import {
  expireSessions,
  type ForgetCounts,
  leaveNoTrace,
  listSessionsBefore,
  previewForget as previewRows,
  removeRows,
  withSubagents,
} from "../../store/memory/privacy/forget.ts";
import { changeWithTrash } from "../../store/memory/privacy/trashed-rows.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { findSessionById } from "../../store/memory/sessions/sessions.ts";
import { listTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import type { TrashEntry } from "../../store/trash/trash.ts";
import { rechunkSession } from "../chunks/rechunk.ts";
import { sumUpSession } from "../summaries/sum-up.ts";
import { readStoredTurns } from "../turn-content.ts";
import { detectTurnState } from "../turn-state.ts";
import type { SessionWork } from "../work.ts";
import { cutPattern, type ForgetReport, previewPattern } from "./forget-pattern.ts";
import { type ForgetAsked, forgetTarget, listForgetExamples } from "./forget-target.ts";

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
  return { ...counts, matches: 0, examples: listForgetExamples(memory, target.rows) };
}

export interface ForgetOptions {
  /** Leave nothing, in the trash either. Always so for a pattern: words that nobody shall find are not kept elsewhere. */
  forGood?: boolean | undefined;
  signal?: AbortSignal | undefined;
  now?: Date;
}

/**
 * Forgets the target: sessions that lost turns are chunked and summarised again. Do not run it while transcripts of the
 * sessions are read.
 * @returns what was removed; `isLogEmpty` false: another process was reading, and the database's log still holds traces
 * until it is emptied; `trash`: where it is until its time has passed, null: nowhere
 * @throws PommelError `usage`, `not_found`
 */
export async function forgetNow(
  work: SessionWork,
  asked: ForgetAsked,
  { forGood = false, signal, now = new Date() }: ForgetOptions = {},
): Promise<ForgetReport & { isLogEmpty: boolean; trash: TrashEntry | null }> {
  const { memory } = work;
  const target = await forgetTarget(memory, asked, now);
  if ("pattern" in target) {
    const report = await previewPattern(memory, target.pattern);
    return { ...report, isLogEmpty: await cutPattern(work, target.pattern, signal), trash: null };
  }
  const { rows } = target;
  const examples = listForgetExamples(memory, rows);
  const transcripts = withSubagents(memory, rows.sessions).flatMap((id) => listTranscripts(memory, id));
  const remove = () => {
    for (const [id, numbers] of rows.turns) dropLaterCompactions(work, id, Math.min(...numbers));
    return removeRows(memory, rows, now.getTime());
  };
  const how = { command: "pm memory forget", describe: describeCounts, now: now.getTime() };
  const { result, entry } = forGood
    ? { result: memory.runInTransaction(remove), entry: null }
    : changeWithTrash(memory, how, remove);
  // What was not read of a forgotten session never will be.
  for (const { agent, path } of transcripts) {
    const client = findAgentByName(agent);
    if (client !== undefined) releaseTranscript(client, path);
  }
  const { changed, summaries: _, ...counts } = result;
  for (const id of changed) {
    const session = findSessionById(memory, id);
    if (session === null) continue;
    await rechunkSession(work, session, Math.min(...(rows.turns.get(id) ?? [0])), { signal });
    await sumUpSession({ ...work, llm: null }, session.uid, { signal });
  }
  const isLogEmpty = leaveNoTrace(memory, { copies: forGood });
  return { ...counts, matches: 0, examples, isLogEmpty, trash: entry };
}

function describeCounts({ sessions, turns, annotations }: ForgetCounts): string {
  const counted = (n: number, unit: string) => (n === 0 ? [] : [`${n} ${unit}${n === 1 ? "" : "s"}`]);
  const parts = [counted(sessions, "session"), counted(turns, "turn"), counted(annotations, "note")];
  return parts.flat().join(", ");
}

/** The agent's own summaries in later turns cover the forgotten turns as well. */
function dropLaterCompactions({ memory }: SessionWork, sessionId: number, after: number): void {
  memory.runInTransaction(() => {
    for (const { record, lines } of readStoredTurns(memory, sessionId, { first: after + 1 })) {
      if (!lines.some(({ entries }) => entries.some(({ kind }) => kind === "summary"))) continue;
      const without = lines.map((line) => ({
        ...line,
        entries: line.entries.filter(({ kind }) => kind !== "summary"),
      }));
      const state = detectTurnState(without);
      saveTurn(memory, sessionId, { ...record, state, content: packContent(without) });
    }
  });
}

/**
 * Removes the turns, and their chunks, of sessions whose last line is older than so many days. Notes and summaries stay
 * with their chunks and can be found. Removed turns are not imported again from their transcript.
 * @param days 0: everything is kept
 * @returns rows of the sessions that lost turns
 */
export function expireOldTurns(
  memory: Memory,
  { days, now = Date.now() }: { days: number; now?: number },
): number[] {
  if (days === 0) return [];
  const expired = listSessionsBefore(memory, now - days * dayMs);
  if (expired.length === 0) return [];
  // One by one: others write as well.
  for (const id of expired) expireSessions(memory, [id]);
  memory.vacuum();
  return expired;
}
