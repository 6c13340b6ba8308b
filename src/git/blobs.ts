import { gitBytes } from "./git.ts";
import { BatchReader } from "./objects.ts";
import { plain } from "./plain.ts";

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
  const reader = new BatchReader(longest, "blob");
  let at = 0;
  for await (const chunk of gitBytes(dir, [...plain, "cat-file", "--batch"], { signal, stdin })) {
    for (const bytes of reader.read(chunk)) yield { path: paths[at++]!, bytes };
  }
}
