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
