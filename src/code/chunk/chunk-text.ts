import type { Definition } from "./chunk-definitions.ts";

const maxSignatureLength = 200;

/** `@Name(...)`, `[Name(...)]`, `#[name(...)]`: what may stand before a declaration on its way. */
const attribute =
  /^\s*(?:@(?!interface\b)[\w.:]+(?:\((?:[^()]|\([^()]*\))*\))?|#?\[(?:[^[\]]|\[[^[\]]*\])*\])/;

/** Between a declaration and its body; a declaration's own strings rarely look like this. */
const comments = /\s(?:#|\/\/|--)[ \t][^\n]*|\/\*.*?\*\//gs;

/** A declaration up to its body on one line, without attributes, cut at 200 characters. */
export function signatureOf(text: string, { declaration, bodyStart, end, children }: Definition): string {
  let to = bodyStart > declaration ? Math.min(bodyStart, end) : end;
  // An object that holds functions: its members speak for themselves.
  if (to === end && children.length > 0) to = Math.min(to, endOfLine(text, declaration));
  // Folding blanks makes it shorter, attributes are left out: ten times is plenty to cut from.
  let head = text.slice(declaration, Math.min(to, declaration + maxSignatureLength * 10));
  for (let match = attribute.exec(head); match !== null; match = attribute.exec(head)) {
    if (match[0].length === head.length) break;
    head = head.slice(match[0].length);
  }
  return folded(head.replace(comments, ""), maxSignatureLength).replace(/[\s{:=]+$/, "");
}

/** On one line, blanks folded; cut with an ellipsis. */
function folded(text: string, longest: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}
