import { type LanguageId, resolveLanguage } from "../languages/index.ts";

/** Code inside of files of another kind: scripts of components, pages and MDX, and the cells of Jupyter notebooks. */

const scriptBlock = /<script\b((?:"[^"]*"|'[^']*'|[^>"'])*)>([\s\S]*?)<\/script\s*>/gi;
/** Data, templates and other languages in a script block. */
const notScript = /\btype\s*=\s*["']?(?!(?:text|application)\/(?:java|type|ecma)script|module\b)[\w/+.-]+/i;
const frontmatter = /^(---\r?\n)([\s\S]*?)^---[ \t]*$/m;

/** Where MDX imports and exports: from a line that begins so to a blank one outside of brackets, but not in its examples. */
function findMdxModules(text: string): [start: number, end: number][] {
  const parts: [number, number][] = [];
  let [at, from, depth, isExample] = [0, -1, 0, false];
  for (const line of text.split("\n")) {
    if (from < 0 && /^\s*(?:```|~~~)/.test(line)) isExample = !isExample;
    if (from < 0 && !isExample && /^(?:import|export)\b/.test(line)) [from, depth] = [at, 0];
    if (from >= 0) {
      depth += line.split(/[([{]/).length - line.split(/[)\]}]/).length;
      if (line.trim() === "" && depth <= 0) {
        parts.push([from, at]);
        from = -1;
      }
    }
    at += line.length + 1;
  }
  return from < 0 ? parts : [...parts, [from, text.length]];
}

/**
 * The scripts of a component or page, everything else blank, so that lines and offsets are the file's; null if it
 * has none.
 */
export function extractScripts(language: LanguageId, text: string): string | null {
  const parts = language === "mdx" ? findMdxModules(text) : [];
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
    masked += blankOut(text.slice(masked.length, start)) + text.slice(start, end);
  return masked + blankOut(text.slice(masked.length));
}

const blankOut = (text: string) => text.replace(/[^\r\n]/g, " ");

/** A line of a cell's `source`, alone on its line: Jupyter writes a list of such. Other programs write all of a cell as one text. */
const sourceLine = /^\s*"((?:[^"\\]|\\.)*)",?\s*$/;
const sourceText = /^\s*"source"\s*:\s*"((?:[^"\\]|\\.)*)",?\s*$/;

export interface Notebook {
  language: LanguageId;
  /** Lines of code as they are run, those of text as comments, all others (outputs, images) blank. */
  text: string;
  /** The line of the file for each line of the text, both from 1; null: they are the same. */
  fileLines: readonly number[] | null;
}

/** The code of a notebook; null if it is none, or written without line breaks. */
export function parseNotebook(text: string): Notebook | null {
  const named = /"language_info"\s*:\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*?"name"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  const kernel = /"kernelspec"\s*:\s*\{[^}]*"language"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  if (!/"cells"\s*:\s*\[/.test(text)) return null;
  const language = resolveLanguage(named ?? kernel ?? "python") ?? "text";
  const comment = language === "python" || language === "r" || language === "julia" ? "# " : "// ";
  const file = text.split("\n");
  const kinds = kindsOfCells(file);
  const lines: string[] = [];
  const fileLines: number[] = [];
  let isSource = false;
  let hasSource = false;
  const add = (said: string, at: number) => {
    // Commands to the notebook itself are no code.
    const isCode = kinds[at] === "code" && !/^\s*[%!]/.test(said);
    lines.push(isCode ? said : `${comment}${said}`);
    fileLines.push(at + 1);
  };
  for (const [at, line] of file.entries()) {
    const whole = sourceText.exec(line)?.[1];
    const [, content] = (isSource && sourceLine.exec(line)) || [];
    if (whole !== undefined) for (const said of unescapeSource(whole).split(/\r?\n/)) add(said, at);
    else if (content !== undefined)
      add(
        unescapeSource(content)
          .replace(/\r?\n$/, "")
          .replace(/[\r\n]/g, " "),
        at,
      );
    else {
      isSource = /^\s*"source"\s*:\s*\[\s*$/.test(line);
      lines.push("");
      fileLines.push(at + 1);
      hasSource ||= isSource;
      continue;
    }
    hasSource = true;
  }
  if (!hasSource) return null;
  const isSame = lines.length === file.length;
  return { language, text: lines.join("\n"), fileLines: isSame ? null : fileLines };
}

/** For each line of a notebook the sort of cell that it is in, which may be named after the cell's code. */
function kindsOfCells(lines: readonly string[]): ("code" | "text" | null)[] {
  const kinds: ("code" | "text" | null)[] = [];
  const isCell = /^(\s*)\{\s*$/;
  let kind: "code" | "text" | null = null;
  for (const [at, line] of lines.entries()) {
    const found = /^\s*"cell_type"\s*:\s*"(\w+)"/.exec(line)?.[1];
    if (found !== undefined) {
      kind = found === "code" ? "code" : "text";
      // The lines of the same cell before it.
      for (let i = at - 1; i >= 0 && !isCell.test(lines[i]!); i--) kinds[i] = kind;
    }
    kinds.push(kind);
  }
  return kinds;
}

function unescapeSource(content: string): string {
  try {
    return JSON.parse(`"${content}"`) as string;
  } catch {
    return content;
  }
}
