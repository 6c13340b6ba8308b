/**
 * The program that autostart.ts starts in the background: starts the daemon if the configuration lets it, and notes how
 * that went. Arguments: the project's root and the name of the attempt.
 */
import { loadConfig } from "../project/config.ts";
import { explanationOf } from "../project/errors.ts";
import { projectAt } from "../project/paths.ts";
import { clearAutostart, obstacleTo, recordOff, recordOutcome } from "./autostart.ts";
import { bringUpDaemon } from "./connect.ts";

const [root = ".", attempt = "1"] = process.argv.slice(2);
const project = projectAt(root);

async function start(): Promise<void> {
  const { config } = loadConfig(project);
  if (!config["daemon.autostart"]) return recordOff(project);
  // Said since this process was started.
  if (obstacleTo(project) === "stopped") return;
  const { startedHere } = await bringUpDaemon(project);
  if (startedHere) recordOutcome(project, attempt, null);
  else clearAutostart(project);
}

start().catch((error: unknown) => recordOutcome(project, attempt, explanationOf(error)));
