import { statSync } from "node:fs";

/** Names a file or directory as long as it exists, also where it is moved; null where there is none. */
export function readFileId(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  // Numbers of inodes are used again at once; the time of birth tells one from the next.
  return stat ? `${stat.dev}:${stat.ino}:${Math.round(stat.birthtimeMs)}` : null;
}

/** Changes with a file or a directory's entries; "" where there is none. Of one that is replaced the inode changes. */
export function readChangeStamp(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.mtimeMs}/${stat.size}/${stat.ino}` : "";
  } catch {
    return "unreadable";
  }
}
