import { homedir } from "node:os";
import { join } from "node:path";

/** Claude Code's user directory. */
export function locateClaudeHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
}
