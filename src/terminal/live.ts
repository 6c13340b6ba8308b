import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** Enter and leave the alternate screen, without a cursor; leaving it restores what was there before. */
const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";

/**
 * Works on the terminal's alternate screen, and restores the terminal however the work ends.
 * @param work must end when its signal is aborted, because somebody asked the process to end
 */
export async function onOtherScreen<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const onSignal = () => end.abort();
  const restore = () => process.stdout.write(leave);
  process.stdout.write(enter);
  process.once("exit", restore);
  // Not `once`: without a listener, a second signal would end the process before the terminal is restored.
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
 * Redraws a picture in place, at intervals and when the terminal changes its size, until the reader presses q or Ctrl-C. It
 * restores the terminal however it ends.
 * @param draw returns the lines of the screen, which must fit into that size
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
