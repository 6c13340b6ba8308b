/**
 * The program that autostart.ts starts in the background: starts the daemon if the configuration allows it, and records
 * the result. Arguments: the project's root and the name of the attempt.
 */
import { realpathSync } from "node:fs";
import { readEmbedderSpec } from "../models/embed/registry.ts";
import { type LoadedConfig, loadConfig } from "../project/config/config.ts";
import { explanationOf } from "../project/errors.ts";
import { projectAt } from "../project/paths.ts";
import { registeredProjects } from "../store/registry.ts";
import { clearAutostart, obstacleTo, recordOutcome, recordRefusal } from "./autostart.ts";
import { bringUpDaemon } from "./connect.ts";
import { stopDaemon } from "./stop-daemon.ts";

const [root = ".", attempt = "1"] = process.argv.slice(2);
const project = projectAt(realpathSync(root));

async function start(): Promise<void> {
  const loaded = loadConfig(project);
  if (!loaded.config["daemon.autostart"]) return recordRefusal(project, "off");
  if (sendsCodeByItself(loaded) && !isKnown()) return recordRefusal(project, "unapproved");
  const { startedHere } = await bringUpDaemon(project);
  // A `pm stop` during the start found no daemon to stop.
  if (obstacleTo(project) === "stopped") await stopDaemon(project);
  else if (startedHere) recordOutcome(project, attempt, null);
  else clearAutostart(project);
}

/**
 * Whether a file that may have come with the repository has texts sent to a server. When only a hook runs here, the
 * user may never have seen that file.
 */
function sendsCodeByItself({ config, origin }: LoadedConfig): boolean {
  const keys = ["embed.code", "embed.text"] as const;
  return keys.some(
    (key) => origin[key] === "project" && readEmbedderSpec(config[key]).driver.name === "openai",
  );
}

/** Whether the user set the project up, or started the daemon here, before. */
function isKnown(): boolean {
  return (registeredProjects() ?? []).some((known) => known.root === project.root);
}

start().catch((error: unknown) => recordOutcome(project, attempt, explanationOf(error)));
