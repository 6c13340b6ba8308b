import { PassThrough } from "node:stream";
import { GitFailure, plain, readGitBytes } from "./git.ts";

const lineFeed = 10;

interface ObjectsOptions {
  /** Larger objects are omitted. */
  maxBytes: number;
  /** Default: objects of any type. */
  type?: "blob" | "commit";
  signal?: AbortSignal | undefined;
}

/**
 * Objects by name: a hash, or `<revision>:<path>`. Omits missing or ambiguous objects and those larger than `maxBytes`.
 * @throws GitFailure
 */
export type ReadObjects = (names: readonly string[]) => Promise<Map<string, Buffer>>;

/**
 * Lets `use` read objects of a repository through one git process, as often as needed; the process ends with `use`.
 * Reads must be sequential.
 */
export async function withObjects<T>(
  dir: string,
  { maxBytes, type, signal }: ObjectsOptions,
  use: (read: ReadObjects) => Promise<T>,
): Promise<T> {
  const stdin = new PassThrough();
  const output = readGitBytes(dir, [...plain, "cat-file", "--batch"], { signal, stdin: stdin });
  const reader = new BatchReader(maxBytes, type);
  const read: ReadObjects = async (names) => {
    // A line break would separate two names.
    const valid = [...new Set(names)].filter((name) => name !== "" && !/[\n\0]/.test(name));
    stdin.write(valid.map((name) => `${name}\n`).join(""));
    const answers: (Buffer | null)[] = [];
    while (answers.length < valid.length) {
      const { value, done } = await output.next();
      if (done) throw new GitFailure("failed", "git cat-file ended early");
      answers.push(...reader.read(value));
    }
    return new Map(
      valid.flatMap((name, i): [string, Buffer][] => {
        const bytes = answers[i] ?? null;
        return bytes === null ? [] : [[name, bytes]];
      }),
    );
  };
  try {
    return await use(read);
  } finally {
    stdin.end();
    await output.return();
  }
}

/** `withObjects` for a fixed set of names. */
export function readObjects(
  dir: string,
  names: readonly string[],
  options: ObjectsOptions,
): Promise<Map<string, Buffer>> {
  return withObjects(dir, options, (read) => read(names));
}

/** Parses `<hash> <type> <size>`, a line feed, that many bytes, a line feed; or one line for a missing object. */
class BatchReader {
  private header = "";
  /** Remaining bytes including the final line feed; null while reading a header. */
  private left: number | null = null;
  private parts: Buffer[] | null = null;

  constructor(
    private readonly longest: number,
    private readonly type?: "blob" | "commit",
  ) {}

  /** @returns the objects completed by this chunk */
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
        const isWanted = this.type === undefined || type === this.type;
        this.parts = isWanted && Number(size) <= this.longest ? [] : null;
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

/** A file at a commit. */
interface GitBlob {
  path: string;
  /** null: missing in the commit, or larger than `longest`. */
  bytes: Buffer | null;
}

/**
 * Files at a commit, in the order of `paths`, which are relative to `dir` and contain no line feeds.
 * @param options.longest bytes
 * @throws GitFailure
 */
export async function* readBlobs(
  dir: string,
  revision: string,
  paths: readonly string[],
  { longest, signal }: { longest: number; signal?: AbortSignal },
): AsyncGenerator<GitBlob, void, undefined> {
  if (paths.length === 0) return;
  const stdin = paths.map((path) => `${revision}:./${path}\n`);
  const reader = new BatchReader(longest, "blob");
  let at = 0;
  for await (const chunk of readGitBytes(dir, [...plain, "cat-file", "--batch"], { signal, stdin })) {
    for (const bytes of reader.read(chunk)) yield { path: paths[at++]!, bytes };
  }
}
