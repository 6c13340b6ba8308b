import { stripVTControlCharacters } from "node:util";
import type { TranscriptEntry } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { asObject } from "../reading/json.ts";
import { isOwnCommand, withoutOwnContext } from "../reading/own-output.ts";
import { makePromptEntries, makeTextEntries } from "../reading/transcript-lines.ts";
import { asParts, type ChatRecord, type GeminiPart } from "./record-schema.ts";

/**
 * Parses a user message. The client adds to the human's text: hook output (`<hook_context>`, before the prompt or as a
 * separate part; its text has no tags, `<` is written as `&lt;`), the surroundings (`<session_context>`, to subagents
 * `<loaded_context>`), tool results, files named with "@", and the summary of a compressed history.
 */
export function parseUserMessage({
  content,
  displayContent,
}: Pick<ChatRecord, "content" | "displayContent">): TranscriptEntry[] {
  const parts = asParts(content);
  // The displayed content is what the human typed; named files are only in the other one.
  const shown = extractHumanText(asParts(displayContent));
  const { texts, notices } = shown.texts.length + shown.notices.length > 0 ? shown : extractHumanText(parts);
  const images = parts.filter(isImage).length;
  const summary = parseSummary(parts);
  return [
    ...summary,
    ...notices.flatMap((notice) => makeTextEntries("notice", notice, bounds.result)),
    ...makePromptEntries(texts.join("\n"), images),
  ];
}

/** The client's own messages: errors and hints. */
export function parseClientMessage({ content }: ChatRecord): TranscriptEntry[] {
  return makeTextEntries("notice", stripVTControlCharacters(joinPartTexts(asParts(content))), bounds.result);
}

/** The texts of a content, without thoughts. */
export function joinPartTexts(parts: readonly GeminiPart[]): string {
  return parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join("");
}

const snapshot = "<state_snapshot>";

function parseSummary(parts: readonly GeminiPart[]): TranscriptEntry[] {
  const found = parts.find((part) => part.text?.trimStart().startsWith(snapshot));
  if (!found) return [];
  return [
    { kind: "compaction", trigger: null, preTokens: null },
    ...makeTextEntries("summary", withoutOwnContext(found.text!)),
  ];
}

/** Prefixes of the client's own texts; from gemini-cli's `client.ts`. */
const asides = [
  "Here is the user's editor context as a JSON object",
  "Here is a summary of changes in the user's editor context",
  "<system_note>\nThe user has explicitly selected the following agent(s)",
  "This is the Gemini CLI. We are setting up the context for our chat.",
];

function extractHumanText(parts: readonly GeminiPart[]): { texts: string[]; notices: string[] } {
  const texts: string[] = [];
  const notices: string[] = [];
  for (const part of parts) {
    if (part.thought || !part.text) continue;
    const text = withoutContext(part.text);
    if (text === "" || text.startsWith(snapshot) || asides.some((aside) => text.startsWith(aside))) continue;
    const ran = shellMode.exec(text);
    if (ran) notices.push(formatShellNotice(ran));
    else if (text.startsWith("System: ")) notices.push(text);
    else texts.push(text);
  }
  return { texts: withoutFiles(texts.join("\n")), notices };
}

const surroundings = ["session_context", "loaded_context"];

/** Removes the client's context before the human's text. */
function withoutContext(written: string): string {
  let text = withoutOwnContext(written).trim();
  for (;;) {
    const before = text;
    text = stripLeadingTag(text, "hook_context", text.indexOf("</hook_context>"));
    // They contain files, which may include the closing tag.
    for (const tag of surroundings) text = stripLeadingTag(text, tag, text.lastIndexOf(`</${tag}>`));
    if (text === before) return text;
  }
}

function stripLeadingTag(text: string, tag: string, end: number): string {
  if (!text.startsWith(`<${tag}>`)) return text;
  return end === -1 ? "" : text.slice(end + tag.length + 3).trim();
}

/** A tool's result without appended hook output. */
export function withoutHookContext(text: string): string {
  return withoutOwnContext(text).replace(/(?:\s*<hook_context>[^<]*<\/hook_context>)+\s*$/, "");
}

const filesBegin = "--- Content from referenced files ---";
const filesEnd = "--- End of content ---";

/** Files named with "@" follow the prompt in full. */
function withoutFiles(text: string): string[] {
  const start = text.indexOf(filesBegin);
  if (start === -1) return text === "" ? [] : [text];
  const end = text.lastIndexOf(filesEnd);
  const left = text.slice(0, start) + (end > start ? text.slice(end + filesEnd.length) : "");
  return left.trim() === "" ? [] : [left.trim()];
}

/** A command that the human ran with "!". */
const shellMode =
  /^I ran the following shell command:\n```(?:sh)?\n([\s\S]*?)\n```\s*This produced the following result:\n```(?:sh)?\n?([\s\S]*?)\n?```$/;

function formatShellNotice([, command = "", printed = ""]: RegExpExecArray): string {
  return isOwnCommand(command) ? `! ${command}` : `! ${command}\n${stripVTControlCharacters(printed)}`.trim();
}

function isImage({ inlineData, fileData }: GeminiPart): boolean {
  return [inlineData, fileData].some((data) => /^image\//.test(String(asObject(data).mimeType)));
}
