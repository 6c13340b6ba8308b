import * as z from "zod/mini";
import {
  anything,
  count,
  flag,
  makeLenientParser,
  orNull,
  type Parsed,
  parseEach,
  text,
} from "../reading/json.ts";

/** The parsed fields of a chat's records. */

const tokens = z.object({ input: count, output: count, cached: count, thoughts: count, tool: count });

/** A line of a chat, or an old chat's one object: metadata, a message, or a change of either. */
export const asRecord = makeLenientParser(
  z.object({
    sessionId: text,
    projectHash: text,
    startTime: text,
    kind: text,
    directories: anything,
    summary: text,
    /** Only in old chats. */
    messages: anything,
    id: text,
    timestamp: text,
    type: text,
    content: anything,
    /** Displayed instead of `content`. */
    displayContent: anything,
    thoughts: anything,
    tokens: orNull(tokens),
    model: text,
    toolCalls: anything,
    $set: orNull(z.object({ messages: anything, summary: text })),
    $rewindTo: text,
  }),
);
export type ChatRecord = Parsed<typeof asRecord>;

const asPart = makeLenientParser(
  z.object({
    text,
    thought: flag,
    inlineData: anything,
    fileData: anything,
    functionCall: orNull(z.object({ id: text, name: text, args: anything })),
    functionResponse: orNull(z.object({ id: text, response: anything })),
  }),
);
export type GeminiPart = Parsed<typeof asPart>;

/** The parts of a content; a string is one part of text. Skips invalid parts. */
export function asParts(content: unknown): GeminiPart[] {
  if (typeof content === "string") return parseEach(asPart, [{ text: content }]);
  return parseEach(asPart, Array.isArray(content) ? content : [content]);
}

export const asCall = makeLenientParser(
  z.object({
    id: text,
    name: text,
    displayName: text,
    args: anything,
    result: anything,
    status: text,
    timestamp: text,
    resultDisplay: anything,
    agentId: text,
  }),
);
export type GeminiCall = Parsed<typeof asCall>;
export const noCall: GeminiCall = asCall({})!;

/** An edit's display; deliberately without the file's earlier content. */
export const asDisplay = makeLenientParser(
  z.object({
    fileDiff: text,
    filePath: text,
    newContent: text,
    isNewFile: flag,
    diffStat: orNull(z.object({ user_added_lines: count, user_removed_lines: count })),
  }),
);
export type Display = Parsed<typeof asDisplay>;

export const asThought = makeLenientParser(z.object({ subject: text, description: text }));
export const asResponse = makeLenientParser(z.object({ output: anything, error: anything }));
