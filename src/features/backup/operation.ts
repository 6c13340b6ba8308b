import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { Project } from "../../base/paths.ts";

const load = () => import("./backups.ts");

/** Copies the memory. */
export const backUp = defineLocalOperation(async () => (await load()).backUpMemory);

export const listBackups = defineLocalOperation(async () => {
  const { listBackupsWithContent } = await load();
  return (project: Project) => listBackupsWithContent(project);
});

/** What a restore would change. */
export const previewRestore = defineLocalOperation(async () => (await load()).previewRestore);

/** Puts a backup in the place of the memory. No daemon may run. */
export const restoreBackup = defineLocalOperation(async () => (await load()).restoreBackup);
