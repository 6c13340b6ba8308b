import { formatIsoTime } from "../base/text/iso-time.ts";
import type { Memory } from "../store/memory/memory.ts";
import { findSessionByUid } from "../store/memory/sessions/sessions.ts";
import { findTurn } from "../store/memory/sessions/turns.ts";

/** Turns with their prompts, as far as they are stored. */
export function readTurnPrompts(
  memory: Memory,
  sessionUid: string,
  turns: readonly number[],
): { turn: number; prompt: string | null; started_at: string | null }[] {
  const session = findSessionByUid(memory, sessionUid);
  return turns.map((number) => {
    const turn = session && findTurn(memory, session.id, number);
    return { turn: number, prompt: turn?.prompt ?? null, started_at: formatIsoTime(turn?.startedAt ?? null) };
  });
}
