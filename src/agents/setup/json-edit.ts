import { type Node, type ParseError, parseTree, printParseErrorCode, stripComments } from "jsonc-parser";

/**
 * Edits of JSON text that leave everything else byte for byte: jsonc-parser locates nodes, and additions follow the
 * surrounding layout. (Its own `modify` formats the whole line that it touches, which in a file of one line is
 * everything.)
 */

/** Replaces `remove` characters at `offset` with `put`. */
export interface TextEdit {
  offset: number;
  remove: number;
  put: string;
}

/** A JSON syntax error; line and column are 1-based. */
interface JsonProblem {
  line: number;
  column: number;
  what: string;
}

export function applyEdit(text: string, { offset, remove, put }: TextEdit): string {
  return text.slice(0, offset) + put + text.slice(offset + remove);
}

/** The edit that undoes `edit` after it was applied to `text`. */
export function invertEdit(text: string, { offset, remove, put }: TextEdit): TextEdit {
  return { offset, remove: put.length, put: text.slice(offset, offset + remove) };
}

/** The tree of strict JSON: no trailing commas, and no comments unless they are allowed; or the first problem. */
export function parseJson(text: string, comments = false): { root: Node } | { problem: JsonProblem } {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: false });
    // Stricter than jsonc-parser in corners.
    if (errors.length === 0) JSON.parse(comments ? stripComments(text, " ") : text);
  } catch (error) {
    return { problem: locateProblem(text, 0, error instanceof RangeError ? "nested too deeply" : "no JSON") };
  }
  const [first] = errors;
  if (first)
    return { problem: locateProblem(text, first.offset, describeCode(printParseErrorCode(first.error))) };
  return root ? { root } : { problem: locateProblem(text, 0, "empty") };
}

export function locateProblem(text: string, offset: number, what: string): JsonProblem {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: before.at(-1)!.length + 1, what };
}

/** "CommaExpected" as "comma expected". */
function describeCode(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (capital) => ` ${capital}`).toLowerCase();
}

/** The value of `key` in an object: of the last one, as JSON.parse reads duplicates. */
export function findValue(object: Node, key: string): Node | undefined {
  return findProperty(object, key)?.children?.[1];
}

/** The property `key` of an object, the last of that name. */
export function findProperty(object: Node, key: string): Node | undefined {
  return object.children?.findLast((property) => property.children?.[0]?.value === key);
}

/** Appends a property to an object. */
export function addProperty(text: string, object: Node, key: string, value: unknown): TextEdit {
  return addChild(text, object, (style) => `${JSON.stringify(key)}${style.colon}${style.print(value)}`);
}

/** Appends an item to an array. */
export function addItem(text: string, array: Node, value: unknown): TextEdit {
  return addChild(text, array, (style) => style.print(value));
}

interface JsonStyle {
  colon: string;
  print: (value: unknown) => string;
}

/** Trailing comments. */
const sameLine = /^(?:[ \t]*\/\*[^\r\n]*?\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/;

function addChild(text: string, container: Node, render: (style: JsonStyle) => string): TextEdit {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const unit = detectIndentUnit(text);
  const last = container.children?.at(-1);
  const open = container.offset + 1;
  if (last) {
    const end = last.offset + last.length;
    const before = /(?:\r\n|\n|\r)([ \t]*)$/.exec(text.slice(open, container.children![0]!.offset));
    if (before) {
      const indent = before[1]!;
      const afterComma = sameLine.exec(text.slice(end))![0];
      const put = `,${afterComma}${eol}${indent}${render(makeSpreadStyle(unit, eol, indent))}`;
      return { offset: end, remove: afterComma.length, put };
    }
    const gap = /,(\s*)$/.exec(text.slice(open, last.offset))?.[1] ?? (isAiry(text) ? " " : "");
    return { offset: end, remove: 0, put: `,${gap}${render(makeOneLineStyle(text))}` };
  }
  const inside = text.slice(open, container.offset + container.length - 1);
  if (isOneLine(text)) return { offset: open, remove: 0, put: render(makeOneLineStyle(text)) };
  const outer = findIndent(text, container.offset);
  const indent = outer + unit;
  const close = /[\r\n]/.test(inside) ? "" : `${eol}${outer}`;
  // Keep a bracket on its own line.
  return {
    offset: open,
    remove: 0,
    put: `${eol}${indent}${render(makeSpreadStyle(unit, eol, indent))}${close}`,
  };
}

/** Removes the child at `index` from an object or array, with its comma and whitespace. Comments stay. */
export function removeChild(text: string, container: Node, index: number): TextEdit {
  const children = container.children!;
  const node = children[index]!;
  const end = node.offset + node.length;
  const next = children[index + 1];
  const previous = children[index - 1];
  const from = previous ? previous.offset + previous.length : container.offset + 1;
  const to = next?.offset ?? container.offset + container.length - 1;
  const before = withoutComma(text.slice(from, node.offset));
  const after = withoutComma(text.slice(end, to));
  if (next && (!previous || before.trim() !== "" || after.trim() !== "")) {
    return { offset: node.offset, remove: to - node.offset, put: after.trimStart() };
  }
  if (previous || before.trim() !== "" || after.trim() !== "") {
    // Line comments end at the line break.
    const isLineEnd = /^[ \t]*[\r\n]/.test(text.slice(end));
    return {
      offset: from,
      remove: end - from,
      put: isLineEnd || before.trim() === "" ? before.trimEnd() : before,
    };
  }
  return { offset: from, remove: to - from, put: "" };
}

/** Removes the comma outside of comments from the text between children. */
function withoutComma(between: string): string {
  const comma = stripComments(between, " ").indexOf(",");
  return comma === -1 ? between : between.slice(0, comma) + between.slice(comma + 1);
}

/** One step of indentation: the blanks before the first indented line; two where no line is. */
function detectIndentUnit(text: string): string {
  return /(?:^|[\r\n])([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

/** The blanks that the line of `offset` begins with. */
function findIndent(text: string, offset: number): string {
  return /(?:^|[\r\n])([ \t]*)[^\r\n]*$/.exec(text.slice(0, offset))?.[1] ?? "";
}

/** Whether to keep a file without line breaks on one line; not for an empty object. */
function isOneLine(text: string): boolean {
  const body = text.trim();
  return !/[\r\n]/.test(body) && body.length > 2;
}

/** Whether there are blanks after commas and colons. */
function isAiry(text: string): boolean {
  return /[:,][ \t]/.test(text) || !/[:,]/.test(text);
}

function makeSpreadStyle(unit: string, eol: string, indent: string): JsonStyle {
  const step = unit.includes("\t") ? "\t" : unit.length;
  const print = (value: unknown) => JSON.stringify(value, null, step).replaceAll("\n", `${eol}${indent}`);
  return { colon: ": ", print };
}

function makeOneLineStyle(text: string): JsonStyle {
  const airy = isAiry(text);
  return { colon: airy ? ": " : ":", print: (value) => (airy ? printAiry(value) : JSON.stringify(value)) };
}

function printAiry(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printAiry).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printAiry(item)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}
