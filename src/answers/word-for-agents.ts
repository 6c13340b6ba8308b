import { quote, stripInvisible, toHarmlessLine } from "../base/text/quotation.ts";
import { shortenText } from "../base/text/text-size.ts";
import {
  type Document,
  type DocumentBlock,
  type DocumentColumn,
  type DocumentLine,
  keepOuterSpaces,
  type LinePart,
  tabulateRanges,
} from "./document.ts";

/** Lines of former code that an agent gets, and characters of each. */
const maxFormerLines = 3;
const maxCodeChars = 160;
const maxPromptChars = 200;

/**
 * An answer in words, for an agent: one line for each block. Text that others wrote is quoted so that it cannot be mistaken for
 * Pommel's own. Code that stands in a file is left out, because the agent can read the file.
 */
export function wordForAgents(document: Document): string[] {
  return document.flatMap((paragraph) => paragraph.flatMap(wordBlock)).filter((text) => text !== "");
}

function wordBlock(one: DocumentBlock): string[] {
  switch (one.is) {
    case "heading":
    case "title":
      return [`${toHarmlessLine(one.text)}:`];
    case "line":
    case "item":
      return [wordLine(one.line)];
    case "cut":
      return [`  ${wordLine(one.line)}`];
    case "table":
      return one.rows.map((row) => wordRow(row, one.columns));
    case "annotated":
      return wordBlock(tabulateRanges(one));
    case "passage":
      return stripInvisible(one.text)
        .trim()
        .split("\n")
        .map((text) => `> ${text}`);
    case "labelled":
      return [one.label === "" ? wordLine(one.line) : `${one.label}: ${wordLine(one.line)}`];
    case "prompt":
      return [`${one.label}: ${quote(one.text, maxPromptChars)}`];
    case "code":
      return [];
    case "lines":
      return one.lines.map((text) => `> ${stripInvisible(text)}`);
    case "former":
      return one.lines
        .slice(0, maxFormerLines)
        .map((text) => `  > ${shortenText(toHarmlessLine(text), maxCodeChars)}`);
  }
}

/** A number says what it counts. */
const wordRow = (row: readonly DocumentLine[], columns: readonly DocumentColumn[]): string =>
  row
    .flatMap((cell, i) => {
      const { title = "", isNumber = false } = columns[i] ?? {};
      const text = wordLine(cell);
      return text === "" ? [] : [isNumber && title !== "" ? `${title} ${text}` : text];
    })
    .join(" | ");

const wordLine = (parts: DocumentLine): string => parts.map(wordPart).join("");

function wordPart(part: LinePart): string {
  if (typeof part === "string") return part;
  if ("draw" in part) return "";
  if ("at" in part && part.form === "age") return part.at.slice(0, 10);
  if ("at" in part) return `${part.at.slice(0, 16).replace("T", " ")}Z`;
  return part.quotedChars === undefined
    ? keepOuterSpaces(part.text, toHarmlessLine)
    : quote(part.text, part.quotedChars);
}
