import { join } from "node:path";
import type { Retention } from "../agent.ts";
import { readObjectFile } from "../reading/json.ts";
import { locateClaudeHome } from "./home.ts";

const setting = "cleanupPeriodDays";

const defaultDays = 30;

/** An organisation's managed settings. */
const managed: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "/Library/Application Support/ClaudeCode/managed-settings.json",
  linux: "/etc/claude-code/managed-settings.json",
  win32: "C:\\Program Files\\ClaudeCode\\managed-settings.json",
};

/**
 * At its start the client deletes transcripts of all projects unchanged for `cleanupPeriodDays`. The strongest settings
 * file wins; values below 1 are invalid.
 */
export function readClaudeRetention(root: string, env: NodeJS.ProcessEnv = process.env): Retention {
  const files = [
    managed[process.platform],
    join(root, ".claude", "settings.local.json"),
    join(root, ".claude", "settings.json"),
    join(locateClaudeHome(env), "settings.json"),
  ].filter((file) => file !== undefined);
  for (const file of files) {
    const days = readObjectFile(file)[setting];
    if (typeof days === "number" && days >= 1) return { days, setting, source: file };
  }
  return { days: defaultDays, setting, source: null };
}
