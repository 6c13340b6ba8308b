/** How well a path fits letters that it has in their order: more is better; null: it has not. */
export function scorePathMatch(letters: string, path: string): number | null {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (name.startsWith(letters)) return 4;
  if (name.includes(letters)) return 3;
  if (lower.includes(letters)) return 2;
  let at = -1;
  let breaks = 0;
  for (const letter of letters) {
    const next = lower.indexOf(letter, at + 1);
    if (next === -1) return null;
    if (next !== at + 1) breaks++;
    at = next;
  }
  return 1 - breaks / (letters.length + 1);
}
