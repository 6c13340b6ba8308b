import { type LanguageId, resolveLanguage } from "../languages/index.ts";

/** Code inside of files of another kind: scripts of components, pages and MDX, and the cells of Jupyter notebooks. */

const scriptBlock = /<script\b((?:"[^"]*"|'[^']*'|[^>"'])*)>([\s\S]*?)<\/script\s*>/gi;
/** Data, templates and other languages in a script block. */
const notScript = /\btype\s*=\s*["']?(?!(?:text|application)\/(?:java|type|ecma)script|module\b)[\w/+.-]+/i;
const frontmatter = /^(---\r?\n)([\s\S]*?)^---[ \t]*$/m;

/** Where MDX imports and exports: from a line that begins so to a blank one outside of brackets, but not in its examples. */
function modulesOf(text: string): [start: number, end: number][] {
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
export function scriptsOf(language: LanguageId, text: string): string | null {
  const parts = language === "mdx" ? modulesOf(text) : [];
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

/** A notebook is JSON whose cells hold code, a string a line: one of a cell's `source`, alone on its line. */
const sourceLine = /^\s*"((?:[^"\\]|\\.)*)",?\s*$/;

export interface Notebook {
  language: LanguageId;
  /** As many lines as the file: those of code as they are run, those of text as comments, all others (outputs, images) blank. */
  text: string;
}

/** The code of a notebook by the lines of its file; null if it is none, or not written a line of code a line. */
export function notebookOf(text: string): Notebook | null {
  const named = /"language_info"\s*:\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*?"name"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  const kernel = /"kernelspec"\s*:\s*\{[^}]*"language"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  if (!/"cells"\s*:\s*\[/.test(text)) return null;
  const language = resolveLanguage(named ?? kernel ?? "python") ?? "text";
  const comment = language === "python" || language === "r" || language === "julia" ? "# " : "// ";
  let cell: "code" | "text" | null = null;
  let isSource = false;
  let hasSource = false;
  const lines = text.split("\n").map((line) => {
    const kind = /"cell_type"\s*:\s*"(\w+)"/.exec(line)?.[1];
    if (kind !== undefined) cell = kind === "code" ? "code" : "text";
    if (/^\s*"source"\s*:\s*\[\s*$/.test(line)) {
      isSource = true;
      hasSource = true;
      return "";
    }
    const [, content] = (isSource && sourceLine.exec(line)) || [];
    if (content === undefined) {
      isSource = false;
      return "";
    }
    const said = unescaped(content);
    // Commands to the notebook itself are no code.
    return cell === "code" && !/^\s*[%!]/.test(said) ? said : `${comment}${said}`;
  });
  return hasSource ? { language, text: lines.join("\n") } : null;
}

function unescaped(content: string): string {
  try {
    return (JSON.parse(`"${content}"`) as string).replace(/\r?\n$/, "").replace(/[\r\n]/g, " ");
  } catch {
    return content;
  }
}
