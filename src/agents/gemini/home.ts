import { homedir } from "node:os";
import { join } from "node:path";

/** Where Gemini CLI keeps what is the user's own. */
export function geminiHome(env: NodeJS.ProcessEnv): string {
  return join(env.GEMINI_CLI_HOME || env.HOME || homedir(), ".gemini");
}
