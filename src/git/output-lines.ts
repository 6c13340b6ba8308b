const lineFeed = 10;

/**
 * The lines of a program's output, in batches as they arrive; invalid UTF-8 becomes U+FFFD. Lines are cut to `longest`
 * bytes plus one.
 */
export async function* splitLines(
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
      // A line within one chunk is shorter than any bound.
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

/**
 * Decodes a path as git prints it without `-z`: quoted like a C string if it has special characters, plain otherwise.
 */
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
