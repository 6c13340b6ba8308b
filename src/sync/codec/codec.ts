/** How shared files are stored in git: plain or encrypted. */
export interface Codec {
  /** Possible paths of a file in git; it is written to the first. */
  namesOf(path: string): readonly string[];
  /** The path for a name; null when only the content has it. */
  pathAt(name: string): string | null;
  /** null: unreadable, or a file of another path. */
  open(name: string, content: Uint8Array): Promise<{ path: string; text: string } | null>;
  seal(path: string, text: string): Promise<Uint8Array>;
  /** Files needed to read the others. */
  control: ReadonlyMap<string, Uint8Array>;
}

/** Marks a branch as encrypted, and how. */
export const markerPath = "pommel.json";
/** Directory of keys. */
export const keysDir = "keys/";

/** Whether a path in git is a control file rather than a shared one. */
export const isControl = (name: string) => name === markerPath || name.startsWith(keysDir);

export const plain: Codec = {
  namesOf: (path) => [path],
  pathAt: (name) => name,
  open: async (name, content) => ({ path: name, text: Buffer.from(content).toString() }),
  seal: async (_path, text) => Buffer.from(text),
  control: new Map(),
};

/** Canonical JSON: keys sorted at any depth, no spaces, no undefined values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => compareText(a, b));
  // Keeps keys such as "__proto__".
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** By code units, independent of the locale. */
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
