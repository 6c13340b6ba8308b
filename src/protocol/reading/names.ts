import { shortenSessionId } from "./short-id.ts";

/** What stands for what has no name of its own. */

/** A session's title, beside its id. */
export const nameTitle = (title: string | null): string => title ?? "(no title)";

/** The same, where its id is not shown. */
export const nameSession = (id: string, title: string | null): string =>
  title ?? `Session ${shortenSessionId(id)}`;

export const nameSubject = (subject: string): string => (subject === "" ? "(no message)" : subject);

/** A prompt, or why there is none. */
export function namePrompt(turn: number, prompt: string | null): string {
  if (turn === 0) return "(before the first prompt)";
  return prompt ?? "(not stored here)";
}

/** "turn 3" */
export const nameTurn = (turn: number): string => (turn === 0 ? "before the first prompt" : `turn ${turn}`);

/** "Turn 3" */
export const nameTurnInTitle = (turn: number): string =>
  turn === 0 ? "Before the first prompt" : `Turn ${turn}`;
