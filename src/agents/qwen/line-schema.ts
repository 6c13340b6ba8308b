import * as z from "zod/mini";
import { anything, count, flag, orNothing, orNull, text } from "../reading/json.ts";

/** The parsed fields of a chat's lines: Claude Code's tree, with Gemini CLI's messages. */

const usage = z.object({
  promptTokenCount: count,
  cachedContentTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
});

const callResult = z.object({ callId: text, status: text, resultDisplay: anything });

/** Of system lines, and of prompts. */
const payload = z.object({
  /** What the human typed. */
  displayText: text,
  customTitle: text,
  info: orNull(z.object({ originalTokenCount: count })),
  compressedHistory: anything,
});

const line = z.object({
  type: text,
  subtype: text,
  uuid: text,
  parentUuid: text,
  sessionId: text,
  agentId: text,
  agentName: text,
  cwd: text,
  gitBranch: text,
  timestamp: text,
  /** Who wrote it: "real_user", or the client; missing in older chats. */
  provenance: text,
  isSidechain: flag,
  model: text,
  message: orNull(z.object({ parts: anything })),
  usageMetadata: orNull(usage),
  toolCallResult: orNull(callResult),
  systemPayload: orNull(payload),
});

export type Line = z.infer<typeof line>;

const content = z.object({ role: text, parts: anything });

export const asLine = (value: unknown) => orNothing(line, value);
export const asContent = (value: unknown) => orNothing(content, value);
