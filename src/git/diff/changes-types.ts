/** A file that a commit or the working tree changed. */
export interface ChangedFile {
  /** Relative to the project's root, with slashes; files outside of it are omitted. Invalid UTF-8 becomes U+FFFD. */
  path: string;
  /** The path before a rename or copy, else null. */
  oldPath: string | null;
  status: "A" | "M" | "D" | "R" | "C" | "T";
  /** Binary files, symbolic links, submodules and files over the size limits have no hunks. */
  isText: boolean;
  /** It is over the size limits. */
  isTooLarge?: true;
  hunks: ChangedHunk[];
}

/** Lines without line feeds; carriage returns stay. */
export interface ChangedHunk {
  /**
   * The first removed line in the old file, the first added one in the new file; 1-based. Without any, the following
   * line (git names the one before).
   */
  oldStart: number;
  newStart: number;
  removed: string[];
  /** For a merge, only lines that no parent has. */
  added: string[];
}

/** Times are milliseconds since the epoch. */
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
  /** Only where they are asked for: lines that it added, by path. */
  files?: { path: string; added: number }[];
}

/** A line and the commit that introduced it. */
export interface BlamedLine {
  /** In the blamed file, 1-based. */
  line: number;
  /** null: not committed yet. */
  commit: string | null;
  /** Its line number in that commit. */
  originalLine: number;
  originalPath: string;
  /** History ends there (shallow clone): an older commit may have written the line. */
  isBoundary: boolean;
  text: string;
}

/** The commits that a blame names, by hash. */
export interface BlamedCommit {
  author: string;
  authoredAt: number;
  summary: string;
}
