import { placeholders, stopper } from "./patterns/rule.ts";

/** A part of a text that the search does not see. */
export interface Hidden {
  start: number;
  end: number;
  /** What the search sees instead. */
  instead: string;
}

/** A text as the search sees it, and the way back. */
export interface View {
  text: string;
  /** The place in the original text. Call it with ascending places that do not overlap. */
  back(start: number, end: number): { start: number; end: number };
}

/** Terminal escapes, in bytes or as JSON and source code write them, and characters without a width. */
const invisible =
  /\u001b\[[0-9;?]{0,30}[A-Za-z]|\u001b\][0-9;]{0,20}|\u0007|\u001b\\|[\u00ad\u200b-\u200d\u2060\ufeff]|\\{1,2}(?:u001b|x1b|033|e)\[[0-9;]{0,30}m/gi;
/** UTF-16 that was read as if each byte were a character. */
const everySecond = /(?<=[\t\n\r\x20-\x7e])\u0000(?=[\t\n\r\x20-\x7e]\u0000|[\x20-\x7e]?$)/g;
/** The numbers that agents print before the lines of a file. */
const lineNumber = /^[ \t]{0,8}[0-9]{1,6}[\u2192\t]/gm;
const isNumbered = /^[ \t]{0,8}[0-9]{1,6}[\u2192\t]/;
const invisibleCharacter = /[\u001b\u00ad\u200b-\u200d\u2060\ufeff]/;
const writtenEscapes = ["\\u001b[", "\\u001B[", "\\x1b[", "\\x1B[", "\\033[", "\\e["];

/** Placeholders, which are no secrets, and what is not part of the text itself: a secret may have it inside. */
export function hiddenIn(text: string): Hidden[] {
  const hidden: Hidden[] = [];
  if (isDiff(text)) {
    for (const { index } of text.matchAll(/^(?:\+|-(?!----(?:BEGIN|END)))/gm))
      hidden.push({ start: index, end: index + 1, instead: "" });
  }
  if (isNumbered.test(text)) {
    for (const { 0: found, index } of text.matchAll(lineNumber))
      hidden.push({ start: index, end: index + found.length, instead: "" });
  }
  if (invisibleCharacter.test(text) || writtenEscapes.some((written) => text.includes(written))) {
    for (const { 0: found, index } of text.matchAll(invisible))
      hidden.push({ start: index, end: index + found.length, instead: "" });
  }
  if (text.includes("\0")) {
    for (const { index } of text.matchAll(everySecond))
      hidden.push({ start: index, end: index + 1, instead: "" });
  }
  if (text.includes("[REDACTED_")) {
    for (const { 0: found, index } of text.matchAll(placeholders))
      hidden.push({ start: index, end: index + found.length, instead: stopper });
  }
  return hidden;
}

/** Whether every line of a text, or of its beginning, has the mark of a diff. */
function isDiff(text: string): boolean {
  if (!/^(?:[+ @-]|diff )/.test(text) || !/^[+-]/m.test(text)) return false;
  return text
    .split("\n", 20)
    .every((line) => /^(?:[+ @\\-]|$|(?:diff|index|new|old|deleted|rename|similarity) )/.test(line));
}

/** Replaces the hidden parts, which may contain each other but not overlap otherwise. */
export function viewOf(text: string, hidden: readonly Hidden[]): View {
  if (hidden.length === 0) return { text, back: (start, end) => ({ start, end }) };
  /** Add `by` to positions from `from` on to get the original position. */
  const shift: { from: number; by: number }[] = [];
  let seen = "";
  let at = 0;
  for (const { start, end, instead } of hidden.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    seen += text.slice(at, start) + instead;
    shift.push({ from: seen.length, by: end - seen.length });
    at = end;
  }
  let next = 0;
  const original = (position: number) => {
    while (next < shift.length && shift[next]!.from <= position) next++;
    return next === 0 ? position : position + shift[next - 1]!.by;
  };
  return {
    text: seen + text.slice(at),
    // The end is that of the last character: what is hidden after it stays.
    back: (start, end) => ({ start: original(start), end: original(end - 1) + 1 }),
  };
}
