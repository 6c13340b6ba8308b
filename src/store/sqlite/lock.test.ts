import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { acquireLock, lockHolder } from "./lock.ts";
import { Sqlite } from "./sqlite.ts";

let dir: string;
let file: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-lock-"));
  file = join(dir, "writer.lock");
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

/** Another process that tries to take the lock, says "held" or the error's code, and stays. */
async function contender(): Promise<{ child: ChildProcess; said: string }> {
  const lockModule = new URL("./lock.ts", import.meta.url).href;
  const script = `
    import { acquireLock } from ${JSON.stringify(lockModule)};
    try {
      acquireLock(${JSON.stringify(file)}, "contender");
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
  expect(lockHolder(file)).toEqual({ pid: child.pid, owner: "contender" });
  expect(() => acquireLock(file, "test")).toThrow(
    expect.objectContaining({ code: "locked", message: expect.stringContaining(`PID ${child.pid}`) }),
  );
});

test("is free the moment its holder is killed", async () => {
  const { child } = await contender();
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(lockHolder(file)).toBeNull();
  acquireLock(file, "test").release();
});

test("goes to exactly one of several that start at once", async () => {
  const said = await Promise.all([contender(), contender(), contender()]);
  expect(said.map((one) => one.said).sort()).toEqual(["held", "locked", "locked"]);
});

test("keeps other processes out while this one looks at it", async () => {
  const lock = acquireLock(file, "test");
  expect(lockHolder(file)).not.toBeNull();
  expect(() => acquireLock(file, "again")).toThrow(expect.objectContaining({ code: "locked" }));
  expect((await contender()).said).toBe("locked");
  lock.release();
  lock.release();
  expect((await contender()).said).toBe("held");
});

test("is readable by its owner only and notices when it is taken away", () => {
  const lock = acquireLock(file, "test");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(lock.isStillOurs()).toBe(true);
  rmSync(file);
  expect(lock.isStillOurs()).toBe(false);
  lock.release();
});

test("a damaged lock file is made usable again, and one that is held stays held", async () => {
  writeFileSync(file, "not a database, but long enough to look at".repeat(100));
  writeFileSync(`${file}-journal`, "a half of one");
  expect(lockHolder(file)).toBeNull();
  acquireLock(file, "test").release();
  expect((await contender()).said).toBe("held");
  writeFileSync(file, "not a database, but long enough to look at".repeat(100));
  expect(() => acquireLock(file, "test")).toThrow(expect.objectContaining({ code: "locked" }));
});

test("explains a lock file that cannot be used, and makes a directory that is not there", () => {
  mkdirSync(file);
  expect(() => acquireLock(file, "test")).toThrow(expect.objectContaining({ code: "unreadable" }));
  expect(lockHolder(file)).toBeNull();
  rmSync(dir, { recursive: true });
  acquireLock(file, "test").release();
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
});

test("says that the disk is full, and is free once it is not", () => {
  const exec = vi.spyOn(Sqlite.prototype, "exec").mockImplementation(() => {
    throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  });
  expect(() => acquireLock(file, "first")).toThrow(
    expect.objectContaining({ code: "disk_full", hint: "Free some space." }),
  );
  exec.mockRestore();
  acquireLock(file, "second").release();
});
