import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { requireCompiled } from "./server/compiled-sdk.ts";

/**
 * Starts the server as fast as it goes: see `runMcp`.
 * @param isAcross whether searches look in all projects of this machine
 */
export async function startMcp(cwd: string, isAcross = false): Promise<void> {
  // In a checkout it is not bundled.
  const sdk = fileURLToPath(new URL("./mcp-sdk.cjs", import.meta.url));
  if (existsSync(sdk)) requireCompiled(sdk);
  const { runMcp } = await import("./server/run.ts");
  runMcp(cwd, isAcross);
}
