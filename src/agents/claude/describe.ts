import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import * as z from "zod/mini";
import type { TranscriptInfo } from "../agent.ts";
import { known, timeOf } from "../reading/fields.ts";
import { isWholeJson } from "../reading/json-lines.ts";
import { readLines } from "../reading/read-lines.ts";
import { type Line, parseLine } from "./line-schema.ts";

/** How much of a transcript is read to learn whose it is. Bytes. */
const beginning = 4 * 1024 * 1024;

/** The identity of a transcript, and of the subagent that wrote it, if one did. */
export interface Identity {
  info: TranscriptInfo;
  agentId: string | null;
}

/**
 * Whose transcript a file is: by its first line that says both which session it belongs to and where that runs. A
 * session that goes on from another one may begin with lines of that one; then the file's name decides between the
 * ids in it.
 * @returns null when no line says it (yet)
 */
export async function identify(file: string, signal?: AbortSignal): Promise<Identity | null> {
  let first: Line | null = null;
  let startedAt: number | null = null;
  const options = { batch: 64 * 1024, longest: beginning, end: beginning, isWhole: isWholeJson, signal };
  for await (const { lines } of readLines(file, null, options)) {
    for (const { bytes } of lines) {
      const line = parseLine(bytes);
      if (line === null || !known(line.sessionId)) continue;
      startedAt ??= timeOf(line.timestamp);
      if (!known(line.cwd)) continue;
      if (basename(file).includes(line.sessionId!) || isSubagent(line))
        return identity(file, line, startedAt);
      first ??= line;
    }
  }
  return first && identity(file, first, startedAt);
}

function isSubagent(line: Line): boolean {
  return line.isSidechain === true && known(line.agentId) !== null;
}

async function identity(file: string, line: Line, startedAt: number | null): Promise<Identity> {
  const session = line.sessionId!;
  const cwd = line.cwd!;
  if (!isSubagent(line)) return { info: { session, parent: null, cwd, startedAt }, agentId: null };
  const meta = await readMeta(file);
  const parent = {
    session,
    toolUse: known(meta.toolUseId),
    agentType: known(meta.agentType),
    task: known(meta.description)?.slice(0, 1000) ?? null,
  };
  return { info: { session: `${session}/${line.agentId}`, parent, cwd, startedAt }, agentId: line.agentId! };
}

const text = z.catch(z.nullable(z.optional(z.string())), null);
const meta = z.object({ agentType: text, description: text, toolUseId: text });

/** What the client keeps beside a subagent's transcript. */
async function readMeta(file: string): Promise<z.infer<typeof meta>> {
  try {
    const content = await readFile(file.replace(/\.jsonl$/, ".meta.json"), "utf8");
    return z.parse(meta, JSON.parse(content));
  } catch {
    return { agentType: null, description: null, toolUseId: null };
  }
}
