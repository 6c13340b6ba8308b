import { call } from "../client/call.ts";
import type { BlameRange } from "../protocol/operations/blame.ts";
import type { Place } from "./places.ts";

/** Who wrote consecutive lines of a document as it is in the editor; lines typed since it was saved have no author. */
export interface AuthoredLines extends BlameRange {
  /** Lines of the document, inclusive, from 0 as the protocol counts. */
  start: number;
  end: number;
}

export async function authorsOf(
  { project, file, lines }: Place,
  signal?: AbortSignal,
): Promise<AuthoredLines[]> {
  const { ranges } = await call("blame", { file }, project, { signal });
  return ranges.flatMap((range) => {
    const pieces: AuthoredLines[] = [];
    for (let saved = range.first_line; saved <= range.last_line; saved++) {
      const line = lines.fromSaved(saved);
      if (line === null) continue;
      const last = pieces.at(-1);
      if (last?.end === line - 2) last.end = line - 1;
      else pieces.push({ ...range, start: line - 1, end: line - 1 });
    }
    return pieces;
  });
}
