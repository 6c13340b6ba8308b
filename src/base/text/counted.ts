/** "1 turn", "1,234 turns". @param nouns where it is more than an s */
export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
}
