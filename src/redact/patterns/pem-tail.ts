import type { Span } from "./rule.ts";

/**
 * The last lines of a private key whose beginning is missing, before its END line at `end`; null when it is no private
 * key's. Reads backwards line by line, as far as there is base64.
 */
export function pemTail(text: string, end: number): Span | null {
  const marker = /-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
  marker.lastIndex = end;
  if (!marker.test(text)) return null;
  let start = end;
  for (;;) {
    const lineEnd = text[start - 1] === "\n" ? start - 1 : text.endsWith("\\n", start) ? start - 2 : -1;
    if (lineEnd < 1) break;
    let lineStart = lineEnd;
    while (lineStart > 0 && lineEnd - lineStart < 100 && /[A-Za-z0-9+/=\r \t]/.test(text[lineStart - 1]!))
      lineStart--;
    // "n" of a spelled-out line break belongs to the break.
    if (text[lineStart - 1] === "\\" && text[lineStart] === "n") lineStart++;
    const line = text.slice(lineStart, lineEnd).trim();
    if (!/^[A-Za-z0-9+/=]{4,100}$/.test(line)) break;
    if (line.length < 16 && start !== end) break;
    start = lineStart;
  }
  if (end - start < 20) return null;
  return { start, end: marker.lastIndex, next: marker.lastIndex };
}
