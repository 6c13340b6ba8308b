import type { Usage } from "../../src/agents/agent.ts";

/** A line as it is in the file. */
export type RawLine = Record<string, unknown>;

export interface TranscriptOptions {
  session?: string;
  cwd?: string;
  branch?: string;
  /** When the first line was written; every line takes a second. */
  start?: string;
  model?: string;
  /** Makes it a subagent's transcript: its lines are a side chain of `session`. */
  agentId?: string;
}

export interface ResultOptions {
  isError?: boolean;
  /** The structured result beside the message. */
  structured?: unknown;
}

export interface ReplyOptions {
  thinking?: string;
  usage?: Partial<Usage>;
  model?: string;
}

/** Pieces of the lines that `transcript-fixture.ts` writes, in the shapes of the real client. */

export const summaryPreface =
  "This session is being continued from a previous conversation that ran out of context. " +
  "The summary below covers the earlier portion of the conversation.";

export function message(id: string, model: string, block: unknown, usage: Partial<Usage>) {
  return {
    model,
    id,
    type: "message",
    role: "assistant",
    content: [block],
    stop_reason: null,
    usage: {
      input_tokens: usage.input ?? 10,
      cache_creation_input_tokens: usage.cacheWrite ?? 200,
      cache_creation: { ephemeral_1h_input_tokens: usage.cacheWriteHour ?? 0 },
      cache_read_input_tokens: usage.cacheRead ?? 3000,
      output_tokens: usage.output ?? 40,
      service_tier: "standard",
    },
  };
}

export function command(name: string, args: string): string {
  return (
    `<command-name>${name}</command-name>\n            <command-message>${name.slice(1)}</command-message>\n` +
    `            <command-args>${args}</command-args>`
  );
}

export function image(data: string) {
  return { type: "image", source: { type: "base64", media_type: "image/png", data } };
}

export function readResult(filePath: string, content: string) {
  const lines = content.split("\n").length;
  return { type: "text", file: { filePath, content, numLines: lines, startLine: 1, totalLines: lines } };
}

export function editResult(filePath: string, oldString: string, newString: string, at: number) {
  const before = oldString.split("\n");
  const after = newString.split("\n");
  const hunk = {
    oldStart: at,
    oldLines: before.length,
    newStart: at,
    newLines: after.length,
    lines: [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)],
  };
  return {
    filePath,
    oldString,
    newString,
    originalFile: `${oldString}\n`,
    structuredPatch: [hunk],
    userModified: false,
    replaceAll: false,
  };
}
