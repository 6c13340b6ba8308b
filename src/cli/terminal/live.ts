import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** The other screen without a cursor, so that what was there before comes back; and the way home. */
const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";
const keysThatEnd = new Set(["q", "Q", "\u0003", "\u0004", "\u001b"]);

/**
 * Draws a picture again and again in place, and at once when the terminal changes its size, until the reader presses q or
 * Ctrl-C. The terminal is left as it was, however this ends.
 * @param draw the lines of a screen of that size; no line is wider, and there are no more
 * @throws what `draw` throws
 */
export async function showLive(
  draw: (columns: number, rows: number) => Promise<readonly string[]>,
  refreshMs: number,
): Promise<void> {
  const { stdin, stdout } = process;
  const end = new AbortController();
  const onKey = (key: Buffer) => {
    if (keysThatEnd.has(key.toString())) end.abort();
  };
  const onSignal = () => end.abort();
  const restore = () => stdout.write(leave);
  const hasKeys = stdin.isTTY === true;
  stdout.write(enter);
  process.once("exit", restore);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, onSignal);
  if (hasKeys) stdin.setRawMode(true).resume().on("data", onKey).once("end", onSignal);
  try {
    while (!end.signal.aborted) {
      const lines = await draw(stdout.columns, stdout.rows);
      if (end.signal.aborted) break;
      stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`);
      const { signal } = end;
      const next = new AbortController();
      const either = AbortSignal.any([signal, next.signal]);
      await Promise.race([
        sleep(refreshMs, undefined, { signal: either }),
        once(stdout, "resize", { signal: either }),
      ]).catch(() => {});
      next.abort();
    }
  } finally {
    if (hasKeys) stdin.off("data", onKey).off("end", onSignal).setRawMode(false).pause();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, onSignal);
    process.off("exit", restore);
    restore();
  }
}
