import {
  type Document,
  type DocumentBlock,
  type DocumentColumn,
  type DocumentLine,
  keepOuterSpaces,
  type LinePart,
  type ShownTime,
  type TerminalDrawing,
  type TextPiece,
} from "../answers/document.ts";
import { dayMs } from "../base/text/day.ts";
import { cutToWidth, measureWidth, padToWidth, wrapToWidth } from "../base/text/display-width.ts";
import { formatLocalTime } from "../base/text/local-time.ts";
import { drawAuthorBar, drawBar, drawProgressBar, drawSparkline } from "./chart.ts";
import { toFileUrl } from "./links.ts";
import { formatMarkdown, formatPassage } from "./markdown.ts";
import type { Output, Screen } from "./output.ts";
import type { Palette } from "./palette.ts";
import { formatTable } from "./table.ts";
import {
  cleanCodeLine,
  formatCount,
  formatExactWhen,
  formatHeading,
  formatShortAge,
  formatWhen,
  toOneLine,
  toPrintable,
  toPrintableLines,
  wrapWithIndent,
} from "./text.ts";

interface DocumentStyle {
  screen: Screen;
  /** Shows all lines of code and prompts. */
  full?: boolean;
  /** Returns the web page of a commit. */
  pageOf?: (hash: string) => string | null;
}

/** Columns of the labels on the left. */
const labelWidth = 11;
const narrowestText = 20;
/** A terminal cuts quoted text to this many columns. */
const cutText = 200;

/** Shows what a command found: as JSON, else in words. */
export function showAnswer(
  output: Output,
  answer: unknown,
  word: () => Document,
  style: Omit<DocumentStyle, "screen"> = {},
): void {
  output.result(answer, () => renderDocument(word(), { screen: output, ...style }));
}

/** Renders an answer in words for the terminal's width. In a pipe, lines stay whole. */
export function renderDocument(document: Document, style: DocumentStyle): string {
  return document
    .map((paragraph) => paragraph.flatMap((one) => renderBlock(one, style)).join("\n"))
    .join("\n\n");
}

function renderBlock(one: DocumentBlock, style: DocumentStyle): string[] {
  const { screen } = style;
  const { colors, columns } = screen;
  switch (one.is) {
    case "heading":
      return [formatHeading(toPrintable(one.text), colors)];
    case "title":
      return [colors.bold(toPrintable(one.text))];
    case "cut":
      return [`${" ".repeat(one.indent)}${cutLine(one.line, one.indent, style)}`];
    case "table":
      return renderTable(one, style);
    case "annotated":
      return renderAnnotated(one, style);
    case "passage":
      return formatPassage(one.text, screen);
    case "line":
    case "item":
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
    case "lines":
      return one.lines.map((text) => " ".repeat(one.indent ?? 0) + cleanCodeLine(text));
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

/** Fits a line to the terminal: only its quotations are cut, and share the room that the rest leaves. */
function cutLine(parts: DocumentLine, indent: number, style: DocumentStyle): string {
  const { columns } = style.screen;
  if (columns === undefined) return paintLine(parts, style);
  const own = parts.filter((part) => !isQuoted(part));
  const room = columns - indent - measureWidth(paintLine(own, style));
  const width = Math.max(Math.floor(room / Math.max(parts.length - own.length, 1)), narrowestText);
  return parts
    .map((part) => paintPart(isQuoted(part) ? { ...part, text: toOneLine(part.text, width) } : part, style))
    .join("");
}

const isQuoted = (part: LinePart): part is TextPiece =>
  typeof part !== "string" && "text" in part && part.quotedChars !== undefined;

function renderTable(
  { columns, rows, shownRows }: DocumentBlock & { is: "table" },
  style: DocumentStyle,
): string[] {
  const isTerminal = style.screen.columns !== undefined;
  const shown = isTerminal && shownRows !== null && !style.full ? rows.slice(0, shownRows) : rows;
  const cells = shown.map((row) => row.map((cell) => paintLine(cell, style)));
  const isAlike = (at: number) => new Set(cells.map((row) => row[at])).size < 2;
  const kept = columns.map(({ isForMixed = false }, at) => !(isTerminal && isForMixed && isAlike(at)));
  const more = rows.length - shown.length;
  return [
    formatTable(
      columns,
      cells.map((row) => row.map((cell, at) => (kept[at] ? cell : ""))),
      style.screen,
    ),
    ...(more > 0 ? [`and ${more.toLocaleString("en")} more`] : []),
  ];
}

/** Columns from which on there is room for optional columns, and for longer names. */
const wideColumns = 110;
const nameWidth = { narrow: 15, wide: 24 };
/** Of code beside its annotations, in columns. */
const narrowestCode = 10;

/** On a terminal the cells of a range stand beside its first line, and the code is cut; in a pipe every line is whole. */
function renderAnnotated(
  { columns, ranges, lines, legend }: DocumentBlock & { is: "annotated" },
  style: DocumentStyle,
): string[] {
  const { colors, columns: width } = style.screen;
  const isTerminal = width !== undefined;
  const isWide = !isTerminal || width >= wideColumns;
  const columnsShown = [...columns.entries()].filter(([, { optional }]) => isWide || optional === undefined);
  const paintCell = (cell: DocumentLine, { isName = false }: DocumentColumn) => {
    const most = isName && isTerminal ? nameWidth[isWide ? "wide" : "narrow"] : undefined;
    return paintLine(isTerminal ? cell.map((part) => shortenPiece(part, most)) : cell, style);
  };
  const cells = ranges.map((range) =>
    columnsShown.map(([at, column]) => paintCell(range.cells[at]!, column)),
  );
  const widths = columnsShown.map((_, i) => Math.max(0, ...cells.map((row) => measureWidth(row[i]!))));
  const used = widths.flatMap((_, i) => (widths[i] === 0 ? [] : [i]));
  const digits = String(ranges.at(-1)?.last ?? 0).length;
  const padCell = (text: string, i: number) =>
    columnsShown[i]![1].isNumber
      ? " ".repeat(widths[i]! - measureWidth(text)) + text
      : padToWidth(text, widths[i]!);
  let at = 0;
  const rows = lines.map(({ line, text }, i) => {
    while (at < ranges.length - 1 && line > ranges[at]!.last) at++;
    const { first, mark } = ranges[at]!;
    const isSame = isTerminal && i > 0 && line !== first;
    const [begin = "", ...others] = used.map((of) => padCell(isSame ? "" : cells[at]![of]!, of));
    const marked = isTerminal ? [paintPart(isSame ? { ...mark, text: "│" } : mark, style)] : [];
    const left = [begin, ...marked, ...others].join(" ");
    const number = String(line).padStart(digits);
    if (!isTerminal) return `${left} ${number}) ${cleanCodeLine(text)}`;
    const room = Math.max(width - measureWidth(left) - digits - 4, narrowestCode);
    return `${left} ${colors.dim(`${number} │`)} ${cutToWidth(cleanCodeLine(text), room)}`.trimEnd();
  });
  return isTerminal && rows.length > 0 ? [...rows, "", paintLine(legend, style)] : rows;
}

/** @param width undefined: not cut */
function shortenPiece(part: LinePart, width: number | undefined): LinePart {
  if (typeof part === "string" || !("text" in part)) return part;
  return { ...part, text: toOneLine(part.short ?? part.text, width) };
}

const isDrawing = (part: LinePart | undefined): part is TerminalDrawing =>
  typeof part === "object" && "draw" in part;

function paintLine(parts: DocumentLine, style: DocumentStyle): string {
  // A pipe gets no drawings, and not the space after one.
  const isLeftOut = (part: LinePart, i: number) =>
    isDrawing(part) || (part === " " && isDrawing(parts[i - 1]));
  const shown = style.screen.columns === undefined ? parts.filter((part, i) => !isLeftOut(part, i)) : parts;
  return shown.map((part) => paintPart(part, style)).join("");
}

function paintPart(part: LinePart, { screen, full = false, pageOf = () => null }: DocumentStyle): string {
  const { colors, columns } = screen;
  if (typeof part === "string") return part;
  if ("draw" in part) return columns === undefined ? "" : draw(part, columns, colors);
  if ("at" in part) {
    const time = formatMoment(part, screen);
    if (part.form === "age" && columns !== undefined)
      return colors.age(time, (screen.now - Date.parse(part.at)) / dayMs);
    return part.role === "faint" ? colors.dim(time) : time;
  }
  // A pipe gets the whole text.
  const width = part.quotedChars === undefined || full || columns === undefined ? undefined : cutText;
  const text = keepOuterSpaces(part.text, (inner) => toOneLine(inner, width));
  switch (part.role) {
    case undefined:
      return text;
    case "strong":
    case "command":
      return colors.bold(text);
    case "faint":
    case "unknown":
      return colors.dim(text);
    case "good":
      return colors.ok(text);
    case "caution":
      return colors.warn(text);
    case "bad":
      return colors.error(text);
    case "commit":
      return colors.link(colors.commit(text), part.commit === undefined ? null : pageOf(part.commit));
    default:
      return colors.link(colors[part.role](text), part.path === undefined ? null : toFileUrl(part.path));
  }
}

function draw(drawing: TerminalDrawing, columns: number, colors: Palette): string {
  if (drawing.draw === "authors")
    return drawAuthorBar(drawing.lines, Math.min(drawing.columns, columns), colors);
  const drawn =
    drawing.draw === "sparkline"
      ? drawSparkline(drawing.values)
      : (drawing.draw === "bar" ? drawBar : drawProgressBar)(drawing.share, drawing.columns);
  return drawing.role === undefined ? drawn : colors[drawing.role](drawn);
}

function formatMoment({ at, form }: ShownTime, screen: Screen): string {
  if (form === "exact") return formatExactWhen(at, screen);
  if (form === "ago") return formatWhen(at, screen);
  if (form === "age" && screen.columns !== undefined) return formatShortAge(screen.now - Date.parse(at));
  return formatLocalTime(at).slice(0, form === "time" ? undefined : 10);
}

function renderPrompt(
  { label, text, shownLines }: DocumentBlock & { is: "prompt" },
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
  { first, lines, total, shownLines }: DocumentBlock & { is: "code" },
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
