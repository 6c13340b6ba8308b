import { getOrCreate } from "../../base/multimap.ts";
import type { Share, Shares } from "../shares.ts";
import { blameAuthors } from "../values.ts";

export function addShare(sum: Share, share: Share): void {
  for (const key of ["lines", ...blameAuthors] as const) sum[key] += share[key];
}

export interface SharedEntry extends Share {
  /** A file, or with a slash at its end a directory. From the project's root. */
  path: string;
}

/** Files summed up by what lies directly in a directory; most lines first. */
export function sumByEntry(files: NonNullable<Shares["by_file"]>, prefix: string): SharedEntry[] {
  const entries = new Map<string, SharedEntry>();
  for (const { file, ...share } of files) {
    if (!file.startsWith(prefix)) continue;
    const end = file.indexOf("/", prefix.length);
    const path = end < 0 ? file : file.slice(0, end + 1);
    addShare(
      getOrCreate(entries, path, () => ({ path, ...makeEmptyShare() })),
      share,
    );
  }
  return [...entries.values()].sort((a, b) => b.lines - a.lines);
}

export const makeEmptyShare = (): Share => ({ lines: 0, agent: 0, human: 0, unknown: 0, before_agents: 0 });
