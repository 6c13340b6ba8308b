import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { namedProject } from "../../../../test/support/named-project.ts";
import { temporaryHome } from "../../../../test/support/temporary-home.ts";
import { locateCompiledCode, locateDaemonFiles, locateHome } from "../../../base/home.ts";
import type { Project } from "../../../base/paths.ts";
import { locateGlobalPatterns } from "../../../redact/patterns/patterns-file.ts";
import { codeSchema } from "../../../store/index/sqlite/schema.ts";
import { openDatabase } from "../../../store/sqlite/database.ts";
import { acquireLock } from "../../../store/sqlite/lock.ts";
import { findLatestNumber } from "../../../store/sqlite/schema.ts";
import { Sqlite } from "../../../store/sqlite/sqlite.ts";
import { locateVault } from "../../../store/vault/vault.ts";
import type { CheckResult } from "./check.ts";
import { checkDisk, checkPermissions, checkWatches } from "./files.ts";
import { checkGrammars, checkNode, machineChecks } from "./machine.ts";
import { describePlainStorage } from "./memory.ts";
import { listProjectChecks } from "./project.ts";

let project: Project;

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-checks-")));
});

afterEach(() => home.remove());

async function run(name: string, fix = false): Promise<CheckResult> {
  const check = listProjectChecks(project, fix).find((candidate) => candidate.name === name);
  return check!.run();
}

describe("this machine", () => {
  it("needs a Node that is new enough", () => {
    expect(checkNode("20.19.0").status).toBe("ok");
    expect(checkNode("22.1.0").status).toBe("ok");
    expect(checkNode("20.9.0").status).toBe("fail");
    expect(checkNode("18.20.0").hint).toContain("20.19");
  });

  it("needs the grammars", () => {
    const result = checkGrammars(`${project.root}/`);
    expect(result.status).toBe("fail");
    expect(result.message).toContain("typescript");
  });

  it.each(["git", "sqlite", "watcher"])("has what this test suite runs with: %s", async (name) => {
    expect(await machineChecks.find((check) => check.name === name)!.run()).toMatchObject({ status: "ok" });
  });
});

describe("permissions", () => {
  it("finds what others may read, and closes it with --fix", () => {
    expect(checkPermissions(false).status).toBe("ok");
    const { logDir } = locateDaemonFiles();
    mkdirSync(logDir, { recursive: true, mode: 0o700 });
    const log = join(logDir, "daemon.txt");
    writeFileSync(log, "");
    chmodSync(log, 0o644);
    chmodSync(logDir, 0o755);
    expect(checkPermissions(false)).toMatchObject({ status: "warn" });
    expect(statSync(log).mode & 0o777).toBe(0o644);
    expect(checkPermissions(true).status).toBe("ok");
    expect([statSync(log).mode & 0o777, statSync(logDir).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(checkPermissions(false).status).toBe("ok");
  });

  it("leaves what Node compiled as Node made it", () => {
    mkdirSync(join(locateCompiledCode(), "v24-x64"), { recursive: true, mode: 0o755 });
    writeFileSync(join(locateCompiledCode(), "v24-x64/a3f1"), "", { mode: 0o644 });
    expect(checkPermissions(false)).toMatchObject({ status: "ok" });
    expect(statSync(join(locateCompiledCode(), "v24-x64")).mode & 0o777).toBe(0o755);
  });

  it("leaves a client's file in the vault as it is", () => {
    mkdirSync(locateVault(), { recursive: true, mode: 0o700 });
    const file = join(locateVault(), "session.jsonl");
    writeFileSync(file, "", { mode: 0o644 });
    expect(checkPermissions(true)).toMatchObject({ status: "ok" });
    expect(statSync(file).mode & 0o777).toBe(0o644);
    chmodSync(locateVault(), 0o755);
    expect(checkPermissions(false)).toMatchObject({ status: "warn" });
  });

  it("finds a directory, and a link to nothing, in the way of a file", () => {
    const inTheWay = join(project.dataDir, "care.json");
    mkdirSync(inTheWay, { mode: 0o700 });
    const found = (message: string) => ({ status: "fail", message: expect.stringContaining(message) });
    expect(checkPermissions(true)).toMatchObject(found("care.json is a directory"));
    rmSync(inTheWay, { recursive: true });
    symlinkSync(join(project.root, "nothing"), inTheWay);
    expect(checkPermissions(true)).toMatchObject(found("care.json is a broken link"));
  });

  it("does not follow links out of the home", () => {
    const outside = join(project.root, "outside");
    writeFileSync(outside, "");
    chmodSync(outside, 0o644);
    symlinkSync(outside, join(project.dataDir, "link"));
    checkPermissions(true);
    expect(statSync(outside).mode & 0o777).toBe(0o644);
  });
});

describe("what is set", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is recording sessions, unless somebody switched that off", async () => {
    expect(await run("capture")).toMatchObject({ status: "ok" });
    vi.stubEnv("POMMEL_SESSIONS_CAPTURE", "false");
    expect(await run("capture")).toMatchObject({
      status: "warn",
      hint: expect.stringContaining("config set"),
    });
  });

  it("are models that can be used", async () => {
    expect(await run("models")).toEqual({ status: "ok", message: "configured models: static", hint: "" });
    // Nobody listens on that port.
    vi.stubEnv("POMMEL_OLLAMA_URL", "http://127.0.0.1:9");
    vi.stubEnv("POMMEL_EMBED_CODE", "ollama");
    vi.stubEnv("POMMEL_LLM_MODEL", "ollama");
    const { status, message, hint } = await run("models");
    expect(status).toBe("warn");
    expect(message).toMatch(/^Ollama at http:\/\/127.0.0.1:9 .* \(embed.code, llm.model\)\.$/);
    expect(hint).toContain("ollama.url");
  });
});

describe("the index", () => {
  it("is missing, sound, damaged, too old or too new", async () => {
    const nothing = "nothing is indexed yet: the first search does it";
    expect(await run("index")).toMatchObject({ status: "ok", message: nothing });
    openDatabase(project.indexDb, codeSchema, { readonly: false }).close();
    expect(await run("index")).toMatchObject({ status: "ok" });
    const setVersion = (version: number) => {
      const db = new Sqlite(project.indexDb, { mode: "create", timeoutMs: 0 });
      // A number alone, with the tables of today, would be damage.
      db.exec(`CREATE TABLE IF NOT EXISTS of_another_version (x); PRAGMA user_version = ${version}`);
      db.close();
    };
    setVersion(findLatestNumber(codeSchema) + 1);
    expect(await run("index")).toMatchObject({ status: "fail", message: expect.stringContaining("newer") });
    setVersion(0);
    expect(await run("index")).toMatchObject({ status: "fail", message: expect.stringContaining("schema") });
    setVersion(codeSchema.first - 1);
    expect(await run("index")).toMatchObject({ status: "warn", message: expect.stringContaining("older") });
    writeFileSync(project.indexDb, "this is no database, not even nearly ".repeat(50));
    expect(await run("index")).toMatchObject({ status: "fail", message: expect.stringContaining("damaged") });
  });
});

describe("the daemon", () => {
  afterEach(() => vi.unstubAllEnvs());
  const gone = JSON.stringify({
    pid: 999_999,
    port: 1,
    token: "t",
    started_at: "2020-01-01T00:00:00Z",
    version: "0",
  });
  const writeRecord = () => {
    mkdirSync(locateHome().stateDir, { recursive: true, mode: 0o700 });
    writeFileSync(locateDaemonFiles().record, gone);
  };

  it("may be off, which is worth a warning where nothing starts it", async () => {
    expect(await run("daemon")).toMatchObject({ status: "warn", hint: "Run `pm daemon start`." });
    vi.stubEnv("POMMEL_DAEMON_AUTOSTART", "true");
    expect(await run("daemon")).toMatchObject({
      status: "ok",
      message: "the daemon is not running. The next search or hook starts it.",
    });
  });

  it("may have left its file behind, which --fix removes", async () => {
    writeRecord();
    expect(await run("daemon")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("left over"),
    });
    expect(existsSync(locateDaemonFiles().record)).toBe(true);
    expect(await run("daemon", true)).toMatchObject({ status: "ok" });
    expect(existsSync(locateDaemonFiles().record)).toBe(false);
  });

  it("may hold the lock and not answer: then nothing is removed", async () => {
    const lock = acquireLock(locateDaemonFiles().lock, "pommeld");
    try {
      writeRecord();
      expect(await run("daemon", true)).toMatchObject({
        status: "fail",
        message: expect.stringContaining("pommeld"),
      });
      expect(existsSync(locateDaemonFiles().record)).toBe(true);
    } finally {
      lock.release();
    }
  });
});

describe("the writer lock", () => {
  it("says which process writes the index", async () => {
    const lock = acquireLock(project.lockFile, "pommeld");
    expect((await run("lock")).message).toContain(`PID ${process.pid}`);
    lock.release();
    expect((await run("lock")).message).toBe("no process is writing the index");
  });
});

it("reports a broken configuration", async () => {
  expect(await run("config")).toMatchObject({ status: "ok" });
  writeFileSync(project.configFile, "[search]\nlimt = 3\n");
  expect(await run("config")).toMatchObject({ status: "fail", hint: "Did you mean search.limit?" });
  rmSync(project.configFile);
  // Every command that scrubs what it stores or shows fails then.
  mkdirSync(locateHome().configDir, { recursive: true });
  writeFileSync(locateGlobalPatterns(), "[1");
  expect(await run("config")).toMatchObject({
    status: "fail",
    message: expect.stringContaining("scrubbing-patterns.toml:1"),
  });
});

it("compares the directories with the system's limit on watches", () => {
  const limitFile = join(project.root, "limit");
  for (const name of ["a/b", "node_modules/x", ".git/objects"])
    mkdirSync(join(project.root, name), { recursive: true });
  writeFileSync(limitFile, "6\n");
  expect(checkWatches(project.root, limitFile)).toMatchObject({
    status: "ok",
    message: "3 directories, the system watches up to 6",
  });
  writeFileSync(limitFile, "5\n");
  expect(checkWatches(project.root, limitFile).status).toBe("warn");
  expect(checkWatches(project.root, join(project.root, "absent")).status).toBe("ok");
});

it("measures the disk, also of a home that is not made yet", () => {
  expect(checkDisk(join(project.root, "not/yet")).status).toBe("ok");
  expect(checkDisk(project.root).message).toMatch(/\d+(\.\d)? (MB|GB|TB)/);
});

it("where neither the disk nor Pommel encrypts, doctor says so, and what to do", () => {
  expect(describePlainStorage("off")).toMatchObject({
    message: expect.stringContaining("the disk is not encrypted"),
  });
  expect(describePlainStorage("off").hint).toContain("pm memory encrypt");
  expect(describePlainStorage("on").message).toContain("on an encrypted disk");
  expect(describePlainStorage("unknown").message).toContain("cannot be seen");
});
