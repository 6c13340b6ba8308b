import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { bounds } from "../reading/bounds.ts";
import { isWholeJson, known, parseJsonLine } from "../reading/json.ts";
import { readLines } from "../reading/read-lines.ts";
import { asRecord, type ChatRecord } from "./record-schema.ts";

/** How much of a chat is read for its identity. Bytes. */
const beginning = 1024 * 1024;

export interface Head {
  /** The first metadata record. */
  metadata: ChatRecord;
  /** The first messages, unparsed. */
  text: string;
}

/** Whether a chat is a single object, rewritten for every message. */
export function isOneObject(path: string): boolean {
  return /^session-.*\.json$/.test(basename(path));
}

/** Whether a record identifies the file's session. */
export function isMetadata(record: ChatRecord): boolean {
  // Other agents' lines also have a session.
  const isOurs = known(record.projectHash) !== null || known(record.kind) !== null;
  return known(record.sessionId) !== null && known(record.type) === null && isOurs;
}

/** The beginning of a chat; null when its identity is missing (yet). */
export async function headOf(file: string, signal?: AbortSignal): Promise<Head | null> {
  return isOneObject(file) ? headOfObject(file) : headOfLines(file, signal);
}

async function headOfLines(file: string, signal?: AbortSignal): Promise<Head | null> {
  let metadata: ChatRecord | null = null;
  let text = "";
  const options = { batch: 64 * 1024, longest: beginning, end: beginning, isWhole: isWholeJson, signal };
  for await (const { lines } of readLines(file, null, options)) {
    for (const { bytes } of lines) {
      const record: ChatRecord | null = metadata ? null : asRecord(parseJsonLine(bytes));
      if (record && isMetadata(record)) metadata = record;
      if (metadata) text += `${bytes.toString("utf8")}\n`;
    }
    if (metadata) return { metadata, text };
  }
  return null;
}

/** For an old chat, one object: the part before its messages, or all of it if that is empty. */
async function headOfObject(file: string): Promise<Head | null> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(beginning, size)), 0, null, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    const at = text.indexOf('"messages"');
    const before =
      at === -1 ? null : parseJsonLine(Buffer.from(`${text.slice(0, at).replace(/,\s*$/, "")}}`));
    const metadata = asRecord(before ?? (size <= bounds.line ? parseJsonLine(await readFile(file)) : null));
    return metadata && isMetadata(metadata) ? { metadata, text } : null;
  } finally {
    await handle.close();
  }
}
