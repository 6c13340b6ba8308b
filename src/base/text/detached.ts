const isLatin = /^[\x00-\xff]*$/;

/** A copy of a string that is to be kept: V8's substrings hold the whole text that they were cut from. */
export function detachText(text: string): string {
  const encoding = isLatin.test(text) ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}
