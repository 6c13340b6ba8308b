const lineFeed = 10;

/**
 * The lines of what a program writes, as many at once as have come; bytes that are no UTF-8 are U+FFFD. Of a line longer
 * than `longest` bytes only so many are kept, and one more.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  longest = Number.POSITIVE_INFINITY,
): AsyncGenerator<string[], void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer) => {
    const room = longest + 1 - length;
    if (part.length === 0 || room <= 0) return;
    parts.push(part.length > room ? part.subarray(0, room) : part);
    length += Math.min(part.length, room);
  };
  const take = () => {
    const line = parts.length === 1 ? parts[0]!.toString() : Buffer.concat(parts).toString();
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    const last = chunk.lastIndexOf(lineFeed);
    if (last === -1) {
      keep(chunk);
      continue;
    }
    const first = chunk.indexOf(lineFeed);
    keep(chunk.subarray(0, first));
    const lines = [take()];
    if (last > first) {
      // A line that lies in one chunk is shorter than any bound.
      for (const line of chunk.toString("utf8", first + 1, last).split("\n")) lines.push(line);
    }
    keep(chunk.subarray(last + 1));
    yield lines;
  }
  if (length > 0) yield [take()];
}

const escapes: Record<string, number> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  "\\": 92,
};

/** A path as git prints it without `-z`: in quotes like a string of C if anything in it is odd, as it is otherwise. */
export function unquotePath(text: string): string {
  if (!text.startsWith('"')) return text;
  const bytes: number[] = [];
  const inside = text.slice(1, text.endsWith('"') && text.length > 1 ? -1 : undefined);
  for (const [all, octal, escaped] of inside.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 255);
    else if (escaped !== undefined) bytes.push(escapes[escaped] ?? escaped.charCodeAt(0));
    else bytes.push(...Buffer.from(all));
  }
  return Buffer.from(bytes).toString();
}
