/**
 * Messages in source code that a program has put values into: `${x} called multiple times`, "%s is not a function",
 * "no field {name!r}". The language does not matter: all placeholders are known at once.
 */

/** printf, Go; `{}`, `{0}`, f-strings, Rust, C#; `${}`, `$x`; Ruby's `#{}`; Swift's `\()`; or a value joined in. */
const placeholder =
  /%(?:\(\w+\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|ll|[hlqjzt])?[A-Za-z@]|\$?\{[^{}\n]*\}|#\{[^{}\n]*\}|\$[A-Za-z_][\w>-]*|\\\([^()\n]*\)|\ue000/g;

/** For a value that is joined in; private characters, which no code holds. */
const valueMark = "\ue000";
const filler = "\ue001";

/** `"no " + name + " here"`, also with PHP's and Lua's operators: as if it were one string. */
const join =
  /(["'])\s{0,80}(?:\+|\.{1,2}|<>|&)\s{0,80}[^"'\s;][^"'\n;]{0,80}?\s{0,80}(?:\+|\.{1,2}|<>|&)\s{0,80}\1/g;

const literal = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;

/** Fewer words than this are in too many messages. */
const minWords = 2;

export interface Template {
  /** The message with "…" for its values. */
  text: string;
  /** Its place. UTF-16 offset. */
  at: number;
}

/** The string with the most text whose fixed parts the message holds, in their order; null: none. */
export function findTemplate(source: string, message: string): Template | null {
  // Same length: offsets stay those of the source.
  const joined = source.replace(join, (whole) => valueMark.padEnd(whole.length, filler));
  let best: Template | null = null;
  let most = 0;
  for (const match of joined.matchAll(literal)) {
    const body = (match[1] ?? match[2] ?? match[3] ?? "").replaceAll(filler, "").replace(/\\(["'`])/g, "$1");
    const parts = body.split(placeholder);
    const isAtEnd = /^\s*(?:\+|\.{1,2}(?!\w)|<>|,)/.test(joined.slice(match.index + match[0].length));
    if (parts.length < 2 && !isAtEnd) continue;
    const size = parts.join("").length;
    if (size <= most || !isTelling(parts) || !hasPartsInOrder(message, parts)) continue;
    most = size;
    best = { text: parts.join("…").trim(), at: match.index };
  }
  return best;
}

const isTelling = (parts: readonly string[]) =>
  (parts.join(" ").match(/\p{L}{2,}/gu) ?? []).length >= minWords;

function hasPartsInOrder(message: string, parts: readonly string[]): boolean {
  let next = 0;
  for (const part of parts) {
    const at = message.indexOf(part, next);
    if (at < 0) return false;
    next = at + part.length;
  }
  return true;
}
