import { blankSection, isOwnFile } from "../../project/files/own-text.ts";

/**
 * What Pommel put into a project's files is no code of the project, and would be found by every question about searching
 * and sessions. It is told by what it says, so that it is left out in every checkout.
 */

/** Settings of agents, wherever agents run. */
const agentSettings =
  /(?:^|\/)(?:\.claude\/settings(?:\.local)?\.json|\.mcp\.json|\.codex\/(?:hooks\.json|config\.toml)|\.gemini\/settings\.json)$/;
const ours = /\bpommel\b|\bpm hook /;

/** A file's text as it is indexed, line by line where it was; null where nothing of it is. */
export function withoutOwnText(path: string, text: string): string | null {
  if (agentSettings.test(path)) return ours.test(text) ? null : text;
  if (!path.endsWith(".md")) return text;
  if (isOwnFile(text)) return null;
  const rest = blankSection(text);
  return rest !== text && rest.trim() === "" ? null : rest;
}
