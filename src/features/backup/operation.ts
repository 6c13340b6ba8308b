import { defineLocalOperation } from "../../answers/local-operation.ts";

const load = () => import("./backups.ts");

/** Copies the memory. */
export const backUp = defineLocalOperation(async () => (await load()).backUpMemory);

export const listBackups = defineLocalOperation(async () => (await load()).listBackupsWithContent);

/** What a restore would change. */
export const previewRestore = defineLocalOperation(async () => (await load()).previewRestore);

/** Puts a backup in the place of the memory. No daemon may run. */
export const restoreBackup = defineLocalOperation(async () => (await load()).restoreBackup);
