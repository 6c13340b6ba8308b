import { type ChunkSpan, cutTextIntoWindows, makeFileSpan } from "./chunk-spans.ts";
import { parseHeadings } from "./headings.ts";
import type { LineStarts, Range } from "./lines.ts";

/** A section per heading, subsections inside of it; long ones are cut by lines. */
export function cutMarkdownIntoSpans(lines: LineStarts, cutAll: boolean): ChunkSpan {
  const file = makeFileSpan(lines);
  const headings = parseHeadings(lines.text);
  const open: { depth: number; span: ChunkSpan }[] = [{ depth: 0, span: file }];
  const own: { span: ChunkSpan; range: Range; isFile: boolean }[] = [];
  const starts = headings.map(({ line }) => lines.getLineStart(line));
  own.push({ span: file, range: { start: 0, end: starts[0] ?? file.end }, isFile: true });
  headings.forEach(({ depth, title }, i) => {
    const start = starts[i]!;
    while (open.at(-1)!.depth >= depth) open.pop()!.span.end = start;
    const end = lines.text.length;
    const signature = `${"#".repeat(depth)} ${title}`.trim();
    const base = { level: "block", kind: "heading", owner: "", docs: [] } as const;
    const span: ChunkSpan = { ...base, docs: [], name: title, signature, start, end, children: [] };
    open.at(-1)!.span.children.push(span);
    open.push({ depth, span });
    own.push({ span, range: { start, end: starts[i + 1] ?? end }, isFile: false });
  });
  for (const { span, range, isFile } of own) {
    span.children.unshift(...cutTextIntoWindows(lines, range, isFile && cutAll));
  }
  return file;
}
