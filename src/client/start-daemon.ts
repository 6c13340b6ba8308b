/**
 * The program that autostart.ts starts in the background: starts the daemon if the configuration lets it, and notes how
 * that went. Arguments: the project's root and the name of the attempt.
 */
import { loadConfig } from "../project/config.ts";
import { explanationOf } from "../project/errors.ts";
import { projectAt } from "../project/paths.ts";
import { clearAutostart, obstacleTo, recordOff, recordOutcome } from "./autostart.ts";
import { bringUpDaemon } from "./connect.ts";
import { stopDaemon } from "./stop-daemon.ts";

const [root = ".", attempt = "1"] = process.argv.slice(2);
const project = projectAt(root);

async function start(): Promise<void> {
  const { config } = loadConfig(project);
  if (!config["daemon.autostart"]) return recordOff(project);
  const { startedHere } = await bringUpDaemon(project);
  // `pm stop` came meanwhile, and found none that it could stop.
  if (obstacleTo(project) === "stopped") await stopDaemon(project);
  else if (startedHere) recordOutcome(project, attempt, null);
  else clearAutostart(project);
}

start().catch((error: unknown) => recordOutcome(project, attempt, explanationOf(error)));
