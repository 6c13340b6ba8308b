/** Escape sequences of terminals (ECMA-48): control sequences, strings such as titles and links, and the short ones. */
const escapes =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g;

/** A text without what would colour it in a terminal, or worse. */
export function withoutEscapes(text: string): string {
  return text.replace(escapes, "");
}
