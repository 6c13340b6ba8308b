import { createHash } from "node:crypto";
import { PommelError } from "../../../base/errors.ts";
import { charactersOfToken } from "../../../base/text/text-size.ts";

/** How much of an answer is given at a time. Only its text counts: nothing else reaches a model. */

/** Characters of an answer of so many tokens. */
export const computeItemRoom = (maxTokens: number): number => maxTokens * charactersOfToken - 100;

/** As many as there is room for, from the first on; of the first always something. */
export function fitLines(lines: readonly string[], room: number): string[] {
  const shown: string[] = [];
  let used = 0;
  for (const line of lines) {
    const size = line.length + 1;
    if (shown.length > 0 && used + size > room) break;
    shown.push(shown.length === 0 && size > room ? `${line.slice(0, Math.max(room - 1, 40))}…` : line);
    used += size;
  }
  return shown;
}

/** What names a call, apart from how much of its answer is wanted. */
type Call = Readonly<Record<string, unknown>>;

/** Where to go on in the answer of a call. */
export function makeCursor(tool: string, call: Call, offset: number): string {
  return `${offset.toString(36)}-${hashCall(tool, call)}`;
}

/**
 * How far a cursor says that the answer was given; 0 without one.
 * @throws PommelError `usage` for what is no cursor, or one of another call
 */
export function readCursorOffset(tool: string, call: Call, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, offset, key] = /^([0-9a-z]{1,7})-([0-9a-f]{10})$/.exec(cursor) ?? [];
  if (offset !== undefined && key === hashCall(tool, call)) return Number.parseInt(offset, 36);
  throw new PommelError(
    "usage",
    "This cursor does not belong to this call.",
    "Repeat the original call with the same arguments plus the cursor, or omit the cursor.",
  );
}

function hashCall(tool: string, { cursor: _, max_tokens: __, limit: ___, ...call }: Call): string {
  const named = Object.entries(call)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([tool, named]))
    .digest("hex")
    .slice(0, 10);
}
