import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { cleanUp, createProject, logOf, pmJson, start, status, until } from "./daemon-fixture.ts";
import { callPm } from "./run-pm.ts";

afterEach(cleanUp);

const dead = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
const doctor = async (project: Project, ...more: string[]) => {
  const { code, stdout } = await callPm(["doctor", "--json", ...more], { cwd: project.root });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; message: string }[] };
  const of = (name: string) => checks.find((check) => check.name === name)!;
  return { code, memory: of("memory"), backups: of("backups") };
};
const stop = (project: Project) => callPm(["stop"], { cwd: project.root });
const filesWith = (dir: string, text: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name);

describe("a memory that is gone beside its backups", () => {
  it.each([
    ["missing", (file: string) => rmSync(file)],
    ["empty", (file: string) => writeFileSync(file, "")],
  ])("%s: every command names it, and restore brings it back", async (_, spoil) => {
    const project = createProject({});
    await pmJson(project, "note", "keep this");
    await pmJson(project, "backup");
    spoil(project.memoryDb);
    for (const args of [["memory", "notes"], ["note", "another"], ["backup"]]) {
      const { code, stderr } = await callPm(args, { cwd: project.root });
      expect({ args, code, stderr }).toEqual({
        args,
        code: 1,
        stderr: expect.stringContaining("pm memory restore"),
      });
    }
    await start(project);
    await until(async () =>
      (await status(project)).notes.find((note) => note.includes("a backup of it is there")),
    );
    const { code, memory } = await doctor(project);
    expect([code, memory.status, memory.message]).toEqual([
      1,
      "fail",
      expect.stringContaining("a backup of it"),
    ]);
    await pmJson(project, "restore", "--yes");
    expect(JSON.stringify(await pmJson(project, "memory", "notes"))).toContain("keep this");
    expect((await doctor(project)).memory.status).toBe("ok");
  });
});

it("what killed processes left is named, removed by --fix and at the next start, and not kept by forget", async () => {
  const project = createProject({});
  await pmJson(project, "note", "Project Falcon");
  await pmJson(project, "note", "unrelated");
  const left = [
    `memory.db.pommel-${dead}.pommel-${dead}`,
    "memory.db.before-9",
    `backups/x.db.pommel-${dead}`,
  ];
  const leave = () => {
    for (const name of left) cpSync(project.memoryDb, join(project.dataDir, name));
  };
  await pmJson(project, "backup");
  leave();
  expect((await doctor(project)).backups).toMatchObject({
    status: "warn",
    message: expect.stringContaining(dead),
  });
  expect((await doctor(project, "--fix")).backups.status).toBe("ok");
  const isThere = () => left.map((name) => existsSync(join(project.dataDir, name)));
  // A copy from before an update is a backup.
  expect(isThere()).toEqual([false, true, false]);
  leave();
  await start(project);
  await until(() => logOf().includes("what killed processes left"));
  expect(isThere()).toEqual([false, true, false]);
  leave();
  await pmJson(project, "forget", "--match", "Project Falcon", "--yes");
  await stop(project);
  expect(filesWith(project.dataDir, "Falcon")).toEqual([]);
  expect(JSON.stringify(await pmJson(project, "memory", "notes"))).toContain("unrelated");
});

it.runIf(existsSync("/proc/locks"))(
  "a daemon keeps its locks, and its logs when others use its databases",
  async () => {
    const project = createProject({ "src/a.ts": "export const timeout = 30;\n" });
    const { pid } = await start(project);
    await pmJson(project, "note", "keep this");
    await pmJson(project, "search", "code", "timeout");
    const locked = () => {
      const lines = readFileSync("/proc/locks", "utf8")
        .split("\n")
        .map((line) => line.trim().split(/\s+/));
      return new Set(
        lines.filter((line) => line[4] === String(pid)).map((line) => line[5]?.split(":").at(-1)),
      );
    };
    const databases = [project.memoryDb, project.indexDb, project.lockFile];
    const held = () => databases.filter((file) => locked().has(String(statSync(file).ino)));
    expect(held()).toEqual(databases);
    for (const file of [project.memoryDb, project.indexDb]) {
      const db = new Sqlite(file, { mode: "write", timeoutMs: 1000 });
      db.prepare("SELECT count(*) FROM sqlite_schema").get();
      db.close();
    }
    const open = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    });
    expect(open.filter((file) => /\.db.*deleted/.test(file))).toEqual([]);
    expect(held()).toEqual(databases);
  },
);
