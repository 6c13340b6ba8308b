import { charactersOfToken } from "../base/text/text-size.ts";

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
