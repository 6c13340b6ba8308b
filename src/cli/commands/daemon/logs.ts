import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import { stderrLog } from "../../../client/connect.ts";
import { codeOf } from "../../../project/errors.ts";
import { findProject, type Project } from "../../../project/paths.ts";
import type { CommandContext } from "../../frame.ts";
import type { Palette } from "../../terminal/palette.ts";

interface LogsOptions {
  follow?: boolean;
  since?: string;
  lines?: number;
}

/** A line of the log, or what Node printed when the daemon could not log any more. */
interface Entry {
  /** Milliseconds since the epoch. */
  time: number;
  level: "debug" | "info" | "warn" | "error" | "stderr";
  text: string;
  /** As one line of JSON. */
  json: string;
}

/** Entries shown where neither --lines nor --since says how many. */
const defaultLines = 100;
/** Lines of stderr that are shown: enough for the stack of a crash. */
const stderrLines = 20;
const pollIntervalMs = 250;

/** `pm logs`: what the daemon has logged, older files of the log included. */
export async function logsCommand({ cwd, output }: CommandContext, options: LogsOptions): Promise<void> {
  const project = findProject(cwd);
  const since = options.since === undefined ? null : await momentOf(options.since);
  const log = new Tail(join(project.logDir, "pommeld.log"));
  const stderr = new Tail(stderrLog(project));
  const logged = [...olderLines(project), ...log.read()].flatMap((line) => entryOf(line) ?? []);
  const shown = select(logged, stderrEntry(project, stderr.read()), options.lines, since);

  const print = (entries: readonly Entry[]) => {
    const lines = entries.map((entry) => (output.json ? entry.json : render(entry, output.colors)));
    if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  };
  print(shown);
  if (shown.length === 0 && !options.follow) {
    output.note(since === null ? "The log is empty." : "No log entries since then.");
  }
  while (options.follow) {
    await sleep(pollIntervalMs);
    const added = stderrEntry(project, stderr.read());
    print([...log.read().flatMap((line) => entryOf(line) ?? []), ...(added ? [added] : [])]);
  }
}

/** `10m`, `2h`, or a time as other commands take it. @throws PommelError `usage` */
async function momentOf(text: string): Promise<number> {
  const [, count, unit] = /^(\d+)\s*([smhd])$/.exec(text.trim()) ?? [];
  if (count !== undefined) {
    return (
      Date.now() - Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as "s" | "m" | "h" | "d"] * 1000
    );
  }
  const { parseWhen } = await import("../../../text/dates.ts");
  return parseWhen(text, "since");
}

/** The requested entries, the oldest first; stderr is placed by its last write, if that was not before them. */
function select(
  logged: readonly Entry[],
  stderr: Entry | null,
  lines: number | undefined,
  since: number | null,
): Entry[] {
  const most = lines ?? (since === null ? defaultLines : Number.POSITIVE_INFINITY);
  const recent = logged.filter(({ time }) => since === null || time >= since).slice(-most);
  const oldest = since ?? recent[0]?.time ?? 0;
  if (stderr === null || stderr.time < oldest) return recent;
  return [...recent, stderr].sort((a, b) => a.time - b.time);
}

/** A line of pino's; null for anything else, such as the rest of a line that a full disk cut off. */
function entryOf(line: string): Entry | null {
  try {
    const { time, level, msg } = JSON.parse(line) as Record<string, unknown>;
    const at = Date.parse(String(time));
    if (Number.isNaN(at)) return null;
    const name = ({ 20: "debug", 30: "info", 40: "warn", 50: "error" } as const)[Number(level)] ?? "error";
    return { time: at, level: name, text: String(msg), json: line };
  } catch {
    return null;
  }
}

/** Lines of stderr carry no time: that of the file counts. Null when there are none. */
function stderrEntry(project: Project, lines: readonly string[]): Entry | null {
  const text = lines.slice(-stderrLines).join("\n").trimEnd();
  if (text === "") return null;
  const time = statSync(stderrLog(project), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const json = JSON.stringify({ time: new Date(time).toISOString(), level: "stderr", msg: text });
  return { time, level: "stderr", text, json };
}

function render({ time, level, text }: Entry, colors: Palette): string {
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

/** The lines of the log's older files, the oldest first. */
function olderLines(project: Project): string[] {
  return [3, 2, 1].flatMap((age) => {
    const tail = new Tail(join(project.logDir, `pommeld.log.${age}`));
    try {
      return tail.read();
    } finally {
      tail.close();
    }
  });
}

/** Reads a file of lines that grows, and goes on with the next one when that takes its place. */
class Tail {
  private fd: number | null = null;
  private offset = 0;
  private decoder = new StringDecoder("utf8");
  /** The beginning of a line that is not whole yet. */
  private partial = "";

  constructor(private readonly file: string) {}

  /** The whole lines that were added since the last call; at first, all. */
  read(): string[] {
    if (this.fd === null && !this.open()) return [];
    const wasReplaced = this.wasReplaced();
    const lines = this.readToEnd();
    if (!wasReplaced) return lines;
    this.close();
    return [...lines, ...this.read()];
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }

  private open(): boolean {
    try {
      this.fd = openSync(this.file, "r");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    }
    this.offset = 0;
    this.decoder = new StringDecoder("utf8");
    this.partial = "";
    return true;
  }

  private wasReplaced(): boolean {
    const now = statSync(this.file, { throwIfNoEntry: false });
    return now !== undefined && now.ino !== fstatSync(this.fd!).ino;
  }

  private readToEnd(): string[] {
    if (fstatSync(this.fd!).size < this.offset) this.offset = 0;
    const buffer = Buffer.allocUnsafe(65_536);
    let text = this.partial;
    for (;;) {
      const count = readSync(this.fd!, buffer, 0, buffer.length, this.offset);
      if (count === 0) break;
      this.offset += count;
      text += this.decoder.write(buffer.subarray(0, count));
    }
    const lines = text.split("\n");
    this.partial = lines.pop() ?? "";
    return lines.filter((line) => line !== "");
  }
}
