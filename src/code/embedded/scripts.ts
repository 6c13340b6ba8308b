import type { LanguageId } from "../languages/index.ts";

/** Code inside of files of another kind: script blocks of components and pages. */

const scriptBlock = /<script\b((?:"[^"]*"|'[^']*'|[^>"'])*)>([\s\S]*?)<\/script\s*>/gi;
/** Data, templates and other languages in a script block. */
const notScript = /\btype\s*=\s*["']?(?!(?:text|application)\/(?:java|type|ecma)script|module\b)[\w/+.-]+/i;
const frontmatter = /^(---\r?\n)([\s\S]*?)^---[ \t]*$/m;

/**
 * The scripts of a component or page, everything else blank, so that lines and offsets are the file's; null if it
 * has none.
 */
export function scriptsOf(language: LanguageId, text: string): string | null {
  const parts: [start: number, end: number][] = [];
  const [opening, fence = "", code = ""] = (language === "astro" && frontmatter.exec(text)) || [];
  if (opening !== undefined && text.trimStart().startsWith("---")) {
    const start = text.indexOf(opening) + fence.length;
    parts.push([start, start + code.length]);
  }
  for (const { index, 0: whole, 1: attributes = "", 2: code = "" } of text.matchAll(scriptBlock)) {
    if (notScript.test(attributes) || code.trim() === "") continue;
    const start = index + whole.indexOf(">", "<script".length + attributes.length) + 1;
    parts.push([start, start + code.length]);
  }
  if (parts.length === 0) return null;
  let masked = "";
  for (const [start, end] of parts)
    masked += blank(text.slice(masked.length, start)) + text.slice(start, end);
  return masked + blank(text.slice(masked.length));
}

const blank = (text: string) => text.replace(/[^\r\n]/g, " ");
