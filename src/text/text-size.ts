/** Sizes of texts, told without a tokeniser. */

/** Characters of a token, on average; the same for every model, as chunks must not change with it. */
export const charactersOfToken = 4;

export function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersOfToken);
}

/** The beginning of a text, up to the last blank that fits, with an ellipsis where something was left out. */
export function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, Math.max(most - 1, 0));
  const blank = cut.search(/\s+\S*$/);
  return `${(blank > most / 2 ? cut.slice(0, blank) : wholeCharacters(cut)).trimEnd()}…`;
}

/** Without a half of a character at its end. */
export function wholeCharacters(cut: string): string {
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Less than this of a text says nothing. Characters. */
const telling = 16;

/** Texts one per line, as many as fit, empty ones left out; the first that does not fit is shortened. */
export function joinWithin(texts: readonly string[], most: number): string {
  let joined = "";
  for (const text of texts) {
    if (text === "") continue;
    const room = most - joined.length - (joined === "" ? 0 : 1);
    if (room < Math.min(text.length, telling)) break;
    joined += `${joined === "" ? "" : "\n"}${beginningOf(text, room)}`;
  }
  return joined;
}
