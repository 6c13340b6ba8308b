import { pino } from "pino";
import { createStream } from "rotating-file-stream";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import { locateDaemonFiles, makeDirectory } from "../../base/home.ts";
import type { Logger } from "../../base/log.ts";
import { readPublicKey, seal } from "../../protocol/sealed-text.ts";

type LogLevel = Config["daemon.log_level"];

export interface DaemonLog extends Logger {
  /** Less important messages are dropped from now on. */
  setLevel(level: LogLevel): void;
  /** Resolves when everything is on disk. */
  close(): Promise<void>;
}

const levels: LogLevel[] = ["debug", "info", "warn", "error"];

/**
 * The daemon's log, `pommeld.log` in the state directory: one JSON object a line, for the owner only, 5 MB at most with
 * three older ones. Where the home is encrypted, each line is sealed. It never holds the environment, tokens or the content of files.
 */
export function openLogFile(level: LogLevel): DaemonLog {
  const { logDir } = locateDaemonFiles();
  makeDirectory(logDir);
  const stream = createStream("pommeld.log", { path: logDir, size: "5M", rotate: 3, mode: 0o600 });
  // A log that cannot be written (the disk is full, the directory is gone) must not end the daemon.
  stream.on("error", (error) => process.stderr.write(`log: ${getErrorMessage(error)}\n`));
  // Read the key for each line: the daemon may encrypt the home while it starts.
  const write = (line: string) => {
    const publicKey = readPublicKey();
    stream.write(publicKey === null ? line : `${seal(line.trimEnd(), publicKey)}\n`);
  };
  const logger = pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    { write },
  );
  return {
    debug: (msg) => logger.debug(msg),
    info: (msg) => logger.info(msg),
    warn: (msg) => logger.warn(msg),
    error: (msg) => logger.error(msg),
    setLevel(level) {
      logger.level = level;
    },
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}

/** The log of `--foreground`: lines for a person, on stderr. */
export function openStderrLog(initialLevel: LogLevel): DaemonLog {
  let least = initialLevel;
  const write = (as: LogLevel) => (msg: string) => {
    if (levels.indexOf(as) < levels.indexOf(least)) return;
    const time = new Date().toLocaleTimeString("en-GB");
    process.stderr.write(`${time} ${as === "info" ? "" : `${as}: `}${msg}\n`);
  };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    setLevel(level) {
      least = level;
    },
    close: async () => {},
  };
}
