/**
 * The program that clears up after a demo, however that ends: killed as well. Its stdin is a pipe of the demo's, which closes
 * when the demo is gone. On it the demo writes a line whenever it starts a command, with the id of its process, and another, 0,
 * when that has ended. Its environment is that of the demo's commands. Argument: the directory of the demo, with its home and
 * all that it made.
 */
import { existsSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { recordStopped } from "../../client/autostart.ts";
import { stopDaemon } from "../../client/stop-daemon.ts";
import { isDemoDirectory } from "./place.ts";

const betweenMs = 100;
/** What a command had started when it was cut off may come up so much later, and write once more. Milliseconds. */
const comesUpMs = 5000;

const [directory = ""] = process.argv.slice(2);

async function clearUp(): Promise<void> {
  if (!isDemoDirectory(directory)) throw new Error(`${directory} is no demo's`);
  let running = 0;
  for await (const line of createInterface({ input: process.stdin })) running = Number(line);
  endProcess(running);
  const end = Date.now() + (running > 0 ? comesUpMs : 0);
  do {
    while (existsSync(directory)) await remove();
    await sleep(betweenMs);
  } while (Date.now() < end);
}

async function remove(): Promise<void> {
  try {
    // Nothing may start it while it ends.
    recordStopped();
    await stopDaemon();
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // Something is still writing there.
    await sleep(betweenMs);
  }
}

/** The command that the demo was at. */
function endProcess(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, "SIGTERM");
  } catch {
    // It has ended.
  }
}

// A terminal that closes, or Ctrl-C there, ends the demo, which is what this waits for.
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"] as const) process.on(signal, () => {});
void clearUp();
