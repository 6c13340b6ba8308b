/** One text for equal values, whoever writes them: keys sorted at any depth, no spaces, nothing that is undefined. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => compareText(a, b));
  // A key like "__proto__" has to stay a key.
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** By code units: the same order on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type Part = number | string | null;

/** Compares part by part; null comes first. */
export function compareParts(a: readonly Part[], b: readonly Part[]): number {
  for (const [i, one] of a.entries()) {
    const other = b[i] ?? null;
    if (one === other) continue;
    if (one === null) return -1;
    if (other === null) return 1;
    return one < other ? -1 : 1;
  }
  return 0;
}
