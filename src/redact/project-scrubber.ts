import type { Config } from "../base/config/settings.ts";
import { readChangeStamp } from "../base/files/file-id.ts";
import type { Project } from "../base/paths.ts";
import { createScrubber } from "./create-scrubber.ts";
import {
  locateGlobalPatterns,
  locateProjectPatterns,
  type PatternSources,
} from "./patterns/patterns-file.ts";
import { createReviewer, type Reviewer } from "./review.ts";
import type { Scrubber } from "./scrubber.ts";

/**
 * The scrubber of a project, or of what is about none: the user's patterns, and those that the project adds.
 * @throws PommelError `config_invalid`
 */
export const createProjectScrubber = (project: Project | null, config: Config): Scrubber =>
  createScrubber(locatePatternSources(project, config));

/**
 * What tells of a text which values a scrubber of the project nearly removes.
 * @throws PommelError `config_invalid`
 */
export const createProjectReviewer = (project: Project, config: Config): Reviewer =>
  createReviewer(locatePatternSources(project, config));

const locatePatternSources = (project: Project | null, config: Config): PatternSources => ({
  globalFile: locateGlobalPatterns(),
  projectFile: project && locateProjectPatterns(project),
  pii: config["scrub.pii"],
});

/** The same for the rule files as they are now: made again when they change. */
export class CurrentScrubber {
  private known: { scrubber: Scrubber; of: string } | null = null;

  constructor(private readonly options: { project: Project; config: Config }) {}

  /** @throws PommelError `config_invalid` for rules that make no sense */
  get(): Scrubber {
    const { project, config } = this.options;
    const of = [locateGlobalPatterns(), locateProjectPatterns(project)].map(readChangeStamp).join();
    if (this.known?.of !== of) this.known = { scrubber: createProjectScrubber(project, config), of };
    return this.known.scrubber;
  }

  /** Of the last rules used; null before first use. */
  get lastVersion(): string | null {
    return this.known?.scrubber.version ?? null;
  }
}
