import { homedir } from "node:os";
import { join } from "node:path";

/** Gemini CLI's user directory. */
export function locateGeminiHome(env: NodeJS.ProcessEnv): string {
  return join(env.GEMINI_CLI_HOME || env.HOME || homedir(), ".gemini");
}
