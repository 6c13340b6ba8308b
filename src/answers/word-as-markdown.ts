import { formatUtcMinute } from "../base/text/iso-time.ts";
import { toInertText } from "../base/text/markdown/inert.ts";
import { formatRelativeTime } from "../base/text/relative-time.ts";
import {
  type Document,
  type DocumentBlock,
  type DocumentLine,
  type LinePart,
  type ShownTime,
  tabulateRanges,
} from "./document.ts";

/**
 * An answer in words, as Markdown for editors and forges, in which past text formats and links nothing. Code is left out: the
 * reader has it before them.
 * @param pageOf the web page of a commit; null: it has none
 */
export function wordAsMarkdown(document: Document, pageOf: (hash: string) => string | null): string {
  const wordLine = (parts: DocumentLine): string => parts.map(wordPart).join("");
  const wordPart = (part: LinePart): string => {
    if (typeof part === "string") return part;
    if ("draw" in part) return "";
    if ("at" in part) return wordMoment(part);
    const text = toInertText(part.text, part.quotedChars);
    if (part.role === "strong" || part.role === "command") return `**${text}**`;
    if (part.role === "faint" && text !== "") return `*${text}*`;
    if (part.role !== "commit" || part.commit === undefined) return text;
    const page = pageOf(part.commit);
    return page === null ? `\`${text}\`` : `[\`${text}\`](${page})`;
  };
  /** Leaves out columns without any text, and rows beyond `shownRows`, as a terminal does. */
  const wordTable = ({ columns, rows, shownRows }: DocumentBlock & { is: "table" }): string[][] => {
    const cells = rows.map((row) => row.map(wordLine));
    const used = [...columns.entries()].filter(([at]) => cells.some((row) => row[at] !== ""));
    const shown = cells.slice(0, shownRows ?? undefined).map((row) => used.map(([at]) => row[at] ?? ""));
    const titles = used.map(([, { title }]) => title);
    const rule = used.map(([, { isNumber }]) => (isNumber ? "---:" : "---"));
    const more = rows.length - shown.length;
    return [
      [titles, rule, ...shown].map((row) => `| ${row.join(" | ")} |`),
      ...(more > 0 ? [[`and ${more} more`]] : []),
    ];
  };
  const wordBlock = (one: DocumentBlock): string[] => {
    switch (one.is) {
      case "heading":
        return [`## ${toInertText(one.text)}`];
      case "title":
        return [`### ${toInertText(one.text)}`];
      case "line":
        return [wordLine(one.line)];
      case "item":
        return [`- ${wordLine(one.line)}`];
      case "cut":
        return [`  - ${wordLine(one.line)}`];
      case "table":
        return wordTable(one).map((lines) => lines.join("\n"));
      case "annotated":
        return wordBlock(tabulateRanges(one));
      case "passage":
        return [`> ${toInertText(one.text, maxPromptChars)}`];
      case "labelled":
        return [wordLine(one.line)];
      case "prompt":
        return [`> ${toInertText(one.text, maxPromptChars)}`];
      case "code":
      case "lines":
      case "former":
        return [];
    }
  };
  const blocks = document
    .flat()
    .flatMap((one) =>
      wordBlock(one).map((text) => ({ text, isOfList: one.is === "item" || one.is === "cut" })),
    )
    .filter(({ text }) => text !== "");
  return blocks
    .map(
      ({ text, isOfList }, i) => (i === 0 ? "" : isOfList && blocks[i - 1]!.isOfList ? "\n" : "\n\n") + text,
    )
    .join("");
}

function wordMoment({ at, form }: ShownTime): string {
  if (form === "ago") return formatRelativeTime(Date.parse(at));
  return form === "day" || form === "age" ? at.slice(0, 10) : formatUtcMinute(at);
}

const maxPromptChars = 300;
