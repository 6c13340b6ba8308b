#!/usr/bin/env node
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadConfig } from "./base/config/config.ts";
import { exitCode, getErrorCode, getErrorMessage, PommelError } from "./base/errors.ts";
import { locateHome, makeDirectory } from "./base/home.ts";
import { optimiseLater } from "./base/tune-compiler.ts";
import { version } from "./base/version.ts";
import { type Daemon, startDaemon } from "./daemon/lifecycle/daemon.ts";
import { type DaemonLog, openLogFile, openStderrLog } from "./daemon/lifecycle/daemon-log.ts";
import { onReplaced } from "./daemon/lifecycle/live-settings.ts";
import { diagnose, runCommand } from "./faces/cli/serve.ts";
import { exitLocked } from "./protocol/daemon-record.ts";
import { getSuccessorEnvironment } from "./store/encryption/keys.ts";

const usage = `Usage: pommeld [options]

Answers for all projects of a person, on a socket and on 127.0.0.1, and keeps the indexes of those in use up to date. Usually
started by \`pm\` when it is needed.

Options:
  --foreground               log to stderr instead of a file
  --close-after-seconds <n>  close a project that nobody used for so long (default: 600)
  --idle-exit-seconds <n>    instead of after 12 hours; 0 means never
  --renew-seconds <n>        how often to look for a newer pommeld, which takes over; 0 means never (default: 10)
  --version                  print the version
  --help                     print this
`;

optimiseLater();
void main().catch(async (error: unknown) => {
  process.stderr.write(`${getErrorMessage(error)}\n`);
  if (error instanceof PommelError && error.hint !== "") process.stderr.write(`${error.hint}\n`);
  if (!(error instanceof PommelError) && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  const code = getErrorCode(error);
  process.exit(code === "locked" ? exitLocked : code === "usage" ? exitCode.usage : exitCode.failed);
});

/** @throws PommelError `usage` */
function readOptions() {
  try {
    return parseArgs({
      options: {
        foreground: { type: "boolean", default: false },
        "close-after-seconds": { type: "string", default: "600" },
        "idle-exit-seconds": { type: "string" },
        "renew-seconds": { type: "string", default: "10" },
        version: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new PommelError("usage", getErrorMessage(error), "See `pommeld --help`.", { cause: error });
  }
}

async function main(): Promise<void> {
  const values = readOptions();
  if (values.help || values.version) {
    process.stdout.write(values.help ? usage : `${version}\n`);
    return;
  }
  // `pm` starts a daemon in its home: where that was deleted meanwhile, the daemon must not make it again, and live on in it.
  if (isDirectoryGone()) return;
  const { config, notes } = loadConfig(null);
  const log = values.foreground
    ? openStderrLog(config["daemon.log_level"])
    : openLogFile(config["daemon.log_level"]);
  for (const note of notes) log.warn(note);
  // No thread starts in a directory that was deleted, as the one may be that this was started in.
  makeDirectory(locateHome().stateDir);
  process.chdir(locateHome().stateDir);
  const idleSeconds = values["idle-exit-seconds"] === undefined ? null : Number(values["idle-exit-seconds"]);
  if (idleSeconds !== null && !(idleSeconds >= 0)) {
    throw new PommelError("usage", "--idle-exit-seconds must be a number.");
  }
  const closeSeconds = Number(values["close-after-seconds"]);
  if (!(closeSeconds >= 0)) throw new PommelError("usage", "--close-after-seconds must be a number.");
  const renewSeconds = Number(values["renew-seconds"]);
  if (!(renewSeconds >= 0)) throw new PommelError("usage", "--renew-seconds must be a number.");
  // Closing the terminal ends a daemon that runs in it, and no other.
  if (!values.foreground) process.on("SIGHUP", () => {});
  await run({
    log,
    start: (onStop, onRestart) =>
      startDaemon({
        config,
        log,
        onStop,
        onRestart,
        closeAfterMs: closeSeconds * 1000,
        idleExitMs: idleSeconds === null ? null : idleSeconds * 1000,
        runCommand,
        diagnose,
      }),
    hasSuccessors: !values.foreground,
    renewMs: renewSeconds * 1000,
  });
}

/** Whether the directory that this process was started in was deleted: it is there for this process, without a name. */
function isDirectoryGone(): boolean {
  return statSync(".").nlink === 0;
}

interface RunOptions {
  log: DaemonLog;
  start: (onStop: (reason: string) => void, onRestart: ((reason: string) => void) | null) => Promise<Daemon>;
  /** Whether another daemon may take over. One that runs in a terminal ends when the person there wants it to. */
  hasSuccessors: boolean;
  /** How often to look for a newer version; 0: never. */
  renewMs: number;
}

/** The end of a daemon takes no longer, whatever it waits for. Milliseconds. */
const maxStopMs = 8000;

/** Starts the daemon and sees to it that the process ends the right way, whatever ends it. */
async function run({ log, start, hasSuccessors, renewMs }: RunOptions): Promise<void> {
  let isStopping = false;
  let isHandingOver = false;
  const stop = async (reason: string, code: number) => {
    if (isStopping) return;
    isStopping = true;
    log.info(`stopping: ${reason}`);
    // Whatever is broken may keep an orderly end from ending.
    setTimeout(() => process.exit(exitCode.failed), maxStopMs).unref();
    const daemon = await starting.catch(() => null);
    await daemon?.stop();
    log.info("stopped");
    await log.close();
    if (isHandingOver) startSuccessor();
    process.exit(code);
  };
  const handOver = (reason: string) => {
    // Whoever ends it now does not want another.
    if (isStopping) return;
    isHandingOver = true;
    void stop(reason, exitCode.ok);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    // A second signal means now.
    if (isStopping) process.exit(exitCode.failed);
    void stop(signal, exitCode.ok);
  };
  const onCrash = (error: unknown) => {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.stderr.write(`${getErrorMessage(error)}\n`);
    void stop("an unexpected error", exitCode.failed);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  process.on("uncaughtException", onCrash);
  process.on("unhandledRejection", onCrash);
  const starting = start((reason) => void stop(reason, exitCode.ok), hasSuccessors ? handOver : null);
  // From before it answers anybody: what is installed while it starts is a newer version already.
  if (hasSuccessors && renewMs > 0) {
    onReplaced(process.argv[1]!, renewMs, () => handOver("another version was installed and takes over"));
  }
  try {
    await starting;
  } catch (error) {
    log.error(`could not start: ${getErrorMessage(error)}`);
    await log.close();
    throw error;
  }
}

/** Another daemon, of the version and with the settings that are there now, started as this one was. */
function startSuccessor(): void {
  const [program, ...args] = process.argv.slice(1);
  spawn(process.execPath, [program!, ...args], {
    detached: true,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...getSuccessorEnvironment() },
  }).unref();
}
