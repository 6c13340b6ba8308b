import { type GitInput, gitBuffer } from "../../git/git.ts";

/** Names in one run of git: what they take in memory stays small. */
const mostAtOnce = 500;

/**
 * Objects of a repository by name: a hash, or `<revision>:<path>`. What is not there, is ambiguous, or is larger than
 * `mostBytes` is missing from the answer.
 * @throws GitFailure
 */
export async function readObjects(
  dir: string,
  names: readonly string[],
  { mostBytes, signal }: { mostBytes: number; signal?: AbortSignal | undefined },
): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  // A line break in a name would be another name.
  const askable = [...new Set(names)].filter((name) => name !== "" && !/[\n\0]/.test(name));
  for (let start = 0; start < askable.length; start += mostAtOnce) {
    const some = askable.slice(start, start + mostAtOnce);
    const small = await smallOnes(dir, some, mostBytes, signal);
    if (small.length === 0) continue;
    const contents = await gitBuffer(
      dir,
      ["cat-file", "--batch"],
      given(
        small.map(({ hash }) => hash),
        signal,
      ),
    );
    let at = 0;
    for (const { name } of small) {
      const end = contents.indexOf(10, at);
      const size = Number(/ (\d+)$/.exec(contents.toString("latin1", at, end))?.[1]);
      // Gone since it was looked at, so what follows cannot be told apart.
      if (end < 0 || !Number.isInteger(size)) break;
      found.set(name, contents.subarray(end + 1, end + 1 + size));
      at = end + 1 + size + 1;
    }
  }
  return found;
}

async function smallOnes(dir: string, names: readonly string[], mostBytes: number, signal?: AbortSignal) {
  const format = "%(objectname) %(objectsize)";
  const checked = await gitBuffer(dir, ["cat-file", `--batch-check=${format}`], given(names, signal));
  const lines = checked.toString().split("\n");
  return names.flatMap((name, i) => {
    const [, hash, size] = /^([0-9a-f]{40,64}) (\d+)$/.exec(lines[i] ?? "") ?? [];
    return hash !== undefined && Number(size) <= mostBytes ? [{ name, hash }] : [];
  });
}

const given = (names: readonly string[], signal?: AbortSignal): GitInput => ({
  stdin: [`${names.join("\n")}\n`],
  signal,
});
