import { type HookPayload, payloadFields } from "../protocol/hook-payload.ts";

/**
 * What is kept of what an agent hands to a hook. The conversation itself comes from the transcript, where it is
 * scrubbed before anything is stored; a hook keeps who, where and when, and of a prompt only its notes.
 */

/** Ids, paths and words; what is longer is none of these. Characters. */
const longestField = 8192;
/** All notes of a prompt. Characters. */
const longestNotes = 65_536;

/** As in `notesIn` (sessions/notes.ts), which reads what is kept here. */
const noteLine = /(?<![\p{L}\p{N}_])note[ \t]+to[ \t]+pommel[ \t]*[*_]*[ \t]*[:：].*/giu;

/** The JSON object in `text`; null when it is none. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** As `<` is written `&lt;` in what hooks say, the first closing tag is its end. */
const hookContext = /^\s*<hook_context>[\s\S]*?<\/hook_context>\s*/;

/**
 * A prompt without what hooks said before it: Gemini CLI hands what they added when the session began to the next hook as
 * part of the prompt. It quotes notes, which are no new ones.
 */
export function withoutHookContext(prompt: string): string {
  let words = prompt;
  while (hookContext.test(words)) words = words.replace(hookContext, "");
  return words;
}

/** What is kept of a hook's stdin; fields of a wrong type are left out. */
export function payloadOf(given: Record<string, unknown>): HookPayload {
  const payload: HookPayload = {};
  for (const field of payloadFields) {
    const value = given[field];
    if (field !== "prompt" && field !== "file_path" && isShortText(value)) payload[field] = value;
  }
  const filePath = pathIn(given.tool_input);
  if (filePath !== null) payload.file_path = filePath;
  if (typeof given.prompt === "string") {
    const notes = (given.prompt.match(noteLine) ?? []).join("\n").slice(0, longestNotes);
    if (notes !== "") payload.prompt = notes;
  }
  return payload;
}

function pathIn(toolInput: unknown): string | null {
  if (typeof toolInput !== "object" || toolInput === null) return null;
  const { file_path, notebook_path } = toolInput as Record<string, unknown>;
  if (isShortText(file_path)) return file_path;
  return isShortText(notebook_path) ? notebook_path : null;
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= longestField;
}

/** A prompt that the client wrote itself, when a task in the background ended. */
export function isNotification(given: Record<string, unknown>): boolean {
  return typeof given.prompt === "string" && given.prompt.trimStart().startsWith("<task-notification>");
}
