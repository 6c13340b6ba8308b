import { fstatSync, readSync } from "node:fs";

/** What stdin held, as far as it was read. */
export interface Input {
  text: string;
  /** Why that is not all of it; null when it is. */
  cut: "too long" | "too slow" | null;
}

/** Longer payloads are not read to their end. Bytes. */
export const maxInputLength = 16 * 1024 * 1024;

/** Whoever has not finished writing by then keeps the agent waiting. Milliseconds. */
const timeoutMs = 2000;

const stdin = 0;

/**
 * Everything on stdin, bounded in size and time; an error reads as an end. A file is read at once. A pipe is read
 * through a socket: a blocking read could not be given up, and a pending one in libuv's thread pool would keep the
 * process from exiting.
 */
export async function readStdin(patience: number = timeoutMs): Promise<Input> {
  let stat: ReturnType<typeof fstatSync>;
  try {
    stat = fstatSync(stdin);
  } catch {
    return { text: "", cut: null };
  }
  if (stat.isFIFO() || stat.isSocket()) return readPipe(patience);
  // A terminal has nothing to say to a hook, and would wait for a person.
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
    // What was read counts.
  }
  return { text: textOf(parts), cut: null };
}

async function readPipe(patience: number): Promise<Input> {
  const { Socket } = await import("node:net");
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
    const timer = setTimeout(() => finish("too slow"), patience);
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
