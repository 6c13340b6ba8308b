import { computeTrashExpiry, locateTrash, type TrashEntry } from "../store/trash/trash.ts";

export { locateTrash };

/** What is in the trash, as answers and commands show it. */
export const describeEntry = (entry: TrashEntry) => ({
  number: entry.number,
  command: entry.command,
  what: entry.what,
  taken_at: new Date(entry.at).toISOString(),
  kept_until: new Date(computeTrashExpiry(entry)).toISOString(),
});
