import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { getErrorCode } from "../base/errors.ts";
import { locateDaemonFiles } from "../base/home.ts";
import { unsealText } from "../store/encryption/keys.ts";
import { locateStderrLog } from "./connect.ts";

/** A line of the log, or what Node printed when the daemon could not log any more. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  time: number;
  level: "debug" | "info" | "warn" | "error" | "stderr";
  text: string;
  /** The entry as one line of JSON. */
  json: string;
}

/** Lines of stderr that are shown: enough for the stack of a crash. */
const stderrLines = 20;

/** What a daemon has logged so far, and what it adds later. */
export class LogReader {
  private readonly log: Tail;
  private readonly stderr: Tail;

  constructor() {
    this.log = new Tail(join(locateDaemonFiles().logDir, "pommeld.log"));
    this.stderr = new Tail(locateStderrLog());
  }

  /**
   * All entries, oldest first, including those of older log files.
   * @param most returns only this many of the newest
   * @param since returns only later entries. Milliseconds since the epoch
   */
  readAll(most: number, since: number | null = null): LogEntry[] {
    const newest = this.log.read();
    const isEnough = since === null && newest.length >= most;
    const lines = isEnough ? newest.slice(-most) : [...readOlderLines(), ...newest];
    const logged = lines.flatMap((line) => this.decodeEntry(line) ?? []);
    const recent = logged.filter(({ time }) => since === null || time >= since).slice(-most);
    const stderr = makeStderrEntry(this.stderr.read());
    // The entry of stderr has the time of the file's last write. If that precedes `since` or all other entries, it is left out.
    if (stderr === null || stderr.time < (since ?? recent[0]?.time ?? 0)) return recent;
    return [...recent, stderr].sort((a, b) => a.time - b.time);
  }

  /** Entries since the last call. */
  readAdded(): LogEntry[] {
    const stderr = makeStderrEntry(this.stderr.read());
    return [...this.log.read().flatMap((line) => this.decodeEntry(line) ?? []), ...(stderr ? [stderr] : [])];
  }

  /** @throws PommelError if the line is encrypted and the key is not available */
  private decodeEntry(line: string): LogEntry | null {
    return parseEntry(unsealText(line));
  }

  close(): void {
    this.log.close();
    this.stderr.close();
  }
}

/** Parses a line that pino wrote; null for anything else, such as a line that a full disk cut off. */
function parseEntry(line: string): LogEntry | null {
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

/** Lines of stderr carry no time, so the entry has the file's; null if there are no lines. */
function makeStderrEntry(lines: readonly string[]): LogEntry | null {
  const text = lines.slice(-stderrLines).join("\n").trimEnd();
  if (text === "") return null;
  const time = statSync(locateStderrLog(), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const json = JSON.stringify({ time: new Date(time).toISOString(), level: "stderr", msg: text });
  return { time, level: "stderr", text, json };
}

/** The lines of the log's older files, the oldest first. */
function readOlderLines(): string[] {
  return [3, 2, 1].flatMap((age) => {
    const tail = new Tail(join(locateDaemonFiles().logDir, `pommeld.log.${age}`));
    try {
      return tail.read();
    } finally {
      tail.close();
    }
  });
}

/** Reads a growing file line by line, and continues with the new file when the log is rotated. */
class Tail {
  private fd: number | null = null;
  private offset = 0;
  private decoder = new StringDecoder("utf8");
  /** The beginning of a line whose end is not written yet. */
  private partial = "";

  constructor(private readonly file: string) {}

  /** The complete lines added since the last call; the first call returns all. */
  read(): string[] {
    if (this.fd === null && !this.open()) return [];
    const wasReplaced = this.isReplaced();
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
      if (getErrorCode(error) === "ENOENT") return false;
      throw error;
    }
    this.offset = 0;
    this.decoder = new StringDecoder("utf8");
    this.partial = "";
    return true;
  }

  private isReplaced(): boolean {
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
