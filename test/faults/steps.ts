/** Pieces of work on a project, each of which can be interrupted and run again. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { claude } from "../../src/agents/claude/claude.ts";
import { changeMemory } from "../../src/answers/changing.ts";
import { reindexProject } from "../../src/answers/reindex.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { forgetNow } from "../../src/sessions/forget/forget.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { recutSessions } from "../../src/sessions/recut.ts";
import { decryptHome, encryptHome } from "../../src/store/encryption/convert.ts";
import { backUpDaily } from "../../src/store/memory/backups/backups.ts";
import { listAllBackups, locateBackupFolder } from "../../src/store/memory/backups/copies.ts";
import { replaceMemory } from "../../src/store/memory/backups/restore.ts";
import { repairMemory } from "../../src/store/memory/repair/repair.ts";
import { memorySchema } from "../../src/store/memory/schema.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import type { Schema } from "../../src/store/sqlite/schema.ts";

/** What a newer Pommel makes of the memory. */
export const newerSchema: Schema = {
  first: memorySchema.first,
  steps: [...memorySchema.steps, "ALTER TABLE sessions ADD COLUMN future TEXT"],
};

/** By their names; they throw what the work throws. */
export function stepsOf(root: string): Record<string, () => Promise<unknown> | unknown> {
  const project = makeNewProject(root);
  const steps: ReturnType<typeof stepsOf> = {
    index: () => reindexProject(project, [], {}),
    import: () =>
      changeMemory(
        project,
        async (memoryWork) => {
          const dir = join(root, "../transcripts");
          for (const name of readdirSync(dir).sort()) {
            await ingestTranscript({ ...memoryWork, agent: claude }, join(dir, name));
          }
        },
        { create: true },
      ),
    recut: () => changeMemory(project, (memoryWork) => recutSessions(memoryWork)),
    backup: () =>
      backUpDaily(project.memoryDb, { folder: locateBackupFolder(project.memoryDb, ""), keep: 2 }),
    "import, encrypted": () => steps.import!(),
    encrypt: () => encryptHome(`file:${join(root, "../our.key")}`, { backups: [] }),
    decrypt: () => decryptHome({ backups: [] }),
    migration: () => openDatabase(project.memoryDb, newerSchema, { readonly: false, precious: true }).close(),
    restore: () => replaceMemory(project.memoryDb, manualBackup(project.memoryDb)),
    repair: () => repairMemory(project.memoryDb),
    forget: () => changeMemory(project, (memoryWork) => forgetNow(memoryWork, { pattern: "falcon" })),
  };
  return steps;
}

const manualBackup = (memoryDb: string) =>
  listAllBackups(memoryDb).find(({ reason }) => reason === "manual")!.file;
