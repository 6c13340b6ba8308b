import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isAbsolute } from "../../relative-paths.ts";
import type { Freshness } from "../types.ts";

/** A client writes the end of a turn after the files of it. Milliseconds. */
const slack = 2000;

/** Checks the files that sessions touched, each once. */
export class FileAges {
  /** Time of the last change; null: it is gone. */
  private readonly changedAt = new Map<string, number | null>();

  constructor(private readonly root: string) {}

  /**
   * The state of files since `until`. Files without a change since are as they were left. A file outside of the project that is
   * missing says nothing: it may be another machine's.
   * @param until milliseconds since the epoch; null: the time is unknown, so no change is assumed
   */
  assessFreshness(files: readonly string[], until: number | null): Freshness | null {
    const changes = files
      .map((file) => ({ file, change: this.getLastChange(file) }))
      .filter(({ file, change }) => change !== null || !isAbsolute(file))
      .map(({ change }) => change);
    if (changes.length === 0) return null;
    if (changes.every((change) => change === null)) return "orphaned";
    const isOlder = (change: number | null) => change !== null && (until === null || change <= until + slack);
    return changes.every(isOlder) ? "fresh" : "drifted";
  }

  private getLastChange(file: string): number | null {
    let known = this.changedAt.get(file);
    if (known === undefined) {
      known = readLastChangeMs(resolve(this.root, file));
      this.changedAt.set(file, known);
    }
    return known;
  }
}

function readLastChangeMs(file: string): number | null {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return null;
  }
}
