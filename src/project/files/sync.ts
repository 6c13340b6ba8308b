import { closeSync, fsyncSync, openSync } from "node:fs";

/** Forces a file, or the names in a directory, to the disk. */
export function sync(path: string): void {
  // Windows opens no directories; it keeps names in a journal.
  if (process.platform === "win32") return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
