import type { SessionWork } from "./work.ts";

/** What to forget, as the route and the command line say it: exactly one of the first four, or a time. */
export interface ForgetAsked {
  /** An id, or the beginning that no other has. */
  session?: string | undefined;
  /** `<session>:<turn>`. */
  turn?: string | undefined;
  /** An id, or the beginning that no other has. */
  annotation?: string | undefined;
  /** In RE2's syntax; what it matches is cut out of everything. */
  pattern?: string | undefined;
  /** ISO 8601 or in words. */
  since?: string | undefined;
  until?: string | undefined;
}

/** What would go, or went; `examples` are titles, prompts and notes, for a preview. */
export interface ForgetReport {
  sessions: number;
  turns: number;
  chunks: number;
  annotations: number;
  /** Places where a pattern matches. */
  matches: number;
  examples: string[];
}

/**
 * What `forgetNow` would take away.
 * @throws PommelError `usage` for a request that makes no sense, `not_found`
 */
export async function previewForget(
  _memory: SessionWork["memory"],
  _asked: ForgetAsked,
  _now: Date = new Date(),
): Promise<ForgetReport> {
  throw new Error("not written yet");
}

/**
 * Forgets it, and leaves no trace of it: sessions that lost turns are cut into chunks and summed up again. Not to be
 * run while transcripts of the sessions are read.
 * @returns what went; `isLogEmpty` false: another process was reading, and the database's log still holds traces until
 *   it is emptied
 * @throws PommelError `usage`, `not_found`
 */
export async function forgetNow(
  _options: SessionWork,
  _asked: ForgetAsked,
  _how: { signal?: AbortSignal | undefined; now?: Date } = {},
): Promise<ForgetReport & { isLogEmpty: boolean }> {
  throw new Error("not written yet");
}
