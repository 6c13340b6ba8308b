import { gitFields } from "../git.ts";

/** A commit that took others back: their hashes as its message has them, whole or abbreviated. */
export interface Revert {
  hash: string;
  of: string[];
}

/**
 * Commits in HEAD's history that say "This reverts commit <hash>", as `git revert` writes it, the latest first.
 * @param since none older than this; milliseconds since the epoch
 * @throws GitFailure
 */
export async function revertsSince(dir: string, since: number, signal?: AbortSignal): Promise<Revert[]> {
  const reverts: Revert[] = [];
  const seconds = Math.max(Math.floor(since / 1000), 0);
  const fields = gitFields(
    dir,
    [
      ...["log", "-z", "--no-show-signature", "--no-color", "--fixed-strings", "--grep=This reverts commit "],
      ...["--encoding=UTF-8", `--since=@${seconds}`, "--format=%H%n%B", "HEAD"],
    ],
    signal,
  );
  for await (const field of fields) {
    const [hash = "", ...message] = field.trim().split("\n");
    const of = [...message.join("\n").matchAll(/This reverts commit ([0-9a-f]{7,64})\b/g)].map(
      ([, of]) => of!,
    );
    if (of.length > 0) reverts.push({ hash, of });
  }
  return reverts;
}

/** The revert that holds of a commit; null where there is none, or where each was itself taken back. */
export function revertOf(hash: string, reverts: readonly Revert[], depth = 0): string | null {
  // A message may say anything, even that two commits take each other back.
  if (depth > 20) return null;
  const holding = reverts.find(
    (revert) =>
      revert.hash !== hash &&
      revert.of.some((prefix) => hash.startsWith(prefix)) &&
      revertOf(revert.hash, reverts, depth + 1) === null,
  );
  return holding?.hash ?? null;
}
