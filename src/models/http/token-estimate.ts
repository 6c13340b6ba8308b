/**
 * Tokens of a text are estimated, on the safe side: two ASCII characters or less than one other to a token, where
 * tokenizers make 3 to 4 characters of English and code, and one of Chinese. A text that is still too long is rejected
 * by the server, then shortened.
 */
const tokensPerAsciiChar = 0.5;

const tokensPerOtherChar = 1.5;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++)
    tokens += text.charCodeAt(i) < 128 ? tokensPerAsciiChar : tokensPerOtherChar;
  return tokens;
}

/** The beginning of `text` with at max `max` estimated tokens. */
export function cutToTokens(text: string, max: number): string {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) {
    tokens += text.charCodeAt(i) < 128 ? tokensPerAsciiChar : tokensPerOtherChar;
    if (tokens > max) return cutAt(text, i);
  }
  return text;
}

/** The first `length` UTF-16 units of `text`, without splitting a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
