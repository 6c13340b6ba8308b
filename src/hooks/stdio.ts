import { fstatSync, readSync, writeSync } from "node:fs";
import { Socket } from "node:net";

/** The input read from stdin. */
interface Input {
  text: string;
  /** Why it is incomplete, or null. */
  cut: "too long" | "too slow" | null;
}

/** Longer payloads are cut. Bytes. */
export const maxInputLength = 16 * 1024 * 1024;

/** Deadline for the writer. Milliseconds. */
const timeoutMs = 2000;

const stdin = 0;

/**
 * Everything on stdin, bounded in size and time; an error reads as an end. A file is read at once. A pipe is read
 * through a socket: a blocking read cannot be cancelled, and a pending one in libuv's thread pool would keep the
 * process from exiting.
 */
export async function readStdin(timeout: number = timeoutMs): Promise<Input> {
  let stat: ReturnType<typeof fstatSync>;
  try {
    stat = fstatSync(stdin);
  } catch {
    return { text: "", cut: null };
  }
  if (stat.isFIFO() || stat.isSocket()) return readPipe(timeout);
  // Do not wait for input from a terminal.
  if (stat.isCharacterDevice() && (await import("node:tty")).isatty(stdin)) return { text: "", cut: null };
  return readWhole();
}

function readWhole(): Input {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for (;;) {
      const part = Buffer.allocUnsafe(65_536);
      const count = readSync(stdin, part, 0, part.length, null);
      if (count === 0) break;
      parts.push(part.subarray(0, count));
      length += count;
      if (length > maxInputLength) return { text: "", cut: "too long" };
    }
  } catch {
    // Keep what was read.
  }
  return { text: textOf(parts), cut: null };
}

function readPipe(timeout: number): Promise<Input> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const finish = (cut: Input["cut"]) => {
      clearTimeout(timer);
      pipe.removeAllListeners("data");
      pipe.on("error", () => {});
      pipe.destroy();
      resolve({ text: cut === "too long" ? "" : textOf(parts), cut });
    };
    const timer = setTimeout(() => finish("too slow"), timeout);
    const pipe = new Socket({ fd: stdin, readable: true, writable: false });
    pipe.on("data", (part) => {
      parts.push(part);
      length += part.length;
      if (length > maxInputLength) finish("too long");
    });
    pipe.on("end", () => finish(null));
    pipe.on("error", () => finish(null));
  });
}

function textOf(parts: readonly Buffer[]): string {
  const text = Buffer.concat(parts).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Reports a failure of `pm hook <name>` in one line on stderr. */
export function warn(name: string, problem: string): void {
  try {
    // Names come from the command line; escape line breaks.
    writeSync(2, `warning: pm hook ${JSON.stringify(name).slice(1, -1)}: ${problem}.\n`);
  } catch {
    // stderr is closed.
  }
}
