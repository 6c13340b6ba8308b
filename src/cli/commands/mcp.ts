import { runMcp } from "../../mcp/run.ts";
import type { CommandContext } from "../frame.ts";

/** `pm mcp`: until stdin closes. Plain `pm mcp` comes here by a shorter way, see main.ts. */
export function mcpCommand({ cwd }: CommandContext): Promise<void> {
  runMcp(cwd);
  return new Promise(() => {});
}
