import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Project, projectAt } from "../../project/paths.ts";
import { acquireWriterLock, lockHolder } from "./lock.ts";

let project: Project;
const children: ChildProcess[] = [];

beforeEach(() => {
  project = projectAt(mkdtempSync(join(tmpdir(), "pommel-lock-")));
  mkdirSync(project.stateDir);
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(project.root, { recursive: true, force: true });
});

/** Another process that tries to take the lock, says "held" or the error's code, and stays. */
async function contender(): Promise<{ child: ChildProcess; said: string }> {
  const lockModule = new URL("./lock.ts", import.meta.url).href;
  const script = `
    import { acquireWriterLock } from ${JSON.stringify(lockModule)};
    try {
      acquireWriterLock({ lockFile: ${JSON.stringify(project.lockFile)} }, "contender");
      console.log("held");
      setInterval(() => {}, 1000);
    } catch (error) { console.log(error.code); }`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [said] = await once(child.stdout!, "data");
  return { child, said: String(said).trim() };
}

test("is held by one process at a time and says by whom", async () => {
  const { child, said } = await contender();
  expect(said).toBe("held");
  expect(lockHolder(project)).toEqual({ pid: child.pid, owner: "contender" });
  expect(() => acquireWriterLock(project, "test")).toThrow(
    expect.objectContaining({ code: "locked", message: expect.stringContaining(`PID ${child.pid}`) }),
  );
});

test("is free the moment its holder is killed", async () => {
  const { child } = await contender();
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(lockHolder(project)).toBeNull();
  acquireWriterLock(project, "test").release();
});

test("goes to exactly one of several that start at once", async () => {
  const said = await Promise.all([contender(), contender(), contender()]);
  expect(said.map((one) => one.said).sort()).toEqual(["held", "locked", "locked"]);
});

test("keeps other processes out while this one looks at it", async () => {
  const lock = acquireWriterLock(project, "test");
  expect(lockHolder(project)).not.toBeNull();
  expect(() => acquireWriterLock(project, "again")).toThrow(expect.objectContaining({ code: "locked" }));
  expect((await contender()).said).toBe("locked");
  lock.release();
  lock.release();
  expect((await contender()).said).toBe("held");
});

test("is readable by its owner only and notices when it is taken away", () => {
  const lock = acquireWriterLock(project, "test");
  expect(statSync(project.lockFile).mode & 0o777).toBe(0o600);
  expect(lock.isStillOurs()).toBe(true);
  rmSync(project.lockFile);
  expect(lock.isStillOurs()).toBe(false);
  lock.release();
});

test("a damaged lock file is made usable again, and one that is held stays held", async () => {
  writeFileSync(project.lockFile, "not a database, but long enough to look at".repeat(100));
  writeFileSync(`${project.lockFile}-journal`, "a half of one");
  expect(lockHolder(project)).toBeNull();
  acquireWriterLock(project, "test").release();
  expect((await contender()).said).toBe("held");
  writeFileSync(project.lockFile, "not a database, but long enough to look at".repeat(100));
  expect(() => acquireWriterLock(project, "test")).toThrow(expect.objectContaining({ code: "locked" }));
});

test("explains a lock file that cannot be used, and a directory that is not there", () => {
  mkdirSync(project.lockFile);
  expect(() => acquireWriterLock(project, "test")).toThrow(expect.objectContaining({ code: "unreadable" }));
  expect(lockHolder(project)).toBeNull();
  rmSync(project.stateDir, { recursive: true });
  expect(() => acquireWriterLock(project, "test")).toThrow(expect.objectContaining({ code: "unreadable" }));
});
