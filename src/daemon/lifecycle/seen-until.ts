import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeJson } from "../../project/files/replace-file.ts";
import { homeOf } from "../../project/home.ts";

/** Until when a daemon of this person looked at what agents wrote: the next one goes on from there. */
export class SeenUntil {
  private readonly file = join(homeOf().stateDir, "seen.json");
  /** Milliseconds since the epoch; the first daemon begins now. */
  readonly at: number;

  constructor(now = Date.now()) {
    this.at = Math.min(this.read() ?? now, now);
  }

  /** Never fails: what is looked at twice is stored once. */
  note(now = Date.now()): void {
    try {
      writeJson(this.file, { at: now });
    } catch {
      // The next daemon looks at more than it would have to.
    }
  }

  private read(): number | null {
    try {
      const { at } = JSON.parse(readFileSync(this.file, "utf8")) as { at?: unknown };
      return typeof at === "number" && Number.isFinite(at) ? at : null;
    } catch {
      return null;
    }
  }
}
