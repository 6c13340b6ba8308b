import type { Logger } from "../../project/log.ts";
import type { Project } from "../../project/paths.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { attributeChange } from "../lines/attribute.ts";

/** What it takes to bind commits to what is remembered. */
export interface GitWork {
  memory: Memory;
  project: Project;
  /** Its worktrees, its own root among them (git/project-roots.ts). */
  roots: readonly string[];
  scrubber: Scrubber;
  log: Logger;
  /** False: what other tools wrote into messages says nothing; a measurement judges by it. */
  trustsTrailers?: boolean;
  /** Who wrote what; tests have their own. */
  attribute?: typeof attributeChange;
}
