import type { ScrubbingWork } from "../sessions/work.ts";
import type { Problem } from "./branch/branch.ts";
import type { EncryptionSettings } from "./codec/open-codec.ts";
import type { SyncCounts } from "./counts.ts";

export interface SyncSettings extends EncryptionSettings {
  remote: string;
}

export interface SyncOptions {
  /** pull: only take in. */
  direction?: "both" | "pull";
  /** Nothing is changed but what was fetched; the report says what would be. */
  dryRun?: boolean;
  /** Whether texts go through the scrubber in force once more before they are shared. */
  filter?: boolean;
  /** Of a pull: everything on the branch is taken in again. */
  force?: boolean;
  /** The user says that others may read the remote; remembered. */
  allowPublic?: boolean;
  /** Also sessions that ran outside of the project. */
  everything?: boolean;
  /** Whether git may ask for a password at the terminal. */
  mayAsk?: boolean;
  /** What is being done, and how much of it. */
  onProgress?: (step: "taking in" | "sharing", done: number, total: number) => void;
  signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Why not all was done. */
export interface SyncTrouble {
  kind: "no_remote" | "unreachable" | "damaged" | "rejected";
  message: string;
}

export interface SyncReport {
  branch: string;
  remote: string;
  encrypted: boolean;
  shared: SyncCounts;
  imported: SyncCounts;
  /** Sessions from outside of the project that are not shared. */
  leftOut: number;
  /** The branch's commit here at the end; null: there is none. */
  commit: string | null;
  /** The remote has all that is shared from here. */
  isUpToDate: boolean;
  /** This run pushed something. */
  pushed: boolean;
  /** What on the branch could not be read. */
  problems: Problem[];
  /** A ref that keeps the commit with those. */
  quarantine: string | null;
  trouble: SyncTrouble | null;
}

/** What a person can do about a trouble. */
export function hintFor(
  { kind }: SyncTrouble,
  { remote, branch }: Pick<SyncSettings, "remote" | "branch">,
): string {
  switch (kind) {
    case "no_remote":
      return "Add one with `git remote add`, or name another with `pm config set --global sync.remote NAME`.";
    case "unreachable":
      return `Check \`git ls-remote ${remote}\`, then run it again.`;
    case "damaged":
      return `If it cannot be repaired there, \`git push --force ${remote} ${branch}\` puts this machine's in its place.`;
    case "rejected":
      return "Run it again in a moment.";
  }
}

/** A synchronisation while it goes on. */
export interface Run {
  work: ScrubbingWork;
  settings: SyncSettings;
  options: SyncOptions;
  dir: string;
  /** The local branch. */
  ref: string;
  report: SyncReport;
}
