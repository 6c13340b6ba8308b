import { jsonText, parseJsonLine } from "./json.ts";

/** What a line that is damaged still gave. */
export interface LineDamage {
  /** Records that were read from it. */
  saved: number;
  /** Whether something of it was not. */
  isLost: boolean;
}

/**
 * The records on a line: one. Writers that race leave several, and of some the beginning only; so does a client that was
 * killed and goes on behind what it had not finished.
 * @param damage null where the line is as it should be
 */
export function recordsOnLine(bytes: Buffer): {
  records: Record<string, unknown>[];
  damage: LineDamage | null;
} {
  const whole = parseJsonLine(bytes);
  if (whole !== null) return { records: [whole], damage: null };
  const text = jsonText(bytes);
  const records: Record<string, unknown>[] = [];
  let rest = text.length;
  for (const { start, end } of objectsIn(text)) {
    const record = parseJsonLine(Buffer.from(text.slice(start, end)));
    if (record === null) continue;
    records.push(record);
    rest -= end - start;
  }
  return { records, damage: { saved: records.length, isLost: text.trim() !== "" && rest > 0 } };
}

/** Where a record may begin: within a text, `{"` is written `{\"`. */
const recordStart = /\{"[\w$-]+":/g;

interface Span {
  start: number;
  end: number;
}

/**
 * The objects in a text that are whole, without those within others of them, and without those within one that is cut. In one
 * pass: what was cut within a text swallows the beginning of what follows, which shows at once, and reading goes on there.
 */
function objectsIn(text: string): Span[] {
  const found: Span[] = [];
  let lastText = -1;
  for (let from = nextStart(text, 0); from !== null; from = nextStart(text, Math.max(lastText, from) + 1)) {
    const open: number[] = [];
    let at = from;
    while (at < text.length) {
      const isText = text[at] === '"';
      if (isText) lastText = at;
      const end = isText ? endOfText(text, at) : endOfToken(text, at);
      if (end === null) break;
      if (text[at] === "{") open.push(at);
      const start = text[at] === "}" ? open.pop() : undefined;
      if (start !== undefined) {
        while (found.length > 0 && found.at(-1)!.start > start) found.pop();
        found.push({ start, end });
      }
      at = end;
    }
    if (at >= text.length) break;
  }
  const isWithin = ({ start, end }: Span) =>
    /[:,[]\s?$/.test(text.slice(Math.max(0, start - 2), start)) &&
    /^\s?[,}\]]/.test(text.slice(end, end + 2));
  return found.filter((span) => !isWithin(span));
}

function nextStart(text: string, from: number): number | null {
  recordStart.lastIndex = from;
  return recordStart.exec(text)?.index ?? null;
}

/** What stands between texts in JSON. */
const token = /[{}]|[\s,:[\]]+|-?\d[\d.eE+-]*|true|false|null/y;

function endOfToken(text: string, at: number): number | null {
  token.lastIndex = at;
  return token.test(text) ? token.lastIndex : null;
}

function endOfText(text: string, start: number): number | null {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return null;
}
