/** The words of a query that are worth marking. */
export function wordsOf(query: string): string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])];
}

/** A text in which the words of a query stand out. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return <>{text}</>;
  const pattern = new RegExp(`(${words.map(escaped).join("|")})`, "giu");
  return <>{text.split(pattern).map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}</>;
}

const escaped = (word: string) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
