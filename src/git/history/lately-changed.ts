import { GitFailure } from "../git.ts";
import { listCommits } from "./history.ts";

/** Commits that are looked at. */
const maxCommits = 300;
/** A commit that touches more files is an import or a rename, and says nothing of any of them. */
const maxFiles = 100;
/** After so many commits one says half as much. */
const halfLifeCommits = 50;

/** Files that the latest commits of HEAD touched, those that they touched most and last in front; none where git fails. */
export async function listLatelyChanged(dir: string): Promise<string[]> {
  const scores = new Map<string, number>();
  let commits = 0;
  try {
    for await (const { files } of listCommits(dir, { limit: maxCommits })) {
      const weight = 0.5 ** (commits++ / halfLifeCommits);
      if (files.length > maxFiles) continue;
      for (const file of files) scores.set(file, (scores.get(file) ?? 0) + weight);
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return [];
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([file]) => file);
}
