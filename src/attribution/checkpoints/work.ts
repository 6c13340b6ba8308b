import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { attributeChange } from "../lines/attribute.ts";

/** Everything needed to bind commits to stored sessions. */
export interface GitWork {
  memory: Memory;
  project: Project;
  /** Its worktrees, its own root among them (git/projects/roots.ts). */
  roots: readonly string[];
  scrubber: Scrubber;
  log: Logger;
  /** False: ignore what other tools wrote into messages; a measurement uses them as its reference. */
  trustsTrailers?: boolean;
  /** Finds the authors; tests have their own. */
  attribute?: typeof attributeChange;
}
