import type { BlameRange } from "../operation.ts";

export const colourings = [
  ["author", "By author"],
  ["session", "By session"],
  ["age", "By age"],
] as const;
export type Colouring = (typeof colourings)[number][0];

/** A hue for a session that is always the same, from its id (FNV-1a). Degrees. */
export function computeSessionHue(id: string): number {
  let hash = 0x811c9dc5;
  for (const character of id) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return (hash >>> 0) % 360;
}

/** The colour of lines in the margin; null: the author's own, from the style sheet. */
export function chooseLineColour(
  range: BlameRange,
  by: Colouring,
  oldest: number,
  newest: number,
): string | null {
  if (by === "author") return null;
  if (by === "session") {
    return range.session_id === null
      ? "var(--border-strong)"
      : `light-dark(hsl(${computeSessionHue(range.session_id)} 60% 48%), hsl(${computeSessionHue(range.session_id)} 65% 62%))`;
  }
  if (range.authored_at === null) return "var(--accent)";
  const share = newest === oldest ? 1 : (Date.parse(range.authored_at) - oldest) / (newest - oldest);
  return `color-mix(in oklab, var(--accent) ${Math.round(8 + 92 * share)}%, var(--border))`;
}

/** The first and the last time that lines were written. Milliseconds since 1970. */
export function findTimeRange(ranges: readonly BlameRange[]): { oldest: number; newest: number } {
  const times = ranges.flatMap(({ authored_at }) => (authored_at === null ? [] : [Date.parse(authored_at)]));
  return times.reduce(
    ({ oldest, newest }, time) => ({ oldest: Math.min(oldest, time), newest: Math.max(newest, time) }),
    { oldest: Number.POSITIVE_INFINITY, newest: Number.NEGATIVE_INFINITY },
  );
}
