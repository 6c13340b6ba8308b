import { rmSync } from "node:fs";
import { ownEnvelope } from "../../encryption/envelope.ts";
import { removeDatabase } from "../../sqlite/copy-database.ts";
import { allCopies, damagedFiles } from "./copies.ts";
import { removeLeftovers } from "./leftovers.ts";

/**
 * Removes all copies of a memory, as what was forgotten must not be in them: backups, what restores and repairs put aside, and
 * what killed processes left of these.
 */
export function removeCopies(memoryDb: string): void {
  for (const file of [...allCopies(memoryDb).map((copy) => copy.file), ...damagedFiles(memoryDb)])
    removeCopy(file);
  removeLeftovers(memoryDb);
}

/** Removes a copy, and what lies beside it. */
export function removeCopy(file: string): void {
  removeDatabase(file);
  rmSync(ownEnvelope(file), { force: true });
}
