import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Project, projectAt } from "../project/paths.ts";
import {
  autostartStatus,
  clearAutostart,
  obstacleTo,
  recordOutcome,
  recordRefusal,
  recordStopped,
  startInBackground as tryToStart,
} from "./autostart.ts";

const start = vi.fn();
const startInBackground = (project: Project) => tryToStart(project, start);

let project: Project;
beforeEach(() => {
  start.mockClear();
  vi.stubEnv("POMMEL_DAEMON_AUTOSTART", "");
  vi.stubEnv("CI", "");
  project = projectAt(mkdtempSync(join(tmpdir(), "pommel-autostart-")));
  mkdirSync(project.stateDir);
  writeFileSync(project.configFile, "");
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(project.root, { recursive: true, force: true });
});

const names = () => readdirSync(join(project.stateDir, "autostart")).sort();

/** Advances the time. Milliseconds. */
function later(ms: number): void {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
}

describe("a start in the background", () => {
  it("happens once for any number of callers", async () => {
    expect(await Promise.all(Array.from({ length: 50 }, () => startInBackground(project)))).not.toContain(
      false,
    );
    expect(start).toHaveBeenCalledTimes(1);
    expect(start).toHaveBeenCalledWith(project, "1");
    expect(autostartStatus(project, true).state).toBe("starting");
  });

  it("is tried again when it was interrupted", async () => {
    await startInBackground(project);
    later(44_000);
    await startInBackground(project);
    expect(start).toHaveBeenCalledTimes(1);
    later(2000);
    await startInBackground(project);
    expect(start).toHaveBeenCalledTimes(2);
  });

  it("waits twice as long after each failure, an hour at most, and shows why", async () => {
    const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600];
    for (const [i, seconds] of waits.entries()) {
      expect(await startInBackground(project)).toBe(true);
      recordOutcome(project, String(i + 1), "Port 1 is taken.");
      // The file system does not know that this test's clock is ahead.
      const now = Date.now() / 1000;
      utimesSync(join(project.stateDir, "autostart", String(i + 1)), now, now);
      expect(obstacleTo(project)).toBe("failed");
      later(seconds * 1000 - 100);
      expect(await startInBackground(project)).toBe(false);
      expect(autostartStatus(project, true)).toMatchObject({
        state: "failed",
        failed_starts: i + 1,
        error: "Port 1 is taken.",
      });
      later(200);
    }
    expect(start).toHaveBeenCalledTimes(waits.length);
  });

  it("is due again when the configuration has changed since it failed", async () => {
    await startInBackground(project);
    recordOutcome(project, "1", "Nonsense in config.toml.");
    expect(await startInBackground(project)).toBe(false);
    await vi.waitFor(async () => {
      writeFileSync(project.configFile, "# corrected");
      expect(await startInBackground(project)).toBe(true);
    });
    expect(names()).toEqual(["1", "2"]);
  });

  it("starts from the beginning when a daemon has proved itself", async () => {
    await startInBackground(project);
    recordOutcome(project, "1", null);
    expect(autostartStatus(project, true)).toMatchObject({ state: "failed", error: null });
    clearAutostart(project);
    expect(autostartStatus(project, true)).toEqual({
      state: "ready",
      failed_starts: 0,
      error: null,
      retry_at: null,
    });
    expect(await startInBackground(project)).toBe(true);
  });

  it("fails silently where nothing can be written, and does not recreate a removed project", async () => {
    rmSync(project.stateDir, { recursive: true });
    expect(await startInBackground(project)).toBe(false);
    expect(() => recordOutcome(project, "1", null)).toThrow("ENOENT");
    expect(start).not.toHaveBeenCalled();
  });
});

describe("no start", () => {
  afterEach(() => {
    expect(start).not.toHaveBeenCalled();
  });

  it("in CI, unless Pommel's own variable allows it", async () => {
    expect(obstacleTo(project, { CI: "true" })).toBe("ci");
    expect(obstacleTo(project, { CI: "1" })).toBe("ci");
    expect(obstacleTo(project, { CI: "false" })).toBeNull();
    expect(obstacleTo(project, { CI: "true", POMMEL_DAEMON_AUTOSTART: "true" })).toBeNull();
    vi.stubEnv("CI", "true");
    expect(await startInBackground(project)).toBe(false);
  });

  it("where it is turned off", async () => {
    vi.stubEnv("POMMEL_DAEMON_AUTOSTART", "false");
    expect(await startInBackground(project)).toBe(false);
    expect(autostartStatus(project, false).state).toBe("off");
  });

  it("where the configuration was found to turn it off, until that changes", async () => {
    recordRefusal(project, "off");
    expect(await startInBackground(project)).toBe(false);
    expect(obstacleTo(project)).toBe("off");
    expect(obstacleTo(project, { POMMEL_DAEMON_AUTOSTART: "true" })).toBeNull();
    await vi.waitFor(async () => {
      writeFileSync(project.configFile, "# turned on");
      expect(obstacleTo(project)).toBeNull();
    });
  });

  it("where an unapproved configuration sends code away, whatever the environment says", async () => {
    recordRefusal(project, "unapproved");
    vi.stubEnv("POMMEL_DAEMON_AUTOSTART", "true");
    expect(await startInBackground(project)).toBe(false);
    expect(autostartStatus(project, true).state).toBe("unapproved");
  });

  it("after pm stop, until the next boot", async () => {
    recordStopped(project);
    expect(await startInBackground(project)).toBe(false);
    expect(autostartStatus(project, true).state).toBe("stopped");
    writeFileSync(join(project.stateDir, "autostart", "stopped"), "another boot");
    expect(obstacleTo(project)).toBeNull();
  });

  it("by root for another user's project", async () => {
    vi.spyOn(process, "getuid").mockReturnValue(0);
    if (statSync(project.stateDir).uid === 0) chownSync(project.stateDir, 1000, 1000);
    expect(await startInBackground(project)).toBe(false);
    expect(obstacleTo(project)).toBe("root");
  });
});
