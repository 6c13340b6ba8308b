import { expect, test } from "vitest";
import type { AutostartStatus } from "../autostart-status.ts";
import { describeAutostart } from "./autostart.ts";

const now = Date.parse("2026-03-02T09:00:00Z");
const base: AutostartStatus = { state: "ready", failed_starts: 0, error: null, retry_at: null };
const text = (status: Partial<AutostartStatus>) => describeAutostart({ ...base, ...status }, now).join(" ");

test("a daemon that restarts automatically needs nothing", () => {
  expect(text({})).toBe("The next search or hook starts it. `pm daemon start` starts it now.");
});

test("each obstacle comes with what to do about it", () => {
  for (const state of ["off", "ci", "stopped"] as const)
    expect(text({ state })).toContain("`pm daemon start`");
  expect(text({ state: "off" })).toContain("daemon.autostart");
  expect(text({ state: "ci" })).toContain("POMMEL_DAEMON_AUTOSTART=true");
  expect(text({ state: "stopped" })).toContain("until the next boot");
});

test("failed starts come with the reason and the next try", () => {
  const failed = { state: "failed", error: "Port 7 is taken.", retry_at: "2026-03-02T09:01:04Z" } as const;
  expect(text({ ...failed, failed_starts: 1 })).toBe(
    "Its last start failed: Port 7 is taken. Pommel tries again in 1m 4s. `pm daemon start` tries now; `pm daemon logs` shows more.",
  );
  expect(text({ ...failed, failed_starts: 3, retry_at: "2026-03-02T08:00:00Z" })).toContain(
    "Its last 3 starts failed: Port 7 is taken. The next search or hook tries again.",
  );
  expect(text({ ...failed, failed_starts: 2, error: null })).toContain(
    "It exited right after its last start.",
  );
});
