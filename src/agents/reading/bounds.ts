/**
 * Limits on stored transcript content. Messages and actions are kept; build output and file contents can be produced
 * again.
 */
export const bounds = {
  /** Longer lines are skipped without parsing. Bytes. */
  line: 64 * 1024 * 1024,
  /** Messages. Characters. */
  text: 200_000,
  /** Tool results: their head and tail. Characters. */
  result: 8_000,
  /** One string of a tool's input; edits and file contents are inputs, and attribution needs them whole. */
  input: 400_000,
} as const;

/** Cuts a text to `max` characters: the first two thirds and the last third, with a mark between. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.floor((max * 2) / 3);
  const tail = max - head;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[... ${left} characters left out ...]\n${text.slice(text.length - tail)}`;
}

/** The number of characters that a mark's line stands for; null for other lines. */
export function parseLeftOutMark(line: string): number | null {
  const [, count] = /^\[\.\.\. ?(\d+) ?characters ?left ?out ?\.\.\.\]$/.exec(line) ?? [];
  return count === undefined ? null : Number(count);
}

/** Base64 images in a text: as data URLs, or bare, by the bytes that PNG, JPEG, GIF and WebP files begin with. */
const pictures =
  /data:image\/[\w.+-]{1,40};base64,[\w+/=-]{16,}|(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/=]{200,}/g;

export const pictureMark = "[image]";

/** A text without images, cut to `max` characters. */
export function boundText(text: string, max: number = bounds.text): string {
  return cutMiddle(text.length < 32 ? text : text.replace(pictures, pictureMark), max);
}

const max = { depth: 8, members: 2000, characters: 4 * bounds.input };

/** A tool's input with limits on each string, on all of them together, and on depth. */
export function boundInput(input: unknown): Record<string, unknown> {
  if (!isRecord(input)) return {};
  let left = max.characters;

  function boundValue(value: unknown, depth: number): unknown {
    if (typeof value === "string") {
      const text = boundText(value, Math.min(bounds.input, Math.max(0, left)));
      left -= text.length;
      return text;
    }
    if (typeof value !== "object" || value === null) return value;
    if (depth >= max.depth) return "[...]";
    if (Array.isArray(value)) return value.slice(0, max.members).map((item) => boundValue(item, depth + 1));
    if (isPicture(value)) return pictureMark;
    const members = Object.entries(value).slice(0, max.members);
    return Object.fromEntries(
      members.map(([key, member]) => [key.slice(0, 200), boundValue(member, depth + 1)]),
    );
  }

  return boundValue(input, 0) as Record<string, unknown>;
}

/** A block with a base64 file. */
function isPicture(value: object): boolean {
  return "source" in value && isRecord(value.source) && value.source.type === "base64";
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
