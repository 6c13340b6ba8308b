import type { GivenPayload } from "../agents/agent.ts";
import { type HookPayload, payloadFields } from "../protocol/hooks.ts";

/**
 * The stored part of a hook's payload. The conversation comes from the transcript, where it is scrubbed first; a hook
 * stores ids, where the session runs and the event, and only the notes of a prompt: no names of files, which may hold
 * secrets.
 */

/** Longer fields are dropped. Characters. */
const maxFieldLength = 8192;
/** Limit for all notes of a prompt. Characters. */
const maxNotes = 65_536;

/** As in `notesIn` (sessions/notes.ts), which reads the stored notes. */
const noteLine = /(?<![\p{L}\p{N}_])note[ \t]+to[ \t]+pommel[ \t]*[*_]*[ \t]*[:：].*/giu;

/** The JSON object in `text`; null if invalid. */
export function parseObject(text: string): GivenPayload | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as GivenPayload)
      : null;
  } catch {
    return null;
  }
}

/** The stored fields of a hook's stdin, without those of a wrong type. */
export function payloadOf(given: GivenPayload): HookPayload {
  const payload: HookPayload = {};
  for (const field of payloadFields) {
    const value = given[field];
    if (field !== "prompt" && isShortText(value)) payload[field] = value;
  }
  if (typeof given.prompt === "string") {
    const notes = (given.prompt.match(noteLine) ?? []).join("\n").slice(0, maxNotes);
    if (notes !== "") payload.prompt = notes;
  }
  return payload;
}

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): GivenPayload {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxFieldLength;
}
