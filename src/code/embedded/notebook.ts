import { type LanguageId, resolveLanguage } from "../languages/index.ts";

/** Jupyter notebooks: JSON whose cells hold code, a string a line. */

/** A string of a cell's `source`, alone on its line as notebooks are written. */
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
