import { sliceLineBefore } from "./randomness.ts";
import { isCodeName, isEnvironmentValue, isLikelyPath, isReference } from "./values.ts";

/** A pattern's match. */
export interface MatchSite {
  text: string;
  /** Start of the match. */
  from: number;
  /** Bounds of the secret within it. */
  start: number;
  end: number;
}

/** Signs that neither a version, a path nor a name has. */
export function hasSigns(value: string): boolean {
  return /[!@#$%^&*?~|()[\]{};+=]/.test(value) && !/^[\w.-]+@[\w.-]+$/.test(value);
}

export function isBalancedCode(value: string): boolean {
  if (/[;,({[]$|=>|::|->|&&|\|\||^[|>&*!]/.test(value)) return true;
  const open: string[] = [];
  for (const [sign] of value.matchAll(/[()[\]{}<>]/g)) {
    if ("([{<".includes(sign)) open.push(sign);
    else if (open.pop() !== { ")": "(", "]": "[", "}": "{", ">": "<" }[sign]) return false;
  }
  return open.length === 0 && /[()[\]{}<>]/.test(value);
}

/** Whether nothing but a name stands before it on its line. */
export function isAtLineStart({ text, from }: MatchSite): boolean {
  return /^[\s|>+-]*[A-Za-z0-9_.-]*$/.test(sliceLineBefore(text, from, 80));
}

export function sliceSecret({ text, start, end }: MatchSite): string {
  return text.slice(start, end);
}

export function isQuoted({ text, start, end }: MatchSite): boolean {
  const mark = text[start - 1];
  if (mark === ">" && text[end] === "<") return true;
  return (mark === '"' || mark === "'" || mark === "`") && (text[end] === mark || text[end] === "\\");
}

type NotationStyle = "environment" | "line" | "code";

/** How the name before a value is written: `DB_PASSWORD=`, `  password:` alone on its line, or anything else. */
export function classifyNameStyle({ text, from, start }: MatchSite): NotationStyle {
  let nameStart = from;
  while (nameStart > 0 && from - nameStart < 80 && /[A-Za-z0-9_.-]/.test(text[nameStart - 1]!)) nameStart--;
  const name = text.slice(nameStart, start);
  if (/^[A-Z][A-Z0-9_]*=\\?["'`]?$/.test(name) && !/[$.({]/.test(text[nameStart - 1] ?? ""))
    return "environment";
  const before = sliceLineBefore(text, nameStart, 31);
  return /^(?:\s*[0-9]+[\t→|:])?[+\- \t]*(?:export |set |ENV )?$/.test(before) ? "line" : "code";
}

export function isBarePassword(place: MatchSite, value: string): boolean {
  const { text, from, start, end } = place;
  const after = text[end] ?? "\n";
  if (/[([{<]/.test(after) || isReference(value)) return false;
  const style = classifyNameStyle(place);
  if (style === "environment") return isEnvironmentValue(value);
  if (/^[0-9]{6,16}$/.test(value))
    return /[\r\n]/.test(after) || (/[,}&; ]/.test(after) && /["'=]\s*:?\s*$/.test(text.slice(from, start)));
  if (/^[\d.:]+$/.test(value)) return false;
  const mixed = /\p{L}/u.test(value) && /[0-9!@#%^*+~]/.test(value) && !isLikelyPath(value);
  if (!mixed) return false;
  const spaced = /\s$/.test(text.slice(from, start));
  const plainEnd =
    /[\r\n]/.test(after) || (after === " " && /^ *(?:#|$|\n)/m.test(text.slice(end, end + 40)));
  // Connection strings, query strings, command lines: `user=sa;password=...;`, `?user=a&password=...`.
  const isAfterAnother = /[;&?]$/.test(text.slice(Math.max(0, from - 40), from).replace(/[\w .-]*$/, ""));
  if (spaced)
    return (
      (style === "line" && plainEnd && !/[;,)]$/.test(value)) ||
      (isAfterAnother && /["']/.test(after) && hasSigns(value))
    );
  const inList = isAfterAnother || /[;&]/.test(after);
  if (inList || (style === "line" && plainEnd)) return true;
  // Whatever closes what it stands in: `[… password=...]`.
  return (
    (plainEnd || /["'`\s\\)\]}>…»”]/.test(after)) && (!isCodeName(value) || /^[A-Z].*[0-9]{2}$/.test(value))
  );
}

/** Whether the value is not continued by an expression. */
export function hasPlainEnd({ text, end }: MatchSite): boolean {
  return !/[([{<$]/.test(text[end] ?? "");
}
