import { statSync } from "node:fs";
import type { Config } from "../../project/config/settings.ts";
import type { Project } from "../../project/paths.ts";
import { globalPatternsFile, projectPatternsFile } from "../../redact/patterns/patterns-file.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import { scrubberOf } from "../../sessions/from-config.ts";

/** The scrubber for the current rule files, rebuilt when they change. */
export class CurrentScrubber {
  private known: { scrubber: Scrubber; of: string } | null = null;

  constructor(private readonly options: { project: Project; config: Config }) {}

  /** @throws PommelError `config_invalid` for rules that make no sense */
  get(): Scrubber {
    const { project, config } = this.options;
    const of = [globalPatternsFile(), projectPatternsFile(project)].map(stampOf).join();
    if (this.known?.of !== of) this.known = { scrubber: scrubberOf(project, config), of };
    return this.known.scrubber;
  }

  /** Of the last rules used; null before first use. */
  get lastVersion(): string | null {
    return this.known?.scrubber.version ?? null;
  }
}

/** Something else whenever a file may hold something else. */
function stampOf(file: string): string {
  const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: -1 };
  return `${mtimeMs}/${size}`;
}
