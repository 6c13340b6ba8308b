import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { locateSocket } from "../../base/home.ts";
import type { Logger } from "../../base/log.ts";
import { locateProgram } from "../../client/autostart.ts";
import { useLauncher } from "../../git/launch.ts";

/**
 * From this size on, a fork of this process takes longer than asking another one: 39 ms at 500 MB against 3 ms, on a busy machine.
 * A daemon at rest is smaller, and keeps no second process.
 */
const largeBytes = 150 * 2 ** 20;
const smallBytes = 100 * 2 ** 20;
/** If the launcher ends sooner than this, it cannot run here, and this process starts git itself. Milliseconds. */
const provenAfterMs = 10_000;

/** The small process that starts git for this one. It runs only while this one is large. */
export class GitLauncher {
  private child: ChildProcess | null = null;
  private isBroken = false;
  /** The launcher's socket, next to the daemon's. Its path is not longer, because lengths of socket paths are limited. */
  private readonly socket = locateSocket().replace(/\.sock$/, ".git");

  constructor(private readonly log: Logger) {
    if (isNeeded) useLauncher(this.socket);
  }

  /** Starts or ends the launcher, depending on the size of this process. Call it now and then. */
  check(rssBytes = process.memoryUsage.rss()): void {
    if (!isNeeded) return;
    if (this.child === null && !this.isBroken && rssBytes > largeBytes) this.start();
    else if (this.child !== null && rssBytes < smallBytes) this.end();
  }

  private start(): void {
    rmSync(this.socket, { force: true });
    const options = ["--max-old-space-size=32", "--max-semi-space-size=1"];
    const child = spawn(process.execPath, [...options, locateProgram("git-launcher.cjs"), this.socket], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.child = child;
    const started = Date.now();
    child.stdin!.on("error", () => {});
    child.once("error", (error) => this.log.debug(`git is started without a launcher: ${error.message}`));
    child.once("close", () => {
      if (this.child !== child) return;
      this.child = null;
      this.isBroken = Date.now() - started < provenAfterMs;
    });
  }

  end(): void {
    this.child?.stdin?.end();
    this.child = null;
  }
}

/** Only on Linux does starting a process copy this one. */
const isNeeded = process.platform === "linux";
