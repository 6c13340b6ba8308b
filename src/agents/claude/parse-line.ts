import { asLine, type Line } from "./line-schema.ts";

/** A line of a transcript; null for one that is no JSON object. */
export function parseLine(bytes: Buffer): Line | null {
  // A byte order mark, and NULs that a crash of the system left before the next line that was written.
  const text = bytes.toString("utf8").replace(/^[\uFEFF\0]+/, "");
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? null : asLine(value);
  } catch {
    return null;
  }
}

/** Whether nothing stands in a line. */
export function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte > 32) return false;
  return !bytes.includes(0);
}

/**
 * Whether a last line without a line feed is whole: no beginning of a JSON object is one itself. Transcripts that
 * were copied or cleaned up often lack the last line feed, and the last line is the agent's answer.
 */
export function isWhole(bytes: Buffer): boolean {
  const end = bytes.subarray(-16).toString("latin1").trimEnd();
  return end.endsWith("}") && parseLine(bytes) !== null;
}
