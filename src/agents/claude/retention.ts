import { join } from "node:path";
import type { Retention } from "../agent.ts";
import { readObjectFile } from "../reading/object-file.ts";
import { claudeHome } from "./home.ts";

const setting = "cleanupPeriodDays";
const defaultDays = 30;

/** Where an organisation's own settings are. */
const managed: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "/Library/Application Support/ClaudeCode/managed-settings.json",
  linux: "/etc/claude-code/managed-settings.json",
  win32: "C:\\Program Files\\ClaudeCode\\managed-settings.json",
};

/**
 * The client deletes transcripts that have not changed for `cleanupPeriodDays` when it starts, whichever project they
 * are of. Of its settings files the strongest that says so counts; it takes no value below 1.
 */
export function retention(root: string, env: NodeJS.ProcessEnv = process.env): Retention {
  const files = [
    managed[process.platform],
    join(root, ".claude", "settings.local.json"),
    join(root, ".claude", "settings.json"),
    join(claudeHome(env), "settings.json"),
  ].filter((file) => file !== undefined);
  for (const file of files) {
    const days = readObjectFile(file)[setting];
    if (typeof days === "number" && days >= 1) return { days, setting, source: file };
  }
  return { days: defaultDays, setting, source: null };
}
