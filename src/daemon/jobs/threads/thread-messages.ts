import type { Config } from "../../../base/config/settings.ts";
import type { ThrownError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Project } from "../../../base/paths.ts";
import type { JobKind } from "../../../store/memory/memory-records.ts";

/** Messages between the daemon and the threads that do jobs. A thread has one turn at a time. */

/** What threads do. The most urgent goes first, so that what led to a commit is read before it is analysed. */
export const threadKinds: readonly JobKind[] = ["transcript", "summary", "commit", "history"];
/** Jobs that change what those store. They take turns with them, the most urgent first. */
export const besideKinds: readonly JobKind[] = ["scrub", "recut", "retain"];

/** What is to be done: jobs of a project's queue that are due. */
export interface Turn {
  project: Project;
  config: Config;
  roots: readonly string[];
  kinds: readonly JobKind[];
  /** Whether a language model looks for secrets as well. */
  hasScrubbingModel: boolean;
}

export type ToThread =
  /** The owner of the turn's jobs: see `newOwner`. */
  | { turn: Turn; owner: string }
  /** Ends the turn where the job at hand can be resumed. */
  | "leave"
  /** File observations until it asked are stored. */
  | "settled"
  /** Ends the thread after its turn. */
  | "end";

export type FromThread =
  | { log: keyof Logger; message: string }
  /** Asks that file observations so far be stored. */
  | "settle"
  /** A job of the turn is done. */
  | "job"
  /** The turn is over. */
  | "over"
  | { failed: ThrownError };
