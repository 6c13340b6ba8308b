import { toHarmlessLine } from "../base/text/quotation.ts";
import { shortenText } from "../base/text/text-size.ts";
import type { Block, Document, Line, Part } from "./document.ts";

/** Lines of former code that an agent gets, and characters of each. */
const maxFormerLines = 3;
const maxCodeChars = 160;
const maxPromptChars = 200;

/**
 * An answer in words, for an agent: a block a line. What others wrote is quoted, and nothing in it can be taken for ours. Code that
 * stands in a file is left out, as the agent can read it.
 */
export function wordForAgents(document: Document): string[] {
  return document.flatMap((paragraph) => paragraph.flatMap(wordBlock)).filter((text) => text !== "");
}

function wordBlock(one: Block): string[] {
  switch (one.is) {
    case "title":
      return [`${toHarmlessLine(one.text)}:`];
    case "line":
      return [wordLine(one.line)];
    case "labelled":
      return [one.label === "" ? wordLine(one.line) : `${one.label}: ${wordLine(one.line)}`];
    case "prompt":
      return [`${one.label}: ${quote(one.text, maxPromptChars)}`];
    case "code":
      return [];
    case "former":
      return one.lines
        .slice(0, maxFormerLines)
        .map((text) => `  > ${shortenText(toHarmlessLine(text), maxCodeChars)}`);
  }
}

const wordLine = (parts: Line): string => parts.map(wordPart).join("");

function wordPart(part: Part): string {
  if (typeof part === "string") return part;
  if ("at" in part) return `${part.at.slice(0, 16).replace("T", " ")}Z`;
  return part.quotedChars === undefined ? toHarmlessLine(part.text) : quote(part.text, part.quotedChars);
}

const quote = (text: string, max: number): string => `“${shortenText(toHarmlessLine(text), max)}”`;
