import { existsSync } from "node:fs";
import { loadConfig } from "../../../../project/config/config.ts";
import { defaultConfig } from "../../../../project/config/settings.ts";
import type { Project } from "../../../../project/paths.ts";
import { careOf } from "../../../../store/memory/backups/care-record.ts";
import { backupFolder, listBackups } from "../../../../store/memory/backups/copies.ts";
import { leftoversOf, removeLeftovers } from "../../../../store/memory/backups/leftovers.ts";
import { relativeTime } from "../../../../text/relative-time.ts";
import { counted } from "../../../terminal/text.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/**
 * Whether the memory could be restored, when it was last checked, and what killed processes left of it; `fix` removes that.
 */
export function checkBackups(project: Project, fix: boolean): CheckResult {
  const left = fix ? [] : leftoversOf(project.memoryDb);
  if (left.length > 0) {
    return warn(
      `Killed processes left ${counted(left.length, "draft")} with parts of the memory: ${left.join(", ")}`,
      "Run `pm doctor --fix`, which removes them; the daemon does when it starts.",
    );
  }
  if (fix) removeLeftovers(project.memoryDb);
  const config = configOf(project);
  if (!existsSync(project.memoryDb)) return ok("nothing to back up yet");
  const { backup, check } = careOf(project.memoryDb);
  if (check?.problem) {
    return fail(
      `memory.db was found damaged ${relativeTime(check.at)}: ${check.problem}`,
      "Run `pm doctor --repair`, or `pm restore`.",
    );
  }
  if (backup?.problem) {
    return warn(`The backup of ${relativeTime(backup.at)} failed: ${backup.problem}`, "Run `pm backup`.");
  }
  const all = listBackups(project.memoryDb, backupFolder(project.memoryDb, config["backup.folder"]));
  const checked = check ? `; memory.db was sound ${relativeTime(check.at)}` : "";
  const [newest] = all;
  if (newest) return ok(`${counted(all.length, "backup")}, the newest ${relativeTime(newest.at)}${checked}`);
  return ok(
    config["backup.enabled"]
      ? `no backup yet; the daemon makes one while it runs${checked}`
      : `backups are off (backup.enabled)${checked}`,
  );
}

function configOf(project: Project) {
  try {
    return loadConfig(project).config;
  } catch {
    // Another check says what is wrong with the configuration.
    return defaultConfig();
  }
}
