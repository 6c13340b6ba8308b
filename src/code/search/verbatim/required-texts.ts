/**
 * Texts that are part of every match of a pattern (letter case aside): for a pattern without alternatives, its literal
 * characters outside of groups. Rather too few than a wrong one: doubtful ones are left out. The idea is Russ Cox's, in
 * "Regular Expression Matching with a Trigram Index".
 */
export function findRequiredTexts(pattern: string): string[] {
  const texts: string[] = [];
  let run = "";
  const finish = () => {
    if (run !== "") texts.push(run);
    run = "";
  };
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === "|") return [];
    if (character === "(" || character === "[") {
      finish();
      const end = character === "(" ? endOfGroup(pattern, at) : endOfClass(pattern, at);
      if (end < 0) return [];
      at = end;
    } else if (character === "\\") {
      at++;
      // \Q…\E, \pL, \x41 and \101 are rare: return nothing rather than a wrong text.
      if (at >= pattern.length || /[QpPx\d]/.test(pattern[at]!)) return [];
      if (/[A-Za-z]/.test(pattern[at]!)) finish();
      else run += pattern[at];
    } else if (character === "*" || character === "?" || character === "{") {
      // The character before may be missing; what is behind a surrogate is no character of its own.
      run = [...run].slice(0, -1).join("");
      finish();
      if (character === "{") {
        const end = pattern.indexOf("}", at);
        if (end < 0) return [];
        at = end;
      }
    } else if (/[.^$+)]/.test(character)) finish();
    else run += character;
  }
  finish();
  return texts;
}

/** Where the group that opens at `start` closes; -1: nowhere. */
function endOfGroup(pattern: string, start: number): number {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === "\\") {
      if (/[QE]/.test(pattern[at + 1] ?? "")) return -1;
      at++;
    } else if (character === "[") {
      const end = endOfClass(pattern, at);
      if (end < 0) return -1;
      at = end;
    } else if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return at;
  }
  return -1;
}

function endOfClass(pattern: string, start: number): number {
  // A bracket that comes first means itself; named classes hold brackets.
  let at = start + 1;
  if (pattern[at] === "^") at++;
  if (pattern[at] === "]") at++;
  for (; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern.startsWith("[:", at)) {
      const end = pattern.indexOf(":]", at);
      if (end >= 0) at = end + 1;
    } else if (pattern[at] === "]") return at;
  }
  return -1;
}
