import { toInertText } from "../base/text/markdown/inert.ts";
import { formatRelativeTime } from "../base/text/relative-time.ts";
import type { Block, Document, Line, Part } from "./document.ts";

/**
 * An answer in words, as Markdown for editors and forges, in which past text formats and links nothing. Code is left out: the
 * reader has it before them.
 * @param pageOf the web page of a commit; null: it has none
 */
export function wordAsMarkdown(document: Document, pageOf: (hash: string) => string | null): string {
  const wordLine = (parts: Line): string => parts.map(wordPart).join("");
  const wordPart = (part: Part): string => {
    if (typeof part === "string") return part;
    if ("at" in part)
      return part.form === "ago" ? formatRelativeTime(Date.parse(part.at)) : part.at.slice(0, 10);
    const text = toInertText(part.text, part.quotedChars);
    if (part.role === "strong") return `**${text}**`;
    if (part.role !== "commit" || part.commit === undefined) return text;
    const page = pageOf(part.commit);
    return page === null ? `\`${text}\`` : `[\`${text}\`](${page})`;
  };
  const wordBlock = (one: Block): string[] => {
    switch (one.is) {
      case "title":
        return [`**${toInertText(one.text)}**`];
      case "line":
        return [wordLine(one.line)];
      case "labelled":
        return [wordLine(one.line)];
      case "prompt":
        return [`> ${toInertText(one.text, maxPromptChars)}`];
      case "code":
      case "former":
        return [];
    }
  };
  return document
    .flatMap((paragraph) => paragraph.flatMap(wordBlock))
    .filter((text) => text !== "")
    .join("\n\n");
}

const maxPromptChars = 300;
