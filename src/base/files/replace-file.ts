import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";

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

interface ReplaceOptions {
  /** The file's permissions, whatever the umask; default: its owner's only. */
  mode?: number;
  /** The owner to set. Only root can change it. */
  owner?: { uid: number; gid: number } | null;
  /** The temporary file, in the same directory. */
  draft?: string;
  /** Its content is on the disk before it has its name. */
  synced?: boolean;
}

/**
 * Replaces a file atomically through a temporary file. Replaces links, too: resolve them first to keep them. Not
 * synced unless asked for, so the old file may return after a power failure.
 * @throws the file system's error
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, owner = null, draft = makeDraftPath(file), synced = false }: ReplaceOptions = {},
): void {
  try {
    writeFileSync(draft, content, { mode: 0o600, flush: synced });
    if (owner !== null) keepOwner(draft, owner);
    chmodSync(draft, mode);
    renameSync(draft, file);
  } catch (error) {
    discardDraft(draft);
    throw error;
  }
}

/** Replaces a file with formatted JSON, mode 0600. */
export function writeJson(file: string, value: unknown): void {
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** This process's temporary file for `file`. */
export function makeDraftPath(file: string): string {
  return `${file}.pommel-${process.pid}`;
}

/** Removes a draft, if it exists. */
export function discardDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // The original error matters more.
  }
}

function keepOwner(draft: string, { uid, gid }: { uid: number; gid: number }): void {
  try {
    const own = statSync(draft);
    if (own.uid !== uid || own.gid !== gid) chownSync(draft, uid, gid);
  } catch {
    // Keep it owned by the current user, as an editor would.
  }
}
