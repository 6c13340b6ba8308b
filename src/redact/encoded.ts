/** How a hex dump begins, by xxd, by `hexdump -C`, and by `od -x` and hexdump. */
const dumpBeginnings = ["00000000: ", "00000000  ", "0000000 "];
const dumpLine = /^[0-9a-f]{7,8}:? {1,2}((?:[0-9a-f]{2}(?:[0-9a-f]{2})? {1,2}){1,16})[^\n]{0,20}(?:\n|$)/;
/** A dump has at most so many lines. */
const maxDumpLines = 2_000;

/**
 * Base64 that may hide a secret: where one of these words would stand in it. A word has three forms in base64, by where
 * it begins in a group of three bytes; the characters that also depend on its neighbours are left out.
 */
const words = (
  "password Password PASSWORD passwd secret Secret SECRET token TOKEN api_key API_KEY apiKey apikey _KEY= " +
  'PRIVATE postgres:// postgresql:// mysql:// mongodb redis:// amqp:// Bearer "kty"'
).split(" ");

/** Shorter forms occur by chance. Characters. */
const minForm = 6;

/** What to look for in a text. */
export const encodedWords: readonly string[] = [
  ...dumpBeginnings,
  ...new Set(
    words.flatMap((word) =>
      [0, 1, 2].map((offset) => {
        const encoded = Buffer.from(`${"\0".repeat(offset)}${word}`)
          .toString("base64")
          .replace(/=+$/, "");
        const bits = (offset + word.length) * 8;
        return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
      }),
    ),
  ),
].filter((form) => form.length >= minForm);

/** What the bytes of a hex dump say that begins at a position. */
function decodedDump(text: string, start: number): { found: Encoded | null; searched: number } {
  let end = start;
  let hex = "";
  for (let line = 0; line < maxDumpLines; line++) {
    const match = dumpLine.exec(text.slice(end, end + 120));
    if (match === null) break;
    const [, groups = ""] = match;
    // A number of two bytes, the lower one first.
    const isSwapped = /^[0-9a-f]{7} +[0-9a-f]{4}/.test(match[0]);
    hex += (isSwapped ? groups.replace(/([0-9a-f]{2})([0-9a-f]{2})/g, "$2$1") : groups).replaceAll(" ", "");
    end += match[0].length;
  }
  const decoded = Buffer.from(hex, "hex").toString("latin1");
  return { found: end > start ? { start, end, decoded } : null, searched: Math.max(end, start + 1) };
}

/** Longer ones are files. Characters. */
const maxLength = 20_000;
const minLength = 16;

/** Base64 or a hex dump in a text. */
export interface Encoded {
  start: number;
  end: number;
  decoded: string;
}

/** The base64 around a position, if a text is in it, and where to continue the search. */
export function decodedAround(text: string, position: number): { found: Encoded | null; searched: number } {
  if (dumpBeginnings.some((beginning) => text.startsWith(beginning, position)))
    return decodedDump(text, position);
  let start = position;
  while (start > 0 && position - start < maxLength && isBase64(text.charCodeAt(start - 1))) start--;
  let end = position;
  while (end < text.length && end - position < maxLength && isBase64(text.charCodeAt(end))) end++;
  const searched = end;
  if (end - start < minLength || end - start >= maxLength) return { found: null, searched };
  while (text[end] === "=") end++;
  const bytes = Buffer.from(text.slice(start, end), "base64");
  const decoded = bytes.toString("utf8");
  const isText = !/[\x00-\x08\x0e-\x1a\ufffd]/.test(decoded);
  return { found: isText ? { start, end, decoded } : null, searched };
}

function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 45 ||
    code === 95
  );
}
