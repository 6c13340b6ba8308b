import { gitFields } from "../git.ts";
import { plain } from "../plain.ts";

/** A move of HEAD. */
export interface ReflogEntry {
  /** Where it went. */
  hash: string;
  /** Milliseconds since the epoch, whole seconds. */
  at: number;
  /** What was done: "commit: subject", "rebase (pick): subject", "checkout: moving from a to b". */
  action: string;
}

/**
 * Where HEAD of the working tree `dir` has been, newest first, as long as git remembers; commits that are gone since are
 * left out.
 * @throws GitFailure also where there is no commit yet
 */
export async function* reflogOf(
  dir: string,
  signal?: AbortSignal,
): AsyncGenerator<ReflogEntry, void, undefined> {
  const args = [
    ...plain,
    ...["log", "--walk-reflogs", "-z", "--no-patch", "--no-show-signature", "--no-color", "--no-decorate"],
    ...["--no-notes", "--encoding=UTF-8", "--date=unix", "--format=tformat:%H%x00%gd%x00%gs", "HEAD", "--"],
  ];
  const fields = gitFields(dir, args, signal);
  for await (const hash of fields) {
    const at = /\{(\d+)\}$/.exec((await fields.next()).value ?? "")?.[1];
    const action = (await fields.next()).value ?? "";
    yield { hash, at: Number(at ?? 0) * 1000, action };
  }
}
