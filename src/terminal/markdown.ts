import { breakToWidth, wrapToWidth } from "../base/text/display-width.ts";
import type { Screen } from "./output.ts";
import type { Paint, Palette } from "./palette.ts";
import { toPrintable, toPrintableLines } from "./text.ts";

interface MarkdownStyle {
  colors: Palette;
  /** Longer lines are wrapped at words. */
  width: number;
  /** Paints words within the text, such as those that were looked for. */
  mark?: Paint;
}

/** Formats a text that may be Markdown for the terminal's width. In a pipe, its lines stay as they are. */
export function formatPassage(text: string, { colors, columns }: Screen): string[] {
  return columns === undefined ? toPrintableLines(text) : formatMarkdown(text, { colors, width: columns });
}

/**
 * The Markdown that people and agents write to each other, for a terminal: headings, lists, quotes, fenced code, bold text,
 * code and links. Everything else, tables among it, stays as it is written. Its line breaks are kept.
 */
export function formatMarkdown(text: string, style: MarkdownStyle): string[] {
  const { colors } = style;
  let fence: string | null = null;
  return text
    .replace(/\s+$/, "")
    .split(/\r?\n/)
    .flatMap((raw) => {
      const line = toPrintable(raw).trimEnd();
      const [, ticks] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
      if (fence !== null) {
        if (ticks?.startsWith(fence) && line.trim() === ticks) {
          fence = null;
          return [];
        }
        const code = style.mark === undefined ? line : style.mark(line);
        return breakToWidth(colors.code(code), Math.max(style.width - 2, 8)).map((part) => `  ${part}`);
      }
      if (ticks !== undefined) {
        fence = ticks;
        return [];
      }
      return renderLine(line, style);
    });
}

function renderLine(line: string, style: MarkdownStyle): string[] {
  const { colors, width } = style;
  const [, title] = /^#{1,6} +(.*?)#*$/.exec(line) ?? [];
  if (title !== undefined) return wrapWithMargins(colors.bold(formatInline(title, style)), "", "", width);
  if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})$/.test(line)) return [colors.dim("─".repeat(Math.min(width, 20)))];
  const [, blanks = "", item, body = ""] = /^(\s*)([-*+]|\d{1,3}[.)]) +(.*)$/.exec(line) ?? [];
  if (item !== undefined) {
    const bullet = /\d/.test(item) ? item : "•";
    const indent = blanks.slice(0, 8);
    return wrapWithMargins(
      formatInline(body, style),
      `${indent}${colors.dim(bullet)} `,
      `${indent}${" ".repeat(bullet.length + 1)}`,
      width,
    );
  }
  const [, quote] = /^ {0,3}> ?(.*)$/.exec(line) ?? [];
  if (quote !== undefined) {
    const bar = colors.dim("│ ");
    return wrapWithMargins(formatInline(quote, style), bar, bar, width);
  }
  const [, indent = "", rest = ""] = /^(\s*)(.*)$/.exec(line) ?? [];
  const margin = indent.slice(0, 8);
  return wrapWithMargins(formatInline(rest, style), margin, margin, width);
}

function wrapWithMargins(text: string, first: string, others: string, width: number): string[] {
  const room = Math.max(width - others.replace(/\u001b\[\d+m/g, "").length, 8);
  return wrapToWidth(text, room, true).map((line, i) => ((i === 0 ? first : others) + line).trimEnd());
}

const spans = /`([^`]+)`|\*\*(?=\S)(.+?)(?<=\S)\*\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

/** Code, bold text and links within a line. */
function formatInline(text: string, style: MarkdownStyle): string {
  const { colors, mark = (plain) => plain } = style;
  if (!colors.isColorSupported) return mark(text);
  let [done, at] = ["", 0];
  for (const match of text.matchAll(spans)) {
    const [whole, code, strong, label, url] = match;
    done += mark(text.slice(at, match.index));
    if (code !== undefined) done += colors.code(mark(code));
    else if (strong !== undefined) done += colors.bold(formatInline(strong, style));
    else if (label !== undefined && url !== undefined) {
      const linked = colors.link(mark(label), url);
      done += linked === mark(label) ? `${linked} ${colors.dim(`(${url})`)}` : linked;
    }
    at = match.index + whole.length;
  }
  return done + mark(text.slice(at));
}
