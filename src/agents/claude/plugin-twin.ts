import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HookName } from "../../protocol/hook-names.ts";
import { claudeHome } from "./home.ts";

/**
 * Whether settings of the project or of the user have a hook of ours for this event as well. Claude Code runs a command
 * that stands in several settings files once, but once more for a plugin: then it is the plugin's that has nothing to do.
 */
export function isInSettings(root: string, hook: HookName): boolean {
  const dirs = [process.env.CLAUDE_PROJECT_DIR || root, claudeHome()];
  const files = dirs.flatMap((dir, at) =>
    at === 0
      ? [join(dir, ".claude", "settings.json"), join(dir, ".claude", "settings.local.json")]
      : [join(dir, "settings.json")],
  );
  const command = new RegExp(
    `"command"\\s*:\\s*"(?:[^"]*[\\\\/ ])?(?:pm|pommel) hook (?:${hook}|handle)(?: \\|\\| true)?"`,
  );
  return files.some((file) => command.test(textOf(file)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
