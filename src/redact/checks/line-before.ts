/** What stands before a position on its line, its last `most` characters: a line may be as long as the text. */
export function lineBefore(text: string, at: number, most: number): string {
  const before = text.slice(Math.max(0, at - most), at);
  return before.slice(before.lastIndexOf("\n") + 1);
}
