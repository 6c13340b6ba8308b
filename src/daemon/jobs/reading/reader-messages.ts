import type { Config } from "../../../project/config/settings.ts";
import type { Logger } from "../../../project/log.ts";
import type { Project } from "../../../project/paths.ts";
import type { ThrownError } from "../../../project/thrown-error.ts";

/** Messages between the daemon and its threads that read transcripts. A thread has one turn at a time. */

/** What is to be read: the transcripts that are due in a project's queue. */
export interface ReadingTurn {
  project: Project;
  config: Config;
  roots: readonly string[];
  /** Whether a language model looks for secrets as well. */
  hasScrubbingModel: boolean;
}

export type ToReader =
  /** The owner of the turn's jobs: see `newOwner`. */
  | { turn: ReadingTurn; owner: string }
  /** Ends the turn where the job at hand can be resumed. */
  | "leave"
  /** Ends the thread after its turn. */
  | "end";

export type FromReader =
  | { log: keyof Logger; message: string }
  /** A job of the turn is done. */
  | "job"
  /** The turn is over. */
  | "over"
  | { failed: ThrownError };
