import type { ScrubbingWork } from "../sessions/work.ts";
import type { BranchProblem } from "./branch/branch.ts";
import type { RecordKind } from "./branch/shared-file.ts";
import type { EncryptionSettings } from "./codec/open-codec.ts";
import type { Signing } from "./origin/signed-records.ts";

/** Counts of shared or imported records. */
export interface SyncCounts {
  sessions: number;
  /** Turns that are new or have more lines. */
  turns: number;
  annotations: number;
  checkpoints: number;
  attributions: number;
  events: number;
}

export const makeEmptyCounts = (): SyncCounts => ({
  sessions: 0,
  turns: 0,
  annotations: 0,
  checkpoints: 0,
  attributions: 0,
  events: 0,
});

export const toCountName = (kind: RecordKind) => `${kind}s` as const satisfies keyof SyncCounts;

export interface SyncSettings extends EncryptionSettings {
  remote: string;
  /** Under which name this person shares; null: none is known. */
  author: string | null;
  /** Makes a key where this machine has none: asked for when nothing refuses the exchange. */
  signing: () => Signing | Promise<Signing>;
}

export interface SyncOptions {
  /** pull: only import. */
  direction?: "both" | "pull";
  /** Only fetch, and report what would change. */
  dryRun?: boolean;
  /** Whether to scrub texts again with the current rules before sharing. */
  filter?: boolean;
  /** For a pull: import everything on the branch again. */
  force?: boolean;
  /** The user allows this remote despite unknown readers; recorded. */
  allowPublic?: boolean;
  /** Include sessions from outside of the project. */
  everything?: boolean;
  /** Whether git may ask for a password at the terminal. */
  mayAsk?: boolean;
  /** Progress. */
  onProgress?: ((done: number, total: number, step: "importing" | "sharing") => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Why the sync is incomplete. */
interface SyncTrouble {
  kind: "no_remote" | "unreachable" | "damaged" | "rejected";
  message: string;
}

export interface SyncReport {
  branch: string;
  remote: string;
  encrypted: boolean;
  shared: SyncCounts;
  imported: SyncCounts;
  /** Number of unshared sessions from outside of the project. */
  leftOut: number;
  /** Number of sessions that the language model of `scrub.llm` has yet to read. */
  waiting: number;
  /** The local branch's final commit; null without one. */
  commit: string | null;
  /** Whether the remote has everything shared from here. */
  isUpToDate: boolean;
  /** Whether this run pushed. */
  pushed: boolean;
  /** Unreadable files on the branch. */
  problems: BranchProblem[];
  /** A ref to the commit with those files. */
  quarantine: string | null;
  trouble: SyncTrouble | null;
}

/** A hint for the user. */
export function chooseTroubleHint(
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

/** The context of a running sync. */
export interface SyncRun {
  work: ScrubbingWork;
  settings: SyncSettings;
  signing: Signing;
  options: SyncOptions;
  dir: string;
  /** The local branch. */
  ref: string;
  report: SyncReport;
}
