/** Lines of transcripts that are JSON objects, as most agents write them. */

/** The object that a line holds; null for one that is no JSON object. */
export function parseJsonLine(bytes: Buffer): Record<string, unknown> | null {
  // A byte order mark, and NULs that a crash of the system left before the next line that was written.
  const text = bytes.toString("utf8").replace(/^[\uFEFF\0]+/, "");
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
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
export function isWholeJson(bytes: Buffer): boolean {
  const end = bytes.subarray(-16).toString("latin1").trimEnd();
  return end.endsWith("}") && parseJsonLine(bytes) !== null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
