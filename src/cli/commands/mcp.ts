import { startMcp } from "../../mcp/start.ts";
import type { CommandContext } from "../frame.ts";

/** `pm mcp`: until stdin closes. Plain `pm mcp` comes here by a shorter way, see main.ts. */
export async function mcpCommand({ cwd }: CommandContext): Promise<void> {
  await startMcp(cwd);
  return new Promise(() => {});
}
