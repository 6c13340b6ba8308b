import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { isDaemon } from "../../src/protocol/daemon-record.ts";
import { until } from "./daemon-fixture.ts";
import { pmFile, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

let temporary: string;
/** The demo's directory lies there, and is all that does. */
const env = () => ({ TMPDIR: temporary, TEMP: temporary, POMMEL_HOME: join(temporary, "not-asked-for") });
beforeEach(() => {
  temporary = temporaryDir();
});

/** The process of the demo's daemon; null before it runs. */
function daemonOfDemo(): number | null {
  try {
    const [name = ""] = readdirSync(temporary);
    const record = readFileSync(join(temporary, name, "pommel/state/daemon.json"), "utf8");
    return (JSON.parse(record) as { pid: number }).pid;
  } catch {
    return null;
  }
}

it("shows what Pommel does, step by step, and leaves nothing", async () => {
  const repository = temporaryRepository();
  writeFileSync(join(repository, "saffron.ts"), "/** Keeps the saffron dry. */\nexport const saffron = 1;\n");
  const ended = runPm(["demo", repository, "where is the saffron kept"], { cwd: temporary, env: env() });
  const pid = await until(daemonOfDemo);
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const commands = [...stdout.matchAll(/^# .+\n\$ pm (.+)$/gm)].map(([, line]) => line!.split(" ")[0]);
  expect(commands).toEqual([
    "search",
    "setup",
    "checkpoint",
    "daemon",
    "search",
    "why",
    "how",
    "fix",
    "review",
    "open",
  ]);
  for (const said of [
    "saffron.ts",
    "3 past sessions of 1 project",
    // The same story has the same commits everywhere.
    "Written by agent claude-demo-1 in session 9e07f3aa, turn 2",
    "Commit     5a24d042 Back off exponentially, with jitter",
    "node --test src/http/retry.test.ts\n  node --test … worked 1 time, failed 1 time",
    '+import { test } from "node:test";',
    "1 file, +9 -0. Added lines: 100% by agents.",
    "http://127.0.0.1:",
  ])
    expect(stdout).toContain(said);
  expect(readdirSync(temporary)).toEqual([]);
  expect(isDaemon(pid)).toBe(false);
  expect(readdirSync(repository)).toEqual([".git", "saffron.ts"]);
});

it.each(["SIGTERM", "SIGINT", "SIGKILL"] as const)(
  "leaves nothing when it is ended by %s",
  async (signal) => {
    const demo = spawn(process.execPath, [pmFile, "demo"], {
      cwd: temporary,
      env: { ...process.env, ...env() },
      stdio: "ignore",
    });
    const ended = once(demo, "exit");
    const pid = await until(daemonOfDemo);
    demo.kill(signal);
    expect(await ended).toEqual(signal === "SIGKILL" ? [null, signal] : [130, null]);
    await until(() => readdirSync(temporary).length === 0 && !isDaemon(pid));
  },
);

it("says what it needs", async () => {
  for (const args of [
    ["demo", "--json"],
    ["demo", "."],
  ])
    expect(await runPm(args, { cwd: temporary, env: env() })).toMatchObject({ code: 2 });
  expect(readdirSync(temporary)).toEqual([]);
});
