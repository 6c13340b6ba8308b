import { cutTextIntoWindows, makeFileSpan, type Span } from "./chunk-spans.ts";
import type { Lines, Range } from "./lines.ts";

interface Heading {
  /** 1 to 6. */
  depth: number;
  title: string;
  /** 1-based. */
  line: number;
}

const atx = /^ {0,3}(#{1,6})([ \t].*)?$/;
const setext = /^ {0,3}(=+|-+)[ \t]*$/;
const fence = /^[ \t]*(?:[-*+>][ \t]+)*(`{3,}|~{3,})(.*)$/;
/** The starts that exclude a line from a paragraph; only paragraphs can be underlined. */
const notParagraph = /^(?: {0,3}(?:[-*+>|]|\d+[.)])(?:\s|$)| {0,3}>| {4}|\t)/;

/** The headings of a Markdown text, except in code and front matter. Scans lines: see CommonMark 0.31, 4. */
export function parseHeadings(text: string): Heading[] {
  const headings: Heading[] = [];
  const rows = text.split("\n").map((row) => row.replace(/\r$/, ""));
  let closing: RegExp | null = null;
  /** The line before, if it can be underlined to be a heading. */
  let paragraph = "";
  for (let i = endOfFrontMatter(rows); i < rows.length; i++) {
    const row = rows[i]!;
    if (closing !== null) {
      if (closing.test(row)) closing = null;
      continue;
    }
    const opening = fence.exec(row);
    if (opening && !(opening[1]!.startsWith("`") && opening[2]!.includes("`"))) {
      closing = new RegExp(`^[ \\t>]*${opening[1]![0]}{${opening[1]!.length},}[ \\t]*$`);
      paragraph = "";
      continue;
    }
    const hashes = atx.exec(row);
    if (hashes) {
      headings.push({
        depth: hashes[1]!.length,
        title: stripTitleMarkup((hashes[2] ?? "").trim().replace(/(?:^|[ \t])#+$/, "")),
        line: i + 1,
      });
      paragraph = "";
      continue;
    }
    const underline = setext.exec(row);
    if (underline && paragraph !== "") {
      headings.push({
        depth: underline[1]!.startsWith("=") ? 1 : 2,
        title: stripTitleMarkup(paragraph),
        line: i,
      });
      paragraph = "";
      continue;
    }
    paragraph = notParagraph.test(row) ? "" : row.trim();
  }
  return headings;
}

/** `---` or `+++` on the first line up to the same again. */
function endOfFrontMatter(rows: string[]): number {
  const mark = rows[0]?.trimEnd();
  if (mark !== "---" && mark !== "+++") return 0;
  const end = rows.findIndex((row, i) => i > 0 && row.trimEnd() === mark);
  return end < 0 ? 0 : end + 1;
}

/** A title without emphasis, code marks and link targets. */
function stripTitleMarkup(title: string): string {
  return title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]+|\{#[^}]*\}/g, "")
    .trim()
    .slice(0, 200);
}

/** A section per heading, subsections inside of it; long ones are cut by lines. */
export function cutMarkdownIntoSpans(lines: Lines, cutAll: boolean): Span {
  const file = makeFileSpan(lines);
  const headings = parseHeadings(lines.text);
  const open: { depth: number; span: Span }[] = [{ depth: 0, span: file }];
  const own: { span: Span; range: Range; isFile: boolean }[] = [];
  const starts = headings.map(({ line }) => lines.getLineStart(line));
  own.push({ span: file, range: { start: 0, end: starts[0] ?? file.end }, isFile: true });
  headings.forEach(({ depth, title }, i) => {
    const start = starts[i]!;
    while (open.at(-1)!.depth >= depth) open.pop()!.span.end = start;
    const end = lines.text.length;
    const signature = `${"#".repeat(depth)} ${title}`.trim();
    const base = { level: "block", kind: "heading", owner: "", docs: [] } as const;
    const span: Span = { ...base, docs: [], name: title, signature, start, end, children: [] };
    open.at(-1)!.span.children.push(span);
    open.push({ depth, span });
    own.push({ span, range: { start, end: starts[i + 1] ?? end }, isFile: false });
  });
  for (const { span, range, isFile } of own) {
    span.children.unshift(...cutTextIntoWindows(lines, range, isFile && cutAll));
  }
  return file;
}
