import { launchVariables } from "../../../agents/profiles.ts";
import { startMcp } from "../../../mcp/start.ts";
import type { CommandContext } from "../../frame.ts";

/** `pm mcp`: until stdin closes. Plain `pm mcp` comes here by a shorter way, see main.ts. */
export async function mcpCommand(
  { cwd }: CommandContext,
  { allProjects = false }: { allProjects?: boolean },
): Promise<void> {
  // Who names a directory means it, wherever the agent was launched.
  if (process.argv.some((arg) => /^(?:-C|--cwd)/.test(arg)))
    for (const name of launchVariables) delete process.env[name];
  await startMcp(cwd, allProjects);
  return new Promise(() => {});
}
