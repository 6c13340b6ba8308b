/** What a commit, or the working tree, changed. */
export interface ChangedFile {
  /** From the project's root, with slashes; what lies outside of it is left out. Bytes that are no UTF-8 are U+FFFD. */
  path: string;
  /** What it was called before a rename or a copy; null else. */
  oldPath: string | null;
  status: "A" | "M" | "D" | "R" | "C" | "T";
  /** Binary files, symbolic links, submodules and files beyond the bounds of reading have no hunks. */
  isText: boolean;
  hunks: ChangedHunk[];
}

/** Lines without their line feeds; a carriage return at their end stays. */
export interface ChangedHunk {
  /**
   * Number of the first removed line in the old file, of the first added one in the new file; from 1. Where nothing was
   * removed, or added, that of the line which follows there (git names the one before).
   */
  oldStart: number;
  newStart: number;
  removed: string[];
  /** Of a merge only what none of its parents has. */
  added: string[];
}

/** A commit as git tells it. Times are milliseconds since the epoch. */
export interface CommitInfo {
  hash: string;
  tree: string;
  parents: string[];
  author: string;
  authorEmail: string;
  authoredAt: number;
  committedAt: number;
  /** Subject, blank line, body; as written. */
  message: string;
}

/** A line of a file with the commit that it came with. */
export interface BlamedLine {
  /** In the file as it is blamed, from 1. */
  line: number;
  /** null: not committed yet. */
  commit: string | null;
  /** Where it stood in that commit. */
  originalLine: number;
  originalPath: string;
  /** History was cut off there (shallow clone, boundary): the commit may not be the one that wrote it. */
  isBoundary: boolean;
  text: string;
}

/** The commits that a blame names, by hash. */
export interface BlamedCommit {
  author: string;
  authoredAt: number;
  summary: string;
}
