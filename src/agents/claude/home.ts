import { homedir } from "node:os";
import { join } from "node:path";

/** Where Claude Code keeps what is the user's own. */
export function claudeHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
}
