/**
 * How much of what a transcript holds is kept. A memory keeps what was said and done; the output of a build or the
 * content of a file that was read is there to be read again.
 */
export const bounds = {
  /** A line that is longer is skipped without being parsed. Bytes. */
  line: 64 * 1024 * 1024,
  /** What people and agents say. Characters. */
  text: 200_000,
  /** What tools answer: the head and the tail of it. Characters. */
  result: 8_000,
  /** One string of a tool's input; edits and file contents are inputs, and attribution needs them whole. */
  input: 400_000,
} as const;

/** The first two thirds and the last third of what `most` allows, with a mark between; short texts as they are. */
export function headAndTail(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor((most * 2) / 3);
  const tail = most - head;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[... ${left} characters left out ...]\n${text.slice(text.length - tail)}`;
}

/** How many characters a line says were left out in its place, with or without its blanks; null for every other line. */
export function leftOutIn(line: string): number | null {
  const [, count] = /^\[\.\.\. ?(\d+) ?characters ?left ?out ?\.\.\.\]$/.exec(line) ?? [];
  return count === undefined ? null : Number(count);
}

/**
 * Pictures in base64, wherever they stand in a text: as data URLs, or bare, by the bytes that PNG, JPEG, GIF and
 * WebP files begin with.
 */
const pictures =
  /data:image\/[\w.+-]{1,40};base64,[\w+/=-]{16,}|(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/=]{200,}/g;

export const pictureMark = "[image]";

/** A text without pictures, no longer than `most`. */
export function bounded(text: string, most: number = bounds.text): string {
  return headAndTail(text.length < 32 ? text : text.replace(pictures, pictureMark), most);
}

const most = { depth: 8, members: 2000, characters: 4 * bounds.input };

/** A tool's input, each string and all of them together bounded, of what a call can reasonably hold. */
export function boundedInput(input: unknown): Record<string, unknown> {
  if (!isRecord(input)) return {};
  let left = most.characters;

  function bound(value: unknown, depth: number): unknown {
    if (typeof value === "string") {
      const text = bounded(value, Math.min(bounds.input, Math.max(0, left)));
      left -= text.length;
      return text;
    }
    if (typeof value !== "object" || value === null) return value;
    if (depth >= most.depth) return "[...]";
    if (Array.isArray(value)) return value.slice(0, most.members).map((item) => bound(item, depth + 1));
    if (isPicture(value)) return pictureMark;
    const members = Object.entries(value).slice(0, most.members);
    return Object.fromEntries(members.map(([key, member]) => [key.slice(0, 200), bound(member, depth + 1)]));
  }

  return bound(input, 0) as Record<string, unknown>;
}

/** A block that holds a file in base64. */
function isPicture(value: object): boolean {
  return "source" in value && isRecord(value.source) && value.source.type === "base64";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
