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

/** The beginning of a text as one line. Of a very long text only the beginning is looked at. */
export const shortenFlat = (text: string, max: number): string =>
  shortenText(
    text
      .slice(0, max * 4)
      .replace(/\s+/g, " ")
      .trim(),
    max,
  );

/** Where a sentence ends, and where a clause does. */
const sentenceEnd = /[.!?…](?=\s)/g;
const clauseEnd = /[;:—–](?=\s)|,(?= (?:which|and|but|so|because|since|as)\b)/g;
/** A part that ends earlier says too little. */
const minShare = 0.4;

/**
 * The beginning of a text in whole sentences, as many as fit; else up to the end of a clause, else of a word, with an ellipsis.
 */
export function shortenToClause(text: string, max: number): string {
  if (text.length <= max) return text;
  const findEnd = (ends: RegExp, room: number) =>
    Array.from(text.slice(0, room).matchAll(ends), ({ index }) => index).at(-1) ?? -1;
  const sentence = findEnd(sentenceEnd, max + 1);
  if (sentence >= max * minShare) return text.slice(0, sentence + 1);
  const clause = findEnd(clauseEnd, max);
  return clause >= max * minShare ? `${text.slice(0, clause).trimEnd()}…` : shortenText(text, max);
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
