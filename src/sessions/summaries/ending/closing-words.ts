import { splitLine, stripMarkdown } from "../prose.ts";

/** A closing message as it is read: sentences, and lists under the sentence or heading that announces them. */
export interface ClosingText {
  /** A sentence, or an item of a list. */
  text: string;
  isItem: boolean;
  /** The heading above it, in lower case; "" where there is none. */
  heading: string;
  /** The sentence that announces a list, of its items: "Next steps:". */
  announcedBy: string;
  /** Done, in a list with boxes. */
  isDone: boolean;
  /** Not done, in a list with boxes. */
  isUnticked: boolean;
}

const fence = /^\s*(?:```|~~~)/;
const headingLine = /^\s*(?:#{1,6}\s+(.+)|\*\*([^*]+)\*\*(?:\s*\([^)]*\))?:?\s*$)/;
const tableLine = /^\s*\|/;
const ruleLine = /^\s*([-*_=─—])\1{2,}\s*$/;
const itemLine = /^(\s*)(?:[-*+•]|\d{1,2}[.)]|[a-z]\))\s+(?:\[([ xX])\]\s*)?(?=\S)/;
const quoteLine = /^\s*>/;
/** What an agent tells its client to show: `::git-commit{cwd="/src/app"}`. */
const directiveLine = /^\s*::[\w-]+\{.*\}\s*$/;
const insight = /^`?★ Insight/;
/** A call that a model wrote as text: the client made nothing of it. */
const writtenCall = /^\s*<(?:function|invoke|tool_call|function_calls?)[=\s>]/;
const writtenCallEnd = /<\/(?:tool_call|function_calls?)>\s*$/;

/** "I’m" as "I'm": words are known by the plain one. */
export const plainApostrophes = (text: string): string => text.replace(/[’‘]/g, "'");

/** What stands in a message, in order, without code, tables and quotations. */
export function readSaid(message: string): ClosingText[] {
  const said: ClosingText[] = [];
  let isCode = false;
  let isInsight = false;
  let isCall = false;
  let heading = "";
  let announcedBy = "";
  for (const line of plainApostrophes(message).split("\n")) {
    if (fence.test(line)) {
      isCode = !isCode;
      continue;
    }
    if (isCode) continue;
    if (writtenCall.test(line)) isCall = true;
    if (isCall) {
      isCall = !writtenCallEnd.test(line);
      continue;
    }
    if (insight.test(line)) isInsight = true;
    else if (isInsight) {
      if (/^`?─{5}/.test(line)) isInsight = false;
      continue;
    }
    if (isInsight || [tableLine, ruleLine, quoteLine, directiveLine].some((shape) => shape.test(line)))
      continue;
    const titled = headingLine.exec(line);
    if (titled !== null) {
      heading = stripMarkdown(titled[1] ?? titled[2] ?? "").toLowerCase();
      announcedBy = "";
      continue;
    }
    const item = itemLine.exec(line);
    const text = stripMarkdown(item === null ? line : line.slice(item[0].length));
    if (text === "") continue;
    if (item !== null) {
      // What is below an item explains it.
      if (item[1]!.length >= 2 && said.at(-1)?.isItem) continue;
      const isDone = (item[2] ?? " ") !== " " || /^\s*(?:[-*+]|\d+\.)\s+(?:✅|✓|✔)/.test(line);
      said.push({ text, isItem: true, heading, announcedBy, isDone, isUnticked: item[2] === " " });
      continue;
    }
    // The continuation of an item.
    if (/^\s{2,}\S/.test(line) && said.at(-1)?.isItem) continue;
    const sentences = splitLine(text);
    for (const sentence of sentences)
      said.push({
        text: sentence,
        isItem: false,
        heading,
        announcedBy: "",
        isDone: false,
        isUnticked: false,
      });
    announcedBy = sentences.at(-1)?.endsWith(":") ? sentences.at(-1)!.toLowerCase() : "";
  }
  return said;
}
