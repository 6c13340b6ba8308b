import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { deadDrafts, removeDeadDrafts } from "../../../project/files/dead-drafts.ts";
import { rollBack } from "../../sqlite/open-to-read.ts";
import { knownBackupFolders } from "./copies.ts";
import { undoReplacement } from "./put-in-place.ts";

/** What killed processes left behind of a memory: half-written copies of it, and replacements that did not come to their end. */

/**
 * Puts the memory back to where it was before a replacement that was killed, and removes drafts of dead processes. For whoever
 * holds the writer lock.
 * @returns what was removed
 */
export function recoverMemory(memoryDb: string): string[] {
  rollBack(memoryDb);
  return [...undoReplacement(memoryDb), ...removeLeftovers(memoryDb)];
}

/** Removes drafts of dead processes. @returns which */
export const removeLeftovers = (memoryDb: string): string[] => removeDeadDrafts(foldersWithDrafts(memoryDb));

/** Drafts of dead processes that hold copies of the memory, or parts of them. */
export const leftoversOf = (memoryDb: string): string[] => deadDrafts(foldersWithDrafts(memoryDb));

const foldersWithDrafts = (memoryDb: string) => [
  dirname(memoryDb),
  ...knownBackupFolders(memoryDb),
  tmpdir(),
];
