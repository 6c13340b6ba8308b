import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeNewProject } from "../../src/base/paths.ts";
import { homeAt, pmFile, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

it("checks a fresh project: all works, and it says what is still missing", async () => {
  const cwd = temporaryDir();
  await runPm(["init"], { cwd });
  const { code, stdout } = await runPm(["doctor", "--json"], { cwd });
  const { ok, initialised, checks } = JSON.parse(stdout) as {
    ok: boolean;
    initialised: boolean;
    checks: { name: string; status: string; hint: string }[];
  };
  expect({ code, ok, initialised }).toEqual({ code: 0, ok: true, initialised: true });
  const status = Object.fromEntries(checks.map((check) => [check.name, check.status]));
  expect(status).toMatchObject({
    node: "ok",
    git: "ok",
    sqlite: "ok",
    watcher: "ok",
    grammars: "ok",
    project: "ok",
    config: "ok",
    permissions: "ok",
    lock: "ok",
    daemon: "warn",
    index: "ok",
    memory: "ok",
  });
  // That nothing is encrypted is no fault, but there is something to do about it.
  for (const { name, status, hint } of checks.filter(({ name }) => name !== "encryption"))
    expect([name, hint !== ""]).toEqual([name, status !== "ok"]);
});

it("is green after a fresh set-up", async () => {
  const home = temporaryDir("pommel-home-");
  const cwd = temporaryRepository();
  for (const dir of [".claude", "bin"]) mkdirSync(join(home, dir));
  symlinkSync(pmFile, join(home, "bin/pommel"));
  const env = {
    ...homeAt(home),
    CI: "",
    POMMEL_DAEMON_AUTOSTART: "true",
    PATH: `${join(home, "bin")}:${process.env.PATH}`,
  };
  try {
    expect(await runPm(["setup", "--all"], { cwd, env })).toMatchObject({ code: 0 });
    const notGreen = async () => {
      const { stdout } = await runPm(["doctor", "--json"], { cwd, env });
      const { checks } = JSON.parse(stdout) as {
        checks: { name: string; status: string; message: string }[];
      };
      // What is about the machine alone.
      const isMeant = (name: string) => name !== "disk" && name !== "watches";
      return checks.filter(({ name, status }) => status !== "ok" && isMeant(name));
    };
    expect(await notGreen()).toEqual([]);
    writeFileSync(join(cwd, "saffron.ts"), "export const saffron = 1;\n");
    expect(await runPm(["search", "saffron"], { cwd, env })).toMatchObject({ code: 0 });
    expect(await notGreen()).toEqual([]);
  } finally {
    await runPm(["stop"], { cwd, env });
  }
});

it("fails when something is broken, and repairs what it can", async () => {
  const cwd = temporaryDir();
  await runPm(["init"], { cwd });
  await runPm(["config", "set", "search.limit", "20"], { cwd });
  const file = makeNewProject(cwd).configFile;
  chmodSync(file, 0o644);
  const open = await runPm(["doctor"], { cwd });
  expect(open.stdout).toContain(`! permissions     Other users can read ${file}`);
  const fixed = await runPm(["doctor", "--fix"], { cwd });
  expect(fixed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`✓ permissions     made private: ${file}`),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);

  writeFileSync(file, "[search\n");
  const broken = await runPm(["doctor"], { cwd });
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining("✗ config") });
});

it("reports a damaged memory, and leaves it as it is", async () => {
  const cwd = temporaryDir();
  await runPm(["init"], { cwd });
  await runPm(["note", "keep this"], { cwd });
  const sound = await runPm(["doctor"], { cwd });
  expect(sound.stdout).toMatch(/✓ memory +memory\.db is sound/);
  const file = makeNewProject(cwd).memoryDb;
  writeFileSync(file, "no database");
  const broken = await runPm(["doctor"], { cwd });
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ memory +memory\.db is damaged/) });
  expect(readFileSync(file, "utf8")).toBe("no database");
});

it("says that sessions are recorded only where somebody wants it", async () => {
  const cwd = temporaryDir();
  const { code, stdout } = await runPm(["doctor"], { cwd });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /! capture +Agent sessions of this project are not recorded\.\n +Run `pm init`/,
    ),
  });
  await runPm(["init", "--no-hooks"], { cwd });
  expect((await runPm(["doctor"], { cwd })).stdout).toMatch(/✓ capture +agent sessions are recorded/);
});

it("checks the machine outside of a project, too", async () => {
  const { code, stdout } = await runPm(["doctor"], { cwd: process.env.HOME! });
  expect(code).toBe(3);
  expect(stdout).toContain("✓ node");
  expect(stdout).toMatch(/! project +.* is your home directory, not a project\./);
});
