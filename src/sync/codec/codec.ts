/** How what is shared lies in git: as it is, or encrypted, so that a shared remote holds nothing readable. */
export interface Codec {
  /** Paths in git where a file may lie; the first is where it is written to. */
  namesOf(path: string): readonly string[];
  /** The path of the file under a name; null where only its content tells. */
  pathAt(name: string): string | null;
  /** null: not to be read, or not what belongs there. */
  open(name: string, content: Uint8Array): Promise<{ path: string; text: string } | null>;
  seal(path: string, text: string): Promise<Uint8Array>;
  /** Files that say how to read the others. */
  control: ReadonlyMap<string, Uint8Array>;
}

/** Says that a branch is encrypted, and how. */
export const markerPath = "pommel.json";
/** Keys lie below. */
export const keysDir = "keys/";

/** Whether a path in git is no file that is shared, but says how to read those. */
export const isControl = (name: string) => name === markerPath || name.startsWith(keysDir);

export const plain: Codec = {
  namesOf: (path) => [path],
  pathAt: (name) => name,
  open: async (name, content) => ({ path: name, text: Buffer.from(content).toString() }),
  seal: async (_path, text) => Buffer.from(text),
  control: new Map(),
};

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
