/** The most keys to keep, about a megabyte. Files that changed least recently are dropped. */
const maxKeys = 300_000;

/** The keys of the lines of files when last seen (attribution/lines/line-keys.ts). */
export class KeysOfFiles {
  /** In the order of their last change. null: the earlier content is unknown until the next change. */
  private readonly files = new Map<string, Uint32Array | null>();
  private total = 0;

  constructor(private readonly most = maxKeys) {}

  has(path: string): boolean {
    return this.files.has(path);
  }

  clear(): void {
    this.files.clear();
    this.total = 0;
  }

  /** @param options.isUnclear the next change cannot show which lines are new */
  forget(path: string, { isUnclear }: { isUnclear: boolean }): void {
    this.drop(path);
    if (isUnclear) this.files.set(path, null);
    this.dropExcess();
  }

  /**
   * Stores the current lines of a file.
   * @returns the keys of new lines, each as often as it was added; without blank lines
   */
  replace(path: string, keys: ArrayLike<number>): number[] {
    const before = this.files.get(path);
    const fresh = before === null ? [] : findNewKeys(before ?? [], keys);
    this.drop(path);
    this.files.set(path, Uint32Array.from(keys));
    this.total += keys.length;
    this.dropExcess();
    return fresh;
  }

  private drop(path: string): void {
    this.total -= this.files.get(path)?.length ?? 0;
    this.files.delete(path);
  }

  private dropExcess(): void {
    for (const path of this.files.keys()) {
      if (this.total <= this.most && this.files.size <= this.most / 10) return;
      this.drop(path);
    }
  }
}

function findNewKeys(before: ArrayLike<number>, now: ArrayLike<number>): number[] {
  const left = new Map<number, number>();
  for (let i = 0; i < before.length; i++) left.set(before[i]!, (left.get(before[i]!) ?? 0) + 1);
  const fresh: number[] = [];
  for (let i = 0; i < now.length; i++) {
    const key = now[i]!;
    const known = left.get(key) ?? 0;
    if (known > 0) left.set(key, known - 1);
    else if (key !== 0) fresh.push(key);
  }
  return fresh;
}
