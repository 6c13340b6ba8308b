/**
 * Changes one value in a TOML document and leaves every other byte alone. Libraries that write TOML lose comments and
 * order, so this locates a value and replaces its text.
 *
 * All functions expect a valid document.
 */

interface Header {
  kind: "header";
  path: string[];
  /** Of its line, without the line break. */
  start: number;
  end: number;
}

interface TomlPair {
  kind: "pair";
  /** The whole path: the table and the key, which may be dotted. */
  path: string[];
  /** True if it is above every header. */
  atRoot: boolean;
  start: number;
  valueStart: number;
  valueEnd: number;
  /** After a comment on the same line, before the line break. */
  end: number;
}

type TomlStatement = Header | TomlPair;

/** The 1-based line on which `section.name`, or the section when it is written inline, is given; or null. */
export function findTomlLine(source: string, path: readonly string[]): number | null {
  const statements = scan(source);
  const found =
    statements.find((statement) => isSamePath(statement.path, path)) ??
    statements.find((statement) => isSamePath(statement.path, path.slice(0, statement.path.length)));
  return found ? source.slice(0, found.start).split("\n").length : null;
}

/**
 * `source` with `section.name` set to `literal`. An existing value is replaced in place; a new one goes below its
 * commented-out default, else to the end of its section, else into a new section at the end.
 */
export function setValue(source: string, section: string, name: string, literal: string): string {
  const statements = scan(source);
  const pair = findPair(statements, [section, name]);
  if (pair) return splice(source, pair.valueStart, pair.valueEnd, literal);

  const eol = source.includes("\r\n") ? "\r\n" : "\n";
  const header = statements.findIndex((s) => s.kind === "header" && isSamePath(s.path, [section]));
  if (header !== -1) {
    const next = statements.findIndex((s, index) => index > header && s.kind === "header");
    const sectionEnd = next === -1 ? source.length : statements[next]!.start;
    const last = statements[(next === -1 ? statements.length : next) - 1]!;
    const after = findCommentedOut(source, statements[header]!.end, sectionEnd, name) ?? last.end;
    return splice(source, after, after, `${eol}${name} = ${literal}`);
  }
  // A table made by dotted keys may not be opened again by a header.
  const dotted = statements.findLast((s) => s.kind === "pair" && s.atRoot && s.path[0] === section);
  if (dotted) return splice(source, dotted.end, dotted.end, `${eol}${section}.${name} = ${literal}`);

  const gap = source.trim() === "" ? "" : source.endsWith("\n") ? eol : eol + eol;
  return `${source}${gap}[${section}]${eol}${name} = ${literal}${eol}`;
}

/** `source` without the line, or the lines of a long list, that set `section.name`. */
export function unsetValue(source: string, section: string, name: string): string {
  const pair = findPair(scan(source), [section, name]);
  if (!pair) return source;
  const lineBreak = /^\r?\n/.exec(source.slice(pair.end))?.[0].length ?? 0;
  if (lineBreak > 0) return splice(source, pair.start, pair.end + lineBreak, "");
  // The last line of a file without a final line break: take the break before it instead.
  return source.slice(0, pair.start).replace(/\r?\n$/, "");
}

/**
 * `source` without the table at `path`, its subtables and values, whether it has a header or is inline, and without the
 * blank line before its header.
 */
export function unsetTable(source: string, path: readonly string[]): string {
  const within = (statement: TomlStatement) => path.every((part, index) => statement.path[index] === part);
  let rest = source;
  for (;;) {
    const statements = scan(rest);
    const at = statements.findIndex(within);
    const found = statements[at];
    if (!found) return rest;
    // A table ends with its last value: comments below it belong to what follows.
    let last = found;
    for (const next of statements.slice(at + 1)) {
      if (found.kind === "pair" || next.kind === "header") break;
      last = next;
    }
    const lineBreak = /^\r?\n/.exec(rest.slice(last.end))?.[0].length ?? 0;
    const before = rest.slice(0, found.start);
    const after = rest.slice(last.end + lineBreak);
    rest = (found.kind === "header" ? before.replace(/(^|\n)\r?\n$/, "$1") : before) + after;
  }
}

/**
 * `source` with a section that is written `section = { ... }` replaced by `literal`; null when it is not. No line
 * can be inserted into such a table, and no comment can be lost from it.
 */
export function replaceInlineTable(source: string, section: string, literal: string): string | null {
  const pair = findPair(scan(source), [section]);
  return pair ? splice(source, pair.valueStart, pair.valueEnd, literal) : null;
}

function findPair(statements: TomlStatement[], path: readonly string[]): TomlPair | undefined {
  return statements.find((s): s is TomlPair => s.kind === "pair" && isSamePath(s.path, path));
}

/** The end of the line `# name = ...` between `from` and `to`, or null. */
function findCommentedOut(source: string, from: number, to: number, name: string): number | null {
  const match = new RegExp(`^[ \\t]*#[ \\t]*${name}[ \\t]*=[^\\r\\n]*`, "m").exec(source.slice(from, to));
  return match ? from + match.index + match[0].length : null;
}

/** Headers and pairs in order of appearance. */
function scan(source: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: string[] | null = null;
  let at = source.startsWith("\uFEFF") ? 1 : 0;
  while (at < source.length) {
    const start = at;
    at = skip(source, at, /[ \t]*/y);
    const first = source[at];
    if (first === "[") {
      const opening = skip(source, at, /\[{1,2}/y);
      const key = readKey(source, opening);
      table = key.path;
      at = skipRestOfLine(source, skip(source, key.end, /\]{1,2}/y));
      statements.push({ kind: "header", path: table, start, end: at });
    } else if (first !== "#" && first !== "\n" && first !== "\r" && first !== undefined) {
      const key = readKey(source, at);
      const valueStart = skip(source, key.end, /=[ \t]*/y);
      const valueEnd = endOfValue(source, valueStart);
      at = skipRestOfLine(source, valueEnd);
      const path = [...(table ?? []), ...key.path];
      statements.push({ kind: "pair", path, atRoot: table === null, start, valueStart, valueEnd, end: at });
    } else {
      at = skipRestOfLine(source, at);
    }
    at = skip(source, at, /\r?\n/y);
  }
  return statements;
}

const keyPart = /[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))[ \t]*/y;

/** A bare, quoted or dotted key, with the blanks around it. */
function readKey(source: string, from: number): { path: string[]; end: number } {
  const path: string[] = [];
  let end = from;
  do {
    if (path.length > 0) end++;
    keyPart.lastIndex = end;
    const match = keyPart.exec(source);
    if (!match) break;
    path.push(match[1] ?? match[2] ?? match[3] ?? "");
    end = keyPart.lastIndex;
  } while (source[end] === ".");
  return { path, end };
}

const stringLiteral = /"""(?:[^\\]|\\.)*?"{3,5}|'''.*?'{3,5}|"(?:[^"\\]|\\.)*"|'[^']*'/sy;

/** The end of the value at `from`: a list or an inline table ends with its bracket, the others with the line. */
function endOfValue(source: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < source.length) {
    const char = source[at]!;
    if (char === '"' || char === "'") at = skip(source, at, stringLiteral);
    else if (char === "#" && depth > 0) at = skipRestOfLine(source, at);
    else if (depth === 0 && (char === "#" || char === "\n")) break;
    else {
      if (char === "[" || char === "{") depth++;
      if (char === "]" || char === "}") depth--;
      at++;
    }
  }
  return from + source.slice(from, at).trimEnd().length;
}

/** Where `pattern` (sticky) ends when it matches at `from`; else `from`, or one further for a stray quote. */
function skip(source: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  if (pattern.test(source)) return pattern.lastIndex;
  return pattern === stringLiteral ? from + 1 : from;
}

function skipRestOfLine(source: string, from: number): number {
  return skip(source, from, /[^\r\n]*/y);
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

function splice(source: string, start: number, end: number, text: string): string {
  return source.slice(0, start) + text + source.slice(end);
}
