import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Freshness } from "../types.ts";

/** A client writes the end of a turn after the files of it. Milliseconds. */
const slack = 2000;

/** Checks the files that sessions touched, each once. */
export class FileAges {
  /** Time of the last change; null: it is gone. */
  private readonly changedAt = new Map<string, number | null>();

  constructor(private readonly root: string) {}

  /**
   * The state of files since `until`. Files without a change since are as they were left.
   * @param until milliseconds since the epoch; null: the time is unknown, so no change is assumed
   */
  assessFreshness(files: readonly string[], until: number | null): Freshness | null {
    if (files.length === 0) return null;
    const changes = files.map((file) => this.getLastChange(file));
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
    // Gone, or on a path that only another machine has.
    return null;
  }
}
