import * as z from "zod/mini";

/** Metadata of a session. */
export const manifestEntry = z.object({
  session_id: z.string(),
  first_timestamp: z.string(),
  last_timestamp: z.string(),
  branch: z.nullable(z.string()),
  files_touched: z.array(z.string()),
});
type Entry = z.infer<typeof manifestEntry>;

const day = 24 * 3600 * 1000;
/** Maximum days between the end of one session and the start of its continuation on the same branch. */
const onBranch = 14;
const onFiles = 7;
const isMain = (branch: string | null) => branch === null || ["main", "master", "HEAD"].includes(branch);

/**
 * Which earlier sessions each session continues: one that began before it on the same branch, unless that is the main
 * one, and ended no more than two weeks before; or one that ended no more than a week before and touched at least half
 * of the files that it touches. Judged by time, branch and files, never by text.
 */
export function continuedBy(entries: readonly Entry[]): Map<string, Set<string>> {
  return new Map(
    entries.map((later) => [
      later.session_id,
      new Set(entries.filter((earlier) => continues(later, earlier)).map(({ session_id }) => session_id)),
    ]),
  );
}

function continues(later: Entry, earlier: Entry): boolean {
  if (Date.parse(earlier.first_timestamp) >= Date.parse(later.first_timestamp)) return false;
  const pause = (Date.parse(later.first_timestamp) - Date.parse(earlier.last_timestamp)) / day;
  if (!isMain(later.branch) && later.branch === earlier.branch && pause <= onBranch) return true;
  const shared = later.files_touched.filter((file) => earlier.files_touched.includes(file)).length;
  return shared > 0 && 2 * shared >= later.files_touched.length && pause <= onFiles;
}
