import { chmodSync, chownSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

interface ReplaceOptions {
  /** The file's permissions, whatever the umask; default: its owner's only. */
  mode?: number;
  /** Whose it shall be. Matters to root (in a container, say); others cannot give files away. */
  owner?: { uid: number; gid: number } | null;
  /** Where it is written until it is whole, in the same directory. */
  draft?: string;
}

/**
 * Writes a file whole or not at all: beside it first, then in its place. In the place of a link, too: resolve it before to
 * keep it. Nothing is synced to disk, so after a power failure it may be the old one.
 * @throws the file system's error
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, owner = null, draft = draftOf(file) }: ReplaceOptions = {},
): void {
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    if (owner !== null) keepOwner(draft, owner);
    chmodSync(draft, mode);
    renameSync(draft, file);
  } catch (error) {
    discard(draft);
    throw error;
  }
}

/** As `replaceFile`, for its owner only: `value` as JSON that people can read. */
export function writeJson(file: string, value: unknown): void {
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Where this process writes `file` until it is whole. */
export function draftOf(file: string): string {
  return `${file}.pommel-${process.pid}`;
}

/** Removes a draft that nobody needs; it may not be there. */
export function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // What kept it from being written matters more.
  }
}

function keepOwner(draft: string, { uid, gid }: { uid: number; gid: number }): void {
  try {
    const own = statSync(draft);
    if (own.uid !== uid || own.gid !== gid) chownSync(draft, uid, gid);
  } catch {
    // Then it is ours, as any editor would leave it.
  }
}
