import { shortenText, toPlainLine } from "../text-size.ts";

/**
 * A text in one line of Markdown in which nothing means anything to Markdown, HTML, or what a forge makes of names, numbers
 * and addresses.
 */
export function toInertText(text: string, maxLength = 160): string {
  const line = shortenText(toPlainLine(text), maxLength);
  return line
    .replace(/[\\`*_{}[\]()#+!|~$^=:-]/g, (sign) => `\\${sign}`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/@(?=\w)/g, "@\u200b")
    .replace(/\\#(?=\d)/g, "\\#\u200b")
    .replace(/\b(https?|ftp|www)(?=\\?[:.])/gi, "$1\u200b");
}
