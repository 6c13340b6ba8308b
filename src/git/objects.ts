import { PassThrough } from "node:stream";
import { GitFailure, gitBytes } from "./git.ts";
import { plain } from "./plain.ts";

const lineFeed = 10;

interface ObjectsOptions {
  /** Larger objects are left out. */
  maxBytes: number;
  /** Default: objects of any type. */
  type?: "blob" | "commit";
  signal?: AbortSignal | undefined;
}

/**
 * Objects by name: a hash, or `<revision>:<path>`. What is not there, is ambiguous, or is larger than `maxBytes` is
 * missing from the answer.
 * @throws GitFailure
 */
export type ReadObjects = (names: readonly string[]) => Promise<Map<string, Buffer>>;

/**
 * Lets `use` read objects of a repository, as often as what it reads names others: one process of git answers all of it.
 * It is started with the first name, and ends with `use`. One question after the other.
 */
export async function withObjects<T>(
  dir: string,
  { maxBytes, type, signal }: ObjectsOptions,
  use: (read: ReadObjects) => Promise<T>,
): Promise<T> {
  const asked = new PassThrough();
  const output = gitBytes(dir, [...plain, "cat-file", "--batch"], { signal, stdin: asked });
  const reader = new BatchReader(maxBytes, type);
  const read: ReadObjects = async (names) => {
    // A line break in a name would be another name.
    const askable = [...new Set(names)].filter((name) => name !== "" && !/[\n\0]/.test(name));
    asked.write(askable.map((name) => `${name}\n`).join(""));
    const answers: (Buffer | null)[] = [];
    while (answers.length < askable.length) {
      const { value, done } = await output.next();
      if (done) throw new GitFailure("failed", "git cat-file ended early");
      answers.push(...reader.read(value));
    }
    return new Map(
      askable.flatMap((name, i): [string, Buffer][] => {
        const bytes = answers[i] ?? null;
        return bytes === null ? [] : [[name, bytes]];
      }),
    );
  };
  try {
    return await use(read);
  } finally {
    asked.end();
    await output.return();
  }
}

/** As `withObjects`, for names that are known at once. */
export function readObjects(
  dir: string,
  names: readonly string[],
  options: ObjectsOptions,
): Promise<Map<string, Buffer>> {
  return withObjects(dir, options, (read) => read(names));
}

/** Reads `<hash> <type> <size>`, a line feed, so many bytes, a line feed; or one line that says that it is missing. */
export class BatchReader {
  private header = "";
  /** Bytes to come, with the line feed behind them; null: a header is being read. */
  private left: number | null = null;
  private parts: Buffer[] | null = null;

  constructor(
    private readonly longest: number,
    private readonly type?: "blob" | "commit",
  ) {}

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
