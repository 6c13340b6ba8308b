import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** The other screen without a cursor, so that what was there before comes back; and the way home. */
const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";

/**
 * Works on the terminal's other screen, and leaves the terminal as it was, however that ends.
 * @param work ends when its signal is aborted: the process is asked to
 */
export async function onOtherScreen<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const onSignal = () => end.abort();
  const restore = () => process.stdout.write(leave);
  process.stdout.write(enter);
  process.once("exit", restore);
  // Not `once`: what runs in between takes a signal without listeners for the end of the process.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  try {
    return await work(end.signal);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, onSignal);
    process.off("exit", restore);
    restore();
  }
}

const keysThatEnd = new Set(["q", "Q", "\u0003", "\u0004", "\u001b"]);

/**
 * Draws a picture again and again in place, and at once when the terminal changes its size, until the reader presses q or
 * Ctrl-C. The terminal is left as it was, however this ends.
 * @param draw the lines of a screen of that size; no line is wider, and there are no more
 * @throws what `draw` throws
 */
export function showLive(
  draw: (columns: number, rows: number) => Promise<readonly string[]>,
  refreshMs: number,
): Promise<void> {
  return onOtherScreen((asked) => redraw(draw, refreshMs, asked));
}

async function redraw(
  draw: (columns: number, rows: number) => Promise<readonly string[]>,
  refreshMs: number,
  asked: AbortSignal,
): Promise<void> {
  const { stdin, stdout } = process;
  const pressed = new AbortController();
  const signal = AbortSignal.any([asked, pressed.signal]);
  const onKey = (key: Buffer) => {
    if (keysThatEnd.has(key.toString())) pressed.abort();
  };
  const onEnd = () => pressed.abort();
  const hasKeys = stdin.isTTY === true;
  if (hasKeys) stdin.setRawMode(true).resume().on("data", onKey).once("end", onEnd);
  try {
    while (!signal.aborted) {
      const lines = await draw(stdout.columns, stdout.rows);
      if (signal.aborted) break;
      stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`);
      const next = new AbortController();
      const either = AbortSignal.any([signal, next.signal]);
      await Promise.race([
        sleep(refreshMs, undefined, { signal: either }),
        once(stdout, "resize", { signal: either }),
      ]).catch(() => {});
      next.abort();
    }
  } finally {
    if (hasKeys) stdin.off("data", onKey).off("end", onEnd).setRawMode(false).pause();
  }
}
