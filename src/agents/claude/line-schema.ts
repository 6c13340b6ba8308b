import * as z from "zod/mini";
import {
  anything,
  count,
  flag,
  makeLenientParser,
  orNull,
  type Parsed,
  parseEach,
  parseRecordsOnLine,
  text,
} from "../reading/json.ts";

/** The parsed fields of a transcript's lines. */

const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  /** The same by how long it is kept. */
  cache_creation: orNull(z.object({ ephemeral_1h_input_tokens: count })),
});

const message = z.object({ id: text, model: text, content: anything, usage: orNull(usage) });

const attachment = z.object({ type: text, prompt: anything, commandMode: text });

export const asLine = makeLenientParser(
  z.object({
    type: text,
    subtype: text,
    uuid: text,
    parentUuid: text,
    logicalParentUuid: text,
    sessionId: text,
    agentId: text,
    cwd: text,
    gitBranch: text,
    timestamp: text,
    isSidechain: flag,
    isMeta: flag,
    isCompactSummary: flag,
    promptSource: text,
    entrypoint: text,
    message: orNull(message),
    toolUseResult: anything,
    toolEndsTurn: flag,
    compactMetadata: orNull(z.object({ trigger: text, preTokens: count })),
    attachment: orNull(attachment),
    /** Of system lines and queue operations. */
    content: anything,
    operation: text,
    summary: text,
    leafUuid: text,
    aiTitle: text,
    customTitle: text,
  }),
);
export type ClaudeLine = Parsed<typeof asLine>;

/**
 * A record of a transcript; null if it is none.
 * @param isPart of what a damaged line holds: progress lines repeat other records, without their session
 */
export function asRecord(value: unknown, isPart = false): ClaudeLine | null {
  const line = asLine(value);
  return line && isPart && line.sessionId === null && line.type !== "summary" ? null : line;
}

/** The records on a line; none if it is not JSON. */
export function parseRecords(bytes: Buffer): ClaudeLine[] {
  const { records, damage } = parseRecordsOnLine(bytes);
  return parseEach((value) => asRecord(value, damage !== null), records);
}

const lineNumber = z.catch(z.number(), 0);

export const asHunk = makeLenientParser(
  z.object({
    oldStart: lineNumber,
    oldLines: lineNumber,
    newStart: lineNumber,
    newLines: lineNumber,
    lines: z.array(z.string()),
  }),
);

/** The structured result beside a tool's message; deliberately without the file's earlier content. */
export const asStructured = makeLenientParser(
  z.object({
    agentId: text,
    filePath: text,
    structuredPatch: orNull(z.array(z.unknown())),
    content: anything,
    oldString: text,
    newString: text,
    notebook_path: text,
    new_source: text,
  }),
);
export type Structured = Parsed<typeof asStructured>;

/** What the client keeps beside a subagent's transcript. */
export const asMeta = makeLenientParser(z.object({ agentType: text, description: text, toolUseId: text }));
