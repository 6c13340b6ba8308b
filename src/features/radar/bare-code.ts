/**
 * Code without comments and layout, and the marks by which a function is found in it. Hooks load this: it imports nothing.
 */

/** How comments look, by the ending of a file. */
interface CommentStyle {
  line: readonly string[];
  block: readonly (readonly [open: string, close: string])[];
  /** A string in three quotes that begins a line documents. */
  hasDocstrings?: true;
  /** Indentation says where a function ends. */
  isIndented?: true;
}

const likeC: CommentStyle = { line: ["//"], block: [["/*", "*/"]] };
const likeShell: CommentStyle = { line: ["#"], block: [] };
const others: readonly (readonly [endings: readonly string[], CommentStyle])[] = [
  [["py", "pyi"], { line: ["#"], block: [], hasDocstrings: true, isIndented: true }],
  [["rb", "sh", "bash", "zsh", "ex", "exs", "pl"], likeShell],
  [["php"], { line: ["//", "#"], block: [["/*", "*/"]] }],
  [
    ["lua"],
    {
      line: ["--"],
      block: [["--[[", "]]"]],
    },
  ],
];

function findStyle(path: string): CommentStyle {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return others.find(([endings]) => endings.includes(ending))?.[1] ?? likeC;
}

const quotes = new Set(['"', "'", "`"]);

/**
 * A text without comments and without white space outside of strings. Where indentation has a meaning, each line of code begins
 * with a line feed and a character for its indentation, if that is asked for.
 */
export function stripToCode(text: string, path: string, { keepsIndent = false } = {}): string {
  const style = findStyle(path);
  const marksLines = keepsIndent && style.isIndented === true;
  const parts: string[] = [];
  let isLineBegun = false;
  let indent = 0;
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    if (char === "\n") {
      isLineBegun = false;
      indent = 0;
      at++;
      continue;
    }
    if (char === " " || char === "\t" || char === "\r") {
      if (!isLineBegun) indent++;
      at++;
      continue;
    }
    const commentEnd = findCommentEnd(text, at, style, isLineBegun);
    if (commentEnd > at) {
      at = commentEnd;
      continue;
    }
    if (marksLines && !isLineBegun) parts.push(`\n${String.fromCharCode(firstIndent + indent)}`);
    isLineBegun = true;
    const end = quotes.has(char) ? findStringEnd(text, at, style) : at + 1;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts.join("");
}

/** Stands for no indentation, in a range that code does not use. */
const firstIndent = 0xe000;

/** Where a comment that begins here ends; `at` where none does. */
function findCommentEnd(text: string, at: number, style: CommentStyle, isLineBegun: boolean): number {
  const before = text[at - 1] ?? "\n";
  for (const [open, close] of style.block)
    if (text.startsWith(open, at)) return findEnd(text, close, at + open.length);
  if (style.hasDocstrings && !isLineBegun && isTriple(text, at))
    return findEnd(text, text.slice(at, at + 3), at + 3);
  // `$#`, `#{x}` and an escaped slash are code.
  const isHash = text[at] === "#";
  if (isHash ? /\S/.test(before) || text[at + 1] === "{" || text[at + 1] === "[" : before === "\\") return at;
  if (!style.line.some((mark) => text.startsWith(mark, at))) return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

const isTriple = (text: string, at: number): boolean =>
  text.startsWith('"""', at) || text.startsWith("'''", at);

function findEnd(text: string, close: string, from: number): number {
  const end = text.indexOf(close, from);
  return end < 0 ? text.length : end + close.length;
}

/** Behind the string that begins here. One that has no end on its line is none: an apostrophe, a lifetime. */
function findStringEnd(text: string, at: number, style: CommentStyle): number {
  if (style.hasDocstrings && isTriple(text, at)) return findEnd(text, text.slice(at, at + 3), at + 3);
  const quote = text[at]!;
  for (let end = at + 1; end < text.length; end++) {
    const char = text[end];
    if (char === "\\") end++;
    else if (char === quote) return end + 1;
    else if (char === "\n" && quote !== "`") break;
  }
  return at + 1;
}

/** A piece of code by its length and a hash, so that it need not be written down. */
export interface CodeMark {
  length: number;
  hash: number;
}

/** FNV's prime: any odd number that spreads bits would do. */
const base = 0x01000193;

export function markCode(code: string): CodeMark {
  let hash = 0;
  for (let i = 0; i < code.length; i++) hash = (Math.imul(hash, base) + code.charCodeAt(i)) | 0;
  return { length: code.length, hash };
}

/** Where a marked piece is in code (Rabin and Karp 1987); -1: nowhere. */
export function findMarkedCode(code: string, { length, hash: wanted }: CodeMark): number {
  if (length === 0 || code.length < length) return -1;
  let leading = 1;
  for (let i = 1; i < length; i++) leading = Math.imul(leading, base);
  let hash = 0;
  for (let i = 0; i < code.length; i++) {
    if (i >= length) hash = (hash - Math.imul(leading, code.charCodeAt(i - length))) | 0;
    hash = (Math.imul(hash, base) + code.charCodeAt(i)) | 0;
    if (i >= length - 1 && hash === wanted) return i - length + 1;
  }
  return -1;
}

/** Whether an edit changed a function that was there before it: not where it only moved, or got other comments. */
export function isChanged(before: string, after: string, mark: CodeMark, path: string): boolean {
  const strip = (text: string) => stripToCode(text, path, { keepsIndent: true });
  if (findMarkedCode(strip(before), mark) < 0) return false;
  const code = strip(after);
  const at = findMarkedCode(code, mark);
  return at < 0 || goesOn(code, at, mark.length);
}

/** Whether a function whose end only indentation shows has more lines behind it by now. */
function goesOn(code: string, at: number, length: number): boolean {
  if (code[at] !== "\n" || code[at + length] !== "\n") return false;
  return code.charCodeAt(at + length + 1) > code.charCodeAt(at + 1);
}
