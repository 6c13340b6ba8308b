import { call } from "../../../../client/call.ts";
import type { Project } from "../../../../project/paths.ts";
import { relativeTime } from "../../../../text/relative-time.ts";
import { counted } from "../../../terminal/text.ts";
import { type CheckResult, configOf, fail, ok, warn } from "./check.ts";

/**
 * Whether the memory could be restored, when it was last checked, and what killed processes left of it; `fix` removes that.
 */
export async function checkBackups(project: Project, fix: boolean): Promise<CheckResult> {
  const config = configOf(project);
  const {
    leftovers: left,
    backup,
    check,
    all,
    damaged,
  } = await call("backupState", { config, fix }, project);
  if (left.length > 0) {
    return warn(
      `Killed processes left ${counted(left.length, "draft")} with parts of the memory: ${left.join(", ")}`,
      "Run `pm doctor --fix`, which removes them; the daemon does when it starts.",
    );
  }
  if (all === null) return ok("nothing to back up yet");
  if (check?.problem) {
    return fail(
      `memory.db was found damaged ${relativeTime(check.at)}: ${check.problem}`,
      "Run `pm doctor --repair`, or `pm memory restore`.",
    );
  }
  if (backup?.problem) {
    return warn(
      `The backup of ${relativeTime(backup.at)} failed: ${backup.problem}`,
      "Run `pm memory backup`.",
    );
  }
  if (damaged.length > 0) {
    return warn(
      `${damaged.length === 1 ? "A backup is" : `${damaged.length} of ${counted(all.length, "backup")} are`} damaged: ${damaged.join(", ")}`,
      "Move it away, so that it is not taken for a copy; `pm memory backup` makes another one.",
    );
  }
  const checked = check ? `; memory.db was sound ${relativeTime(check.at)}` : "";
  const [newest] = all;
  if (newest) return ok(`${counted(all.length, "backup")}, the newest ${relativeTime(newest.at)}${checked}`);
  return ok(
    config["backup.enabled"]
      ? `no backup yet; the daemon makes one while it runs${checked}`
      : `backups are off (backup.enabled)${checked}`,
  );
}
