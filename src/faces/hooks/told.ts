import { existsSync } from "node:fs";
import { join } from "node:path";
import { locateDaemonFiles } from "../../base/home.ts";
import { noteGiven } from "../../protocol/ready-context.ts";
import type { GivenContextItem } from "../../protocol/spool-items.ts";
import { writeItem } from "./deliver.ts";
import { readProcessAgeMs } from "./process-age.ts";

/** Whether `pm stop` has stopped everything. */
export const isStopped = (): boolean => existsSync(join(locateDaemonFiles().autostartDir, "stopped"));

/** Records what an agent is told. @returns false if that fails: then do not tell it */
export function recordTold(told: Omit<GivenContextItem, "kind" | "received_at" | "took_ms">): boolean {
  const times = { received_at: Date.now(), took_ms: Math.round(readProcessAgeMs()) };
  const item: GivenContextItem = { kind: "given-context", ...times, ...told };
  try {
    writeItem(item);
    noteGiven(
      told.session_id,
      told.items.map(({ ref }) => ref),
    );
    return true;
  } catch {
    return false;
  }
}
