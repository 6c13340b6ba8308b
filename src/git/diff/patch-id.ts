import { gitBytes, plain, plainEnvironment } from "../git.ts";
import { linesOf } from "../output-lines.ts";

/**
 * Each commit's patch id, by hash: equal for a commit and its rebased or cherry-picked copies, wherever their lines
 * moved. Merges, empty commits and unknown ones have none.
 * @throws GitFailure
 */
export async function patchIdsOf(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  if (hashes.length === 0) return ids;
  const diff = [
    ...plain,
    ...["diff-tree", "--stdin", "--root", "-r", "-p", "-U3", "--no-renames", "--full-index", "--no-ext-diff"],
    ...[
      "--no-textconv",
      "--no-color",
      "--submodule=short",
      "-O/dev/null",
      "--src-prefix=a/",
      "--dst-prefix=b/",
    ],
    ...["--no-relative", "--inter-hunk-context=0"],
  ];
  let failure: unknown = null;
  async function* patches() {
    try {
      yield* gitBytes(dir, diff, { signal, stdin: hashes.map((hash) => `${hash}\n`), env: plainEnvironment });
    } catch (error) {
      failure = error;
    }
  }
  for await (const lines of linesOf(gitBytes(dir, ["patch-id", "--stable"], { signal, stdin: patches() }))) {
    for (const line of lines) {
      const [id, hash] = line.split(" ");
      if (id !== undefined && hash !== undefined) ids.set(hash, id);
    }
  }
  if (failure !== null) throw failure;
  return ids;
}
