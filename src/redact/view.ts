import { isHash, isLikelyRandom, isLikelyWords } from "./checks/randomness.ts";
import { placeholders, type SecretSpan, stopper } from "./patterns/rule.ts";

/** A part of a text that the search reads in another way. */
export interface Rewritten {
  start: number;
  end: number;
  /** What the search sees instead. */
  instead: string;
}

/** A text as the search sees it, and the way back. */
export interface SearchableText {
  text: string;
  /** The place in the original text: of every character that a match has a part of. */
  mapToOriginal(start: number, end: number): { start: number; end: number };
}

/** Terminal escapes, in bytes or as JSON and source code write them, and characters without a width. */
const invisible =
  /\u001b\[[0-9;?]{0,30}[A-Za-z]|\u001b\][0-9;]{0,20}|\u0007|\u001b\\|[\u00ad\u200b-\u200d\u2060\ufeff]|\\{1,2}(?:u001b|x1b|033|e)\[[0-9;]{0,30}m/gi;
/** UTF-16 that was read as if each byte were a character. */
const everySecond = /(?<=[\t\n\r\x20-\x7e])\u0000(?=[\t\n\r\x20-\x7e]\u0000|[\x20-\x7e]?$)/g;
/** The numbers that agents print before the lines of a file. */
const lineNumber = /^[ \t]{0,8}[0-9]{1,6}[\u2192\t]/gm;
const isNumbered = /^[ \t]{0,8}[0-9]{1,6}[\u2192\t]/;
/** Blanks and line breaks other than those of ASCII, and the small, wide and mathematical forms of its signs. */
const unusual =
  /[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufe50-\ufe6b\uff01-\uff5e]|\ud835[\udc00-\udfff]/g;
/** Whether a text has any of them, or is to be searched for `invisible`. */
const special =
  /[\0\u001b\u0085\u00a0\u00ad\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufe50-\ufe6b\ufeff\uff01-\uff5e\ud835]/;
const writtenEscapes = ["\\u001b[", "\\u001B[", "\\x1b[", "\\x1B[", "\\033[", "\\e["];
/** How a note begins; what follows is read as if it stood alone. */
const noteLead = /^ {0,3}note[ \t]+to[ \t]+pommel[ \t]{0,3}:[ \t]*/gim;
/** What a diff puts before a line, but not the dashes around a key. */
const diffMark = /^(?:\+|-(?!----(?:BEGIN|END)))/gm;
/** The lines of a change, below the line that says where it is. */
const hunk = /^@@ [^\n]*\n((?:[ +\\-][^\n]*(?:\n|$))+)/gm;

/** Placeholders, which are no secrets, and what is not part of the text itself or only looks different. */
export function findRewrittenParts(text: string): Rewritten[] {
  const rewritten: Rewritten[] = [];
  if (isDiff(text)) rewrite(rewritten, text, diffMark);
  else if (text.includes("@@ -")) {
    for (const { 0: found, 1: lines = "", index } of text.matchAll(hunk))
      rewrite(rewritten, lines, diffMark, hide, index + found.length - lines.length);
  }
  if (isNumbered.test(text)) rewrite(rewritten, text, lineNumber);
  if (/pommel/i.test(text)) rewrite(rewritten, text, noteLead);
  // Most texts are ASCII, which is quicker to find out.
  const isSpecial = Buffer.byteLength(text) === text.length ? /[\0\u001b]/.test(text) : special.test(text);
  if (isSpecial || (text.includes("\\") && writtenEscapes.some((written) => text.includes(written))))
    rewrite(rewritten, text, invisible);
  if (isSpecial) {
    rewrite(rewritten, text, unusual, toPlainForm);
    rewrite(rewritten, text, everySecond);
  }
  if (text.includes("[REDACTED_")) rewrite(rewritten, text, placeholders, () => stopper);
  return rewritten;
}

const hide = () => "";
const toPlainForm = (found: string) =>
  /[\u0085\u2028\u2029]/.test(found) ? "\n" : found.normalize("NFKC")[0]!;

/** Adds what a pattern finds in a text, which begins at `from`. */
function rewrite(
  rewritten: Rewritten[],
  text: string,
  pattern: RegExp,
  read: (found: string) => string = hide,
  from = 0,
): void {
  for (const { 0: found, index } of text.matchAll(pattern))
    rewritten.push({ start: from + index, end: from + index + found.length, instead: read(found) });
}

/** Whether every line of a text, or of its beginning, has the mark of a diff. */
function isDiff(text: string): boolean {
  if (!/^(?:[+ @-]|diff )/.test(text) || !/^[+-]/m.test(text)) return false;
  return text
    .split("\n", 20)
    .every((line) => /^(?:[+ @\\-]|$|(?:diff|index|new|old|deleted|rename|similarity) )/.test(line));
}

/** Replaces the rewritten parts, which may contain each other but not overlap otherwise. */
export function buildTextView(text: string, rewritten: readonly Rewritten[]): SearchableText {
  if (rewritten.length === 0) return { text, mapToOriginal: (start, end) => ({ start, end }) };
  const parts: Rewritten[] = [];
  let seen = "";
  let at = 0;
  for (const part of rewritten.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (part.end <= at) continue;
    seen += text.slice(at, part.start) + part.instead;
    parts.push(part);
    at = part.end;
  }
  // Few texts have anything to be found.
  let places: { from: number; to: number }[] | undefined;
  return {
    text: seen + text.slice(at),
    mapToOriginal(start, end) {
      places ??= computePlaces(parts);
      const [first, last] = [findLastBefore(places, start), findLastBefore(places, end - 1)];
      return {
        start: toOriginal(start, parts[first], places[first], "start"),
        // What is hidden after the last character stays.
        end: toOriginal(end - 1, parts[last], places[last], "end"),
      };
    },
  };
}

/** Where the parts are in the view. */
function computePlaces(parts: readonly Rewritten[]): { from: number; to: number }[] {
  let longer = 0;
  return parts.map(({ start, end, instead }) => {
    const from = start + longer;
    longer += instead.length - (end - start);
    return { from, to: from + instead.length };
  });
}

/** The last part that begins at a position or before it; -1 without one. */
function findLastBefore(places: readonly { from: number }[], position: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]!.from <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Where a character of the view starts or ends in the original text. */
function toOriginal(
  position: number,
  part: Rewritten | undefined,
  place: { to: number } | undefined,
  bound: "start" | "end",
): number {
  if (part !== undefined && position < place!.to) return part[bound];
  const same = part === undefined ? position : position + part.end - place!.to;
  return bound === "start" ? same : same + 1;
}

/**
 * A line break within a token: of a terminal or a mail program, escaped in JSON, or between parts of a string that code
 * joins. Frames and marks of quotation around it belong to it.
 */
const lineBreak =
  /[ \t]{0,40}(?:[│┃|][ \t]{0,40})?(?:["'][ \t]{0,4}[+.\\]?[ \t]{0,4}\r?\n[ \t]{0,40}["']|["'][ \t]{0,4}[+.][ \t]{0,4}["']|["'][ \t]{1,4}["']|=?\\?\r?\n|(?:\\{1,2}r)?\\{1,2}n)[ \t]{0,40}(?:[│┃|>#*][ \t]{0,40}){0,3}/y;
/** Between the parts of a list that code joins. */
const comma = /["'][ \t]{0,4},[ \t]{0,4}["']/y;
const piece = /[A-Za-z0-9_\-.+/=~]{1,400}/y;

/** A token has at most so many lines. */
const maxLines = 20;

function matchAt(pattern: RegExp, text: string, position: number): string | null {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? null;
}

/** A line's part of a token, without the "=" that marks a soft line break in mail. */
function matchPieceAt(text: string, position: number): string | null {
  const found = matchAt(piece, text, position);
  return found !== null &&
    /^=\r?\n/.test(text.slice(position + found.length - 1, position + found.length + 2))
    ? found.slice(0, -1)
    : found;
}

/**
 * Where a secret ends that goes on in the next lines: they hold nothing but random letters. `end` if it does not.
 */
export function endOfWrapped(text: string, start: number, end: number): number {
  const secret = text.slice(start, Math.min(end, start + 400));
  if (secret.length < 16 || /\s/.test(secret) || isLikelyWords(secret)) return end;
  if (beginsUuid.test(secret)) return endOfUuid(text, start, end);
  const isHex = /^[0-9a-f]+$/i.test(secret);
  for (let line = 1; line < maxLines; line++) {
    const gap = matchAt(lineBreak, text, end);
    const next = gap === null ? null : matchAt(piece, text, end + gap.length);
    if (gap === null || next === null || next.length < 8) return end;
    const after = end + gap.length + next.length;
    if (!/^(?:$|[ \t]*(?:[\r\n"'`,;)}│┃|]|\\[nr"]))/.test(text.slice(after, after + 40))) return end;
    if (isLikelyWords(next) || !/[A-Za-z]/.test(next)) return end;
    if (!/[0-9]/.test(next) && !isLikelyRandom(next)) return end;
    if (!isHex && (isHash(next) || /^[0-9a-f-]+$/i.test(next))) return end;
    if (/^[A-Za-z_][A-Za-z0-9_.-]*=[^=]/.test(next)) return end;
    end = after;
  }
  return end;
}

const beginsUuid = /^[0-9a-f]{8}-[0-9a-f-]{7,26}$/i;
const wholeUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where a UUID ends of which the first line ends at `end`; `end` when its lines do not make one. */
function endOfUuid(text: string, start: number, end: number): number {
  let joined = text.slice(start, end);
  let read = end;
  while (joined.length < 36) {
    const gap = matchAt(lineBreak, text, read);
    const next = gap === null ? null : matchAt(piece, text, read + gap.length);
    if (gap === null || next === null) return end;
    joined += next;
    read += gap.length + next.length;
  }
  return wholeUuid.test(joined) ? read : end;
}

/**
 * Tries a pattern on a token whose lines are joined, at the token's start.
 * @returns the span in the text if it goes past the first line; null otherwise
 */
export function matchAcrossLines(
  text: string,
  start: number,
  match: (text: string, start: number) => SecretSpan | null,
  /** Whether the first line is a token of its own: then the next must look random to be part of it. */
  isWhole: boolean,
): SecretSpan | null {
  const first = matchPieceAt(text, start);
  if (first === null || first.length < 4) return null;
  const pieces = [{ joinedEnd: first.length, end: start + first.length }];
  let joined = first;
  let end = start + first.length;
  while (pieces.length < maxLines) {
    const gap = matchAt(lineBreak, text, end) ?? matchAt(comma, text, end);
    const next = gap === null ? null : matchPieceAt(text, end + gap.length);
    if (gap === null || next === null) break;
    joined += next;
    end += gap.length + next.length;
    pieces.push({ joinedEnd: joined.length, end });
  }
  if (pieces.length === 1) return null;
  const before = text[start - 1] ?? " ";
  const span = match(before + joined, 1);
  const length = span === null ? 0 : span.end - 1;
  if (span === null || span.start !== 1 || length <= first.length) return null;
  const last = pieces.find(({ joinedEnd }) => length <= joinedEnd)!;
  const rest = joined.slice(first.length, length);
  if (rest.length < 4 || (isWhole && isLikelyWords(rest)) || rest.includes(stopper)) return null;
  const stop = last.end - (last.joinedEnd - length);
  return { start, end: stop, next: stop };
}
