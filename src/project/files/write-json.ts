import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes a file of JSON for its owner only, whole or not at all.
 * @throws system errors as they are
 */
export function writeJson(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    try {
      rmSync(draft, { force: true });
    } catch {
      // What kept it from being written matters more.
    }
    throw error;
  }
}
