/**
 * Tokens of a text are estimated, on the safe side: two ASCII characters or less than one other to a token, where
 * tokenizers make 3 to 4 characters of English and code, and one of Chinese. Too long a text is not cut off here but
 * refused by the server, and then shortened.
 */
const perAscii = 0.5;
const perOther = 1.5;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) tokens += text.charCodeAt(i) < 128 ? perAscii : perOther;
  return tokens;
}

/** The beginning of `text` with at most `most` tokens, as estimated. */
export function cutToTokens(text: string, most: number): string {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) {
    tokens += text.charCodeAt(i) < 128 ? perAscii : perOther;
    if (tokens > most) return cutAt(text, i);
  }
  return text;
}

/** The first `length` UTF-16 units of `text`, one less where that would halve a character. */
export function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
