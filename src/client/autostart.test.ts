import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryHome } from "../../test/support/temporary-home.ts";
import { PommelError } from "../base/errors.ts";
import { locateDaemonFiles, locateHome, locateOwnConfig } from "../base/home.ts";
import {
  clearAutostart,
  findAutostartObstacle,
  readAutostartStatus,
  readStartCauses,
  recordOff,
  recordOutcome,
  recordStopped,
  startOnce,
  startInBackground as tryToStart,
} from "./autostart.ts";

const start = vi.fn();
const startInBackground = () => tryToStart({ start });

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  start.mockClear();
  vi.stubEnv("POMMEL_DAEMON_AUTOSTART", "");
  vi.stubEnv("CI", "");
  home = temporaryHome();
  for (const dir of [locateHome().configDir, locateHome().stateDir]) mkdirSync(dir, { mode: 0o700 });
  writeFileSync(locateOwnConfig(), "");
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  home.remove();
});

const names = () => readdirSync(locateDaemonFiles().autostartDir).sort();

/** Notes that an attempt has ended, after which no cause has changed yet. */
const ended = (attempt: string, error: string | null) =>
  recordOutcome(attempt, { error, causes: readStartCauses() });

/** Advances the time. Milliseconds. */
function later(ms: number): void {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
}

describe("a start in the background", () => {
  it("happens once for any number of callers", async () => {
    expect(await Promise.all(Array.from({ length: 50 }, () => startInBackground()))).not.toContain(false);
    expect(start).toHaveBeenCalledTimes(1);
    expect(start).toHaveBeenCalledWith("1", undefined);
    expect(readAutostartStatus(true).state).toBe("starting");
  });

  it("is tried again when it was interrupted", async () => {
    await startInBackground();
    later(44_000);
    await startInBackground();
    expect(start).toHaveBeenCalledTimes(1);
    later(2000);
    await startInBackground();
    expect(start).toHaveBeenCalledTimes(2);
  });

  it("waits twice as long after each failure, an hour at most, and shows why", async () => {
    const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600];
    // Later than whatever is built beside this test, which would be a reason to try again.
    later(3_600_000);
    for (const [i, seconds] of waits.entries()) {
      expect(await startInBackground()).toBe(true);
      ended(String(i + 1), "Port 1 is taken.");
      // The file system does not know that this test's clock is ahead.
      const now = Date.now() / 1000;
      utimesSync(join(locateDaemonFiles().autostartDir, String(i + 1)), now, now);
      expect(findAutostartObstacle()).toBe("failed");
      later(seconds * 1000 - 100);
      expect(await startInBackground()).toBe(false);
      expect(readAutostartStatus(true)).toMatchObject({
        state: "failed",
        failed_starts: i + 1,
        error: "Port 1 is taken.",
      });
      later(200);
    }
    expect(start).toHaveBeenCalledTimes(waits.length);
  });

  it("is due again when the configuration has changed since it failed", async () => {
    await startInBackground();
    ended("1", "Nonsense in config.toml.");
    expect(await startInBackground()).toBe(false);
    writeFileSync(locateOwnConfig(), "# corrected");
    expect(await startInBackground()).toBe(true);
    expect(names()).toEqual(["1", "2"]);
  });

  it("is due again when the configuration has changed during a start that failed", async () => {
    await startInBackground();
    const causes = readStartCauses();
    writeFileSync(locateOwnConfig(), "# corrected");
    recordOutcome("1", { error: "Nonsense in config.toml.", causes });
    expect(await startInBackground()).toBe(true);
  });

  it("starts from the beginning when a daemon has proved itself", async () => {
    await startInBackground();
    ended("1", null);
    expect(readAutostartStatus(true)).toMatchObject({ state: "failed", error: null });
    clearAutostart();
    expect(readAutostartStatus(true)).toEqual({
      state: "ready",
      failed_starts: 0,
      error: null,
      retry_at: null,
    });
    expect(await startInBackground()).toBe(true);
  });

  it("fails silently where nothing can be written", async () => {
    rmSync(locateHome().stateDir, { recursive: true });
    writeFileSync(locateHome().stateDir, "a file");
    expect(await startInBackground()).toBe(false);
    expect(() => ended("1", null)).toThrow("ENOTDIR");
    expect(start).not.toHaveBeenCalled();
  });
});

describe("no start", () => {
  afterEach(() => {
    expect(start).not.toHaveBeenCalled();
  });

  it("in CI, unless Pommel's own variable allows it", async () => {
    expect(findAutostartObstacle({ CI: "true" })).toBe("ci");
    expect(findAutostartObstacle({ CI: "1" })).toBe("ci");
    expect(findAutostartObstacle({ CI: "false" })).toBeNull();
    expect(findAutostartObstacle({ CI: "true", POMMEL_DAEMON_AUTOSTART: "true" })).toBeNull();
    vi.stubEnv("CI", "true");
    expect(await startInBackground()).toBe(false);
  });

  it("where it is turned off", async () => {
    vi.stubEnv("POMMEL_DAEMON_AUTOSTART", "false");
    expect(await startInBackground()).toBe(false);
    expect(readAutostartStatus(false).state).toBe("off");
  });

  it("where the configuration was found to turn it off, until that changes", async () => {
    recordOff(readStartCauses());
    expect(await startInBackground()).toBe(false);
    expect(findAutostartObstacle()).toBe("off");
    expect(findAutostartObstacle({ POMMEL_DAEMON_AUTOSTART: "true" })).toBeNull();
    writeFileSync(locateOwnConfig(), "# turned on");
    expect(findAutostartObstacle()).toBeNull();
  });

  it("after pm daemon stop, until the next boot", async () => {
    recordStopped();
    expect(await startInBackground()).toBe(false);
    expect(readAutostartStatus(true).state).toBe("stopped");
    writeFileSync(join(locateDaemonFiles().autostartDir, "stopped"), "another boot");
    expect(findAutostartObstacle()).toBeNull();
  });
});

describe("a start that is waited for", () => {
  const bringUp = vi.fn(async () => ({ startedHere: true }));
  beforeEach(() => bringUp.mockClear());

  it("is noted, so that a daemon that ends soon is not started without end", async () => {
    expect(await startOnce(bringUp)).toBe(true);
    expect(readAutostartStatus(true)).toMatchObject({ state: "failed", failed_starts: 1, error: null });
    expect(await startOnce(bringUp)).toBe(false);
    expect(bringUp).toHaveBeenCalledTimes(1);
  });

  it("says whether it failed, and why later", async () => {
    bringUp.mockRejectedValueOnce(new PommelError("daemon_start_failed", "Port 1 is taken."));
    expect(await startOnce(bringUp)).toBe(false);
    expect(readAutostartStatus(true)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("Port 1 is taken."),
    });
  });

  it("joins in where another process starts it", async () => {
    await startInBackground();
    expect(await startOnce(bringUp)).toBe(true);
    expect(bringUp).toHaveBeenCalledTimes(1);
    expect(names()).toEqual(["1"]);
    expect(readAutostartStatus(true).state).toBe("starting");
  });

  it("is not made where something speaks against it, or nothing can be written", async () => {
    recordStopped();
    expect(await startOnce(bringUp)).toBe(false);
    clearAutostart();
    vi.stubEnv("CI", "true");
    expect(await startOnce(bringUp)).toBe(false);
    vi.stubEnv("CI", "");
    rmSync(locateHome().stateDir, { recursive: true });
    writeFileSync(locateHome().stateDir, "a file");
    expect(await startOnce(bringUp)).toBe(false);
    expect(bringUp).not.toHaveBeenCalled();
  });
});
