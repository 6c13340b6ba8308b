/** Where the window of `size` lines begins that has most of the words; the first of equals. */
export function findBestWindow(lines: readonly string[], words: readonly string[], size: number): number {
  const scores = lines.map((line) => {
    const lower = line.toLowerCase();
    return words.filter((word) => lower.includes(word)).length;
  });
  let best = { start: 0, score: -1 };
  for (let start = 0; start === 0 || start + size <= lines.length; start++) {
    const score = scores.slice(start, start + size).reduce((sum, one) => sum + one, 0);
    if (score > best.score) best = { start, score };
  }
  return best.start;
}
