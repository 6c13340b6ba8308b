import { GitFailure, gitBuffer } from "../../git/git.ts";
import type { Lineage } from "../../git/history/ancestry.ts";
import { linesOfToolUses } from "../../store/memory/commits/attributions.ts";
import { filesOfCommit } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Write } from "../evidence/writes.ts";

/**
 * The written lines that a change's history already has: whoever adds such a line again is not its first writer. By
 * tool call and path, the count of each key.
 */
export async function consumedBefore(
  { memory, ...git }: { memory: Memory } & AncestorSources,
  parent: string,
  writes: readonly Write[],
  signal?: AbortSignal,
): Promise<Map<string, Map<number, number>>> {
  const calls = [...new Set(writes.map(({ toolUse }) => toolUse))];
  const sessions = [...new Set(writes.map(({ sessionUid }) => sessionUid))];
  const taken = linesOfToolUses(memory, { sessions, calls });
  const before = await ancestorsAmong(git, parent, [...new Set(taken.map(({ hash }) => hash))], signal);
  const consumed = new Map<string, Map<number, number>>();
  const added = new Map<string, ReturnType<typeof filesOfCommit>>();
  for (const { id, hash, toolUse, path, first, last } of taken) {
    if (!before.has(hash)) continue;
    const file = `${id} ${path}`;
    if (!added.has(file)) added.set(file, filesOfCommit(memory, id, path));
    const keys = consumed.get(toolUse) ?? new Map<number, number>();
    consumed.set(toolUse, keys);
    for (const { line, key } of added.get(file)![0]?.added ?? []) {
      if (line >= first && line <= last) keys.set(key, (keys.get(key) ?? 0) + 1);
    }
  }
  return consumed;
}

/** Where it is looked up who comes before whom. */
export interface AncestorSources {
  root: string;
  /** Read once for many commits; without it git is asked. */
  lineage?: Lineage | undefined;
}

/** Those of the commits that `tip` is, or comes after. */
export async function ancestorsAmong(
  { root, lineage }: AncestorSources,
  tip: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  const known = lineage?.ancestorsAmong(tip, hashes);
  if (known) return known;
  const ancestors = new Set(hashes);
  if (hashes.length === 0) return ancestors;
  try {
    const stdin = [`${hashes.join("\n")}\n^${tip}\n`];
    const others = await gitBuffer(root, ["rev-list", "--ignore-missing", "--stdin"], { stdin, signal });
    for (const hash of others.toString("latin1").split("\n")) ancestors.delete(hash);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return new Set();
  }
  return ancestors;
}
