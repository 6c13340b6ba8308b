import { gitBytes } from "./git.ts";
import { plain } from "./plain.ts";

const lineFeed = 10;

/** A file as a commit has it. */
export interface Blob {
  path: string;
  /** null: the commit has no such file, or it is longer than asked for. */
  bytes: Buffer | null;
}

/**
 * Files as a commit has them, in the order of `paths`, which are taken from `dir` and may not hold line feeds.
 * @param options.longest bytes
 * @throws GitFailure
 */
export async function* blobsOf(
  dir: string,
  revision: string,
  paths: readonly string[],
  { longest, signal }: { longest: number; signal?: AbortSignal },
): AsyncGenerator<Blob, void, undefined> {
  if (paths.length === 0) return;
  const stdin = paths.map((path) => `${revision}:./${path}\n`);
  const reader = new BatchReader(longest);
  let at = 0;
  for await (const chunk of gitBytes(dir, [...plain, "cat-file", "--batch"], { signal, stdin })) {
    for (const bytes of reader.read(chunk)) yield { path: paths[at++]!, bytes };
  }
}

/** Reads `<hash> <type> <size>`, a line feed, so many bytes, a line feed; or one line that says that it is missing. */
class BatchReader {
  private header = "";
  /** Bytes to come, with the line feed behind them; null: a header is being read. */
  private left: number | null = null;
  private parts: Buffer[] | null = null;

  constructor(private readonly longest: number) {}

  /** @returns what is complete now */
  read(chunk: Buffer): (Buffer | null)[] {
    const complete: (Buffer | null)[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.left === null) {
        const end = chunk.indexOf(lineFeed, at);
        this.header += chunk.toString("utf8", at, end === -1 ? chunk.length : end);
        if (end === -1) break;
        at = end + 1;
        const [, type, size] = /^[0-9a-f]{40,64} (\w+) (\d+)$/.exec(this.header) ?? [];
        this.header = "";
        if (size === undefined) {
          complete.push(null);
          continue;
        }
        this.left = Number(size) + 1;
        this.parts = type === "blob" && Number(size) <= this.longest ? [] : null;
      }
      const part = chunk.subarray(at, at + this.left);
      this.parts?.push(part);
      this.left -= part.length;
      at += part.length;
      if (this.left > 0) break;
      complete.push(this.parts && Buffer.concat(this.parts).subarray(0, -1));
      this.left = null;
    }
    return complete;
  }
}
