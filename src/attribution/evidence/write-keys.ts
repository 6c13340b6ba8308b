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

/** Most sets are of the lines of a small file. A power of two, as every size is. */
const fewestPlaces = 64;

/** Keys of lines, in one array: thousands are asked for, and most are not in it. 0, which blank lines have, never is. */
export class KeySet {
  private keys = new Uint32Array(fewestPlaces);
  private size = 0;

  add(key: number): void {
    if (key === 0) return;
    const place = this.placeOf(key);
    if (this.keys[place] === key) return;
    this.keys[place] = key;
    if (++this.size * 2 > this.keys.length) this.grow();
  }

  has(key: number): boolean {
    return key !== 0 && this.keys[this.placeOf(key)] === key;
  }

  hasAny(keys: Uint32Array): boolean {
    if (this.size === 0) return false;
    for (let i = 0; i < keys.length; i++) if (this.has(keys[i]!)) return true;
    return false;
  }

  /** Of the key, or where it would be. Keys are checksums: their last digits are as good as any. */
  private placeOf(key: number): number {
    const { keys } = this;
    const last = keys.length - 1;
    let place = key & last;
    for (let there = keys[place]!; there !== 0 && there !== key; there = keys[place]!)
      place = (place + 1) & last;
    return place;
  }

  private grow(): void {
    const before = this.keys;
    this.keys = new Uint32Array(before.length * 2);
    for (const key of before) if (key !== 0) this.keys[this.placeOf(key)] = key;
  }
}
