import type { Config } from "../../../base/config/settings.ts";
import type { ThrownError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Project } from "../../../base/paths.ts";
import type { JobKind } from "../../../store/memory/memory-records.ts";

/** Messages between the daemon and the threads that do jobs. A thread has one turn at a time. */

/** Jobs that threads do. The most urgent goes first, so that the sessions that led to a commit are read before it is analysed. */
export const threadKinds: readonly JobKind[] = ["transcript", "summary", "commit", "history"];
/** Jobs that change what `threadKinds` store. The two take turns, the most urgent first. */
export const besideKinds: readonly JobKind[] = ["scrub", "recut", "retain"];

/** A turn: the due jobs of one project's queue. */
export interface JobTurn {
  project: Project;
  config: Config;
  roots: readonly string[];
  kinds: readonly JobKind[];
  /** Whether a language model looks for secrets as well. */
  hasScrubbingModel: boolean;
}

export type ToThread =
  /** The owner of the turn's jobs: see `newOwner`. */
  | { turn: JobTurn; owner: string }
  /** Ends the turn where the job at hand can be resumed. */
  | "leave"
  /** Answers `settle`: the file observations up to then are stored. */
  | "settled"
  /** Ends the thread after its turn. */
  | "end";

export type FromThread =
  | { log: keyof Logger; message: string }
  /** Asks the daemon to store the file observations so far. */
  | "settle"
  /** A job of the turn is done. */
  | "job"
  /** The turn is over. */
  | "over"
  | { failed: ThrownError };
