import type { Block, Document, Line, Part } from "../answers/document.ts";
import { cutToWidth, wrapToWidth } from "../base/text/display-width.ts";
import { formatMarkdown } from "./markdown.ts";
import type { Screen } from "./output.ts";
import {
  cleanCodeLine,
  formatCount,
  formatExactWhen,
  formatLocalTime,
  formatWhen,
  toOneLine,
  toPrintable,
  toPrintableLines,
  wrapWithIndent,
} from "./text.ts";

export interface DocumentStyle {
  screen: Screen;
  /** All lines of code and prompts. */
  full: boolean;
  /** Of a commit. */
  pageOf: (hash: string) => string | null;
}

/** Columns of the labels on the left. */
const labelWidth = 11;
const narrowestText = 20;
/** Of a text that is cut on a terminal, in columns. */
const cutText = 200;

/** An answer in words, for a terminal: as wide as it is; in a pipe whole lines. */
export function renderDocument(document: Document, style: DocumentStyle): string {
  return document
    .map((paragraph) => paragraph.flatMap((one) => renderBlock(one, style)).join("\n"))
    .join("\n\n");
}

function renderBlock(one: Block, style: DocumentStyle): string[] {
  const { screen } = style;
  const { colors, columns } = screen;
  switch (one.is) {
    case "title":
      return [colors.bold(toPrintable(one.text))];
    case "line":
      return wrapWithIndent(`${" ".repeat(one.indent)}${paintLine(one.line, style)}`, screen, one.hang);
    case "labelled": {
      const [first = "", ...rest] = wrapBeside(paintLine(one.line, style), columns);
      const label =
        one.label === "" ? " ".repeat(labelWidth) : `${colors.bold(one.label.padEnd(labelWidth - 1))} `;
      return [`${label}${first}`, ...rest.map(indentBelow)];
    }
    case "prompt":
      return renderPrompt(one, style);
    case "code":
      return renderCode(one, style);
    case "former":
      return one.lines.map((text) => {
        const shown = `    ${one.sign} ${cleanCodeLine(text)}`;
        return colors.dim(columns === undefined ? shown : cutToWidth(shown, columns));
      });
  }
}

const indentBelow = (text: string): string => `${" ".repeat(labelWidth)}${text}`;

function wrapBeside(text: string, columns: number | undefined): string[] {
  return columns === undefined
    ? [text]
    : wrapToWidth(text, Math.max(columns - labelWidth, narrowestText), true);
}

function paintLine(parts: Line, style: DocumentStyle): string {
  return parts.map((part) => paintPart(part, style)).join("");
}

function paintPart(part: Part, { screen, full, pageOf }: DocumentStyle): string {
  const { colors, columns } = screen;
  if (typeof part === "string") return part;
  if ("at" in part) {
    if (part.form === "exact") return formatExactWhen(part.at, screen);
    return part.form === "day" ? formatLocalTime(part.at).slice(0, 10) : formatWhen(part.at, screen);
  }
  // A pipe gets the whole text.
  const width = part.quotedChars === undefined || full || columns === undefined ? undefined : cutText;
  const text = toOneLine(part.text, width);
  switch (part.role) {
    case undefined:
      return text;
    case "strong":
      return colors.bold(text);
    case "faint":
    case "unknown":
      return colors.dim(text);
    case "good":
      return colors.ok(text);
    case "caution":
      return colors.warn(text);
    case "commit":
      return colors.link(colors.commit(text), part.commit === undefined ? null : pageOf(part.commit));
    default:
      return colors[part.role](text);
  }
}

function renderPrompt(
  { label, text, shownLines }: Block & { is: "prompt" },
  { screen: { colors, columns }, full }: DocumentStyle,
): string[] {
  const lines =
    columns === undefined
      ? toPrintableLines(text)
      : formatMarkdown(text, { colors, width: Math.max(columns - labelWidth, narrowestText) });
  const shown = full ? lines : lines.slice(0, shownLines);
  const [first = "", ...rest] = shown;
  return [
    `${colors.bold(label.padEnd(labelWidth - 1))} ${colors.bold(first)}`,
    ...rest.map(indentBelow),
    ...(shown.length < lines.length ? [colors.dim(indentBelow("..."))] : []),
  ];
}

function renderCode(
  { first, lines, total, shownLines }: Block & { is: "code" },
  { screen: { colors, columns }, full }: DocumentStyle,
): string[] {
  const shown = full ? lines : lines.slice(0, shownLines);
  const digits = String(first + shown.length - 1).length;
  const room = columns === undefined || full ? undefined : Math.max(columns - digits - 5, narrowestText);
  const printed = shown.map((text, i) => {
    const code = cleanCodeLine(text);
    const number = colors.dim(`${String(first + i).padStart(digits)} │`);
    return `  ${number} ${room === undefined ? code : cutToWidth(code, room)}`;
  });
  const more = total - shown.length;
  return more > 0 ? [...printed, colors.dim(`  and ${formatCount(more, "more line")}`)] : printed;
}
