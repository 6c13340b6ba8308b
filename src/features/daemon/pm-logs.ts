import { setTimeout as sleep } from "node:timers/promises";
import { type LogEntry, LogReader } from "../../client/log-reader.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Palette } from "../../terminal/palette.ts";

interface LogsOptions {
  follow?: boolean;
  since?: string;
  lines?: number;
}

/** Entries shown where neither --lines nor --since says how many. */
const defaultLines = 100;
const pollIntervalMs = 250;

/** `pm daemon logs`: what the daemon has logged, older files of the log included. */
export async function logsCommand({ output }: CommandContext, options: LogsOptions): Promise<void> {
  const since = options.since === undefined ? null : await parseMoment(options.since);
  const log = new LogReader();
  const shown = log.readAll(
    options.lines ?? (since === null ? defaultLines : Number.POSITIVE_INFINITY),
    since,
  );

  const print = (entries: readonly LogEntry[]) => {
    const lines = entries.map((entry) => (output.json ? entry.json : render(entry, output.colors)));
    if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  };
  print(shown);
  if (shown.length === 0 && !options.follow) {
    output.note(since === null ? "The log is empty." : "No log entries since then.");
  }
  while (options.follow) {
    await sleep(pollIntervalMs);
    print(log.readAdded());
  }
}

/** `10m`, `2h`, or a time as other commands take it. @throws PommelError `usage` */
async function parseMoment(text: string): Promise<number> {
  const [, count, unit] = /^(\d+)\s*([smhd])$/.exec(text.trim()) ?? [];
  if (count !== undefined) {
    return (
      Date.now() - Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as "s" | "m" | "h" | "d"] * 1000
    );
  }
  const { parseWhen } = await import("../../base/text/dates.ts");
  return parseWhen(text, "since");
}

function render({ time, level, text }: LogEntry, colors: Palette): string {
  const paint = {
    debug: colors.dim,
    info: String,
    warn: colors.warn,
    error: colors.error,
    stderr: colors.error,
  };
  // Swedes write times as ISO 8601 does, but in local time.
  const at = new Date(time).toLocaleString("sv-SE");
  const [first = "", ...rest] = text.split("\n");
  return [
    `${colors.dim(at)} ${paint[level](level.padEnd(6))} ${first}`,
    ...rest.map((line) => `    ${line}`),
  ].join("\n");
}
