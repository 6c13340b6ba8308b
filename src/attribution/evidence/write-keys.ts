import type { Write } from "./writes.ts";

/** The keys of what a write put in and took out, in its order. */
interface WriteKeys {
  added: Uint32Array;
  removed: Uint32Array;
}

/** By its hunks, which copies of a write share. */
const packed = new WeakMap<Write["hunks"], WriteKeys>();

/**
 * Packed once for all commits: the first question about each of thousands of writes is whether it has anything to do
 * with a change.
 */
export function keysOf({ hunks }: Write): WriteKeys {
  const known = packed.get(hunks);
  if (known) return known;
  const added: number[] = [];
  const removed: number[] = [];
  for (const hunk of hunks) {
    for (const { key, isNew } of hunk.lines) if (isNew) added.push(key);
    for (const { key } of hunk.removed) removed.push(key);
  }
  const keys = { added: Uint32Array.from(added), removed: Uint32Array.from(removed) };
  packed.set(hunks, keys);
  return keys;
}

const places = 1 << 16;

/** Keys of lines, for a set that most keys it is asked for are not in: those cost a look into an array. */
export class KeySet {
  private readonly known = new Set<number>();
  private readonly mayHave = new Uint8Array(places);

  add(key: number): void {
    this.known.add(key);
    this.mayHave[key & (places - 1)] = 1;
  }

  has(key: number): boolean {
    return this.mayHave[key & (places - 1)] === 1 && this.known.has(key);
  }

  hasAny(keys: Uint32Array): boolean {
    for (let i = 0; i < keys.length; i++) if (this.has(keys[i]!)) return true;
    return false;
  }
}
