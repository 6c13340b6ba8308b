/** Text sizes, estimated without a tokeniser. */

/** Characters of a token, on average; the same for every model, as chunks must not change with it. */
export const charactersOfToken = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charactersOfToken);
}

/** The beginning of a text, cut at a space, with an ellipsis. */
export function shortenText(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, Math.max(max - 1, 0));
  const blank = cut.search(/\s+\S*$/);
  return `${(blank > max / 2 ? cut.slice(0, blank) : trimToWholeCharacters(cut)).trimEnd()}…`;
}

/** Removes an unpaired surrogate from the end. */
export function trimToWholeCharacters(cut: string): string {
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Shorter fragments are useless. Characters. */
const minFragment = 16;

/** A text in one line, without control and format characters: for programs and terminals that would obey them. */
export const toPlainLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();

/** Joins non-empty texts, one per line, up to `max` characters; shortens the first that does not fit. */
export function joinWithin(texts: readonly string[], max: number): string {
  let joined = "";
  for (const text of texts) {
    if (text === "") continue;
    const room = max - joined.length - (joined === "" ? 0 : 1);
    if (room < Math.min(text.length, minFragment)) break;
    joined += `${joined === "" ? "" : "\n"}${shortenText(text, room)}`;
  }
  return joined;
}
