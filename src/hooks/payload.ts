import type { GivenPayload } from "../agents/agent.ts";
import { type HookPayload, payloadFields } from "../protocol/hook-payload.ts";

/**
 * What is kept of what an agent hands to a hook. The conversation itself comes from the transcript, where it is
 * scrubbed before anything is stored; a hook keeps who, where and when, and of a prompt only its notes.
 */

/** Ids, paths and words; what is longer is none of these. Characters. */
const maxFieldLength = 8192;
/** All notes of a prompt. Characters. */
const maxNotes = 65_536;

/** As in `notesIn` (sessions/notes.ts), which reads what is kept here. */
const noteLine = /(?<![\p{L}\p{N}_])note[ \t]+to[ \t]+pommel[ \t]*[*_]*[ \t]*[:：].*/giu;

/** The JSON object in `text`; null when it is none. */
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

/** What is kept of a hook's stdin; fields of a wrong type are left out. */
export function payloadOf(given: GivenPayload): HookPayload {
  const payload: HookPayload = {};
  for (const field of payloadFields) {
    const value = given[field];
    if (field !== "prompt" && field !== "file_path" && isShortText(value)) payload[field] = value;
  }
  const { file_path: path, notebook_path: notebook } = objectOf(given.tool_input);
  const file = [path, notebook].find(isShortText);
  if (file !== undefined) payload.file_path = file;
  if (typeof given.prompt === "string") {
    const notes = (given.prompt.match(noteLine) ?? []).join("\n").slice(0, maxNotes);
    if (notes !== "") payload.prompt = notes;
  }
  return payload;
}

/** What is no object is an empty one. */
export function objectOf(value: unknown): GivenPayload {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxFieldLength;
}
