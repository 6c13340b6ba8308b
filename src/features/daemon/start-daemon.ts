/**
 * The program that autostart.ts starts in the background: starts the daemon if the configuration allows it, and records
 * the result. Arguments: the name of the attempt, and a directory whose project the daemon is to open.
 */

import { loadConfig } from "../../base/config/config.ts";
import { explainError } from "../../base/errors.ts";
import {
  clearAutostart,
  findAutostartObstacle,
  readStartCauses,
  recordOff,
  recordOutcome,
} from "../../client/autostart.ts";
import { bringUpDaemon } from "../../client/connect.ts";
import { callDaemon } from "../../client/daemon-client.ts";
import { stopDaemon } from "../../client/stop-daemon.ts";
import { showQueue } from "../jobs/operation.ts";

const [attempt = "1", place] = process.argv.slice(2);
const causes = readStartCauses();

async function start(): Promise<void> {
  if (!loadConfig(null).config["daemon.autostart"]) return recordOff(causes);
  const { startedHere } = await bringUpDaemon();
  // A `pm daemon stop` during the start found no daemon to stop.
  if (findAutostartObstacle() === "stopped") await stopDaemon();
  else if (startedHere) recordOutcome(attempt, { error: null, causes });
  else clearAutostart();
  // What is asked about a project opens it.
  if (place !== undefined) await callDaemon(place, showQueue, {}).catch(() => {});
}

start().catch((error: unknown) => recordOutcome(attempt, { error: explainError(error), causes }));
