import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { shutDown } from "../../src/answers/daemon/operation.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { findImpact } from "../../src/features/impact/operation.ts";
import { showQueue } from "../../src/features/jobs/operation.ts";
import { searchCode } from "../../src/features/search/operation.ts";
import { rememberProject } from "../../src/git/projects/find-project.ts";
import { placeHeader } from "../../src/protocol/channel.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import type { SearchResponse } from "../../src/protocol/results.ts";
import { Registry } from "../../src/store/registry.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { callsIn, countingCalls, killedAtCall, spread } from "../support/calls.ts";
import { initialiseRepository } from "../support/repository-fixture.ts";
import { runs } from "../support/runs.ts";
import {
  cleanUp,
  createProject,
  found,
  isIdle,
  logOf,
  modules,
  pmJson,
  spawnDaemon,
  start,
  status,
  until,
  untilAnswering,
  untilIdle,
  untilStopped,
  write,
} from "./daemon-fixture.ts";
import { callPm, pmFile, temporaryDir, temporaryRepository } from "./run-pm.ts";

describe("a daemon that answers for all their projects", () => {
  afterAll(cleanUp);

  test("says why nothing is indexed where everything is ignored", async () => {
    const project = createProject({ ...modules(1), ".pommelignore": "*\n" });
    const ignored = "nothing is indexed: what git, `.pommelignore` or `index.exclude` ignores is left out";
    // It is the first, so that no daemon runs yet.
    const byCommand = await callPm(["reindex"], { cwd: project.root });
    expect(byCommand).toMatchObject({ code: 0, stderr: expect.stringContaining(ignored) });
    await start(project);
    const byDaemon = await callPm(["reindex"], { cwd: project.root });
    expect(byDaemon).toMatchObject({ code: 0, stderr: expect.stringContaining(ignored) });
    expect((await callPm(["status"], { cwd: project.root })).stdout).toContain(ignored);
  });

  test("finds what was just saved, and no longer what was just deleted", async () => {
    const project = createProject(modules(3));
    await start(project);
    await untilIdle(project);
    write(project, "src/fresh.ts", "export function zebraCrossing() {\n  return 1;\n}\n");
    await until(async () => (await found(project, "zebraCrossing")).includes("src/fresh.ts"));
    write(project, "src/fresh.ts", "export function giraffeNeck() {\n  return 1;\n}\n");
    await until(async () => (await found(project, "giraffeNeck")).includes("src/fresh.ts"));
    rmSync(join(project.root, "src/fresh.ts"));
    await until(async () => (await status(project)).index.total_files === 3);
    expect(await found(project, "giraffeNeck")).not.toContain("src/fresh.ts");
  });

  test("knows the calls of what was just saved, and forgets those that are gone", async () => {
    const project = createProject({
      "src/retry.ts": "export function retry() {\n  return 1;\n}\n",
      "src/client.ts": 'import { retry } from "./retry.ts";\nexport const idle = 1;\n',
    });
    await start(project);
    await untilIdle(project);
    const callers = async () =>
      (await callDaemon(project.root, findImpact, { of: ["retry"] })).touched.map(({ name }) => name);
    const client = (body: string) =>
      `import { retry } from "./retry.ts";\nexport function get() {\n  ${body}\n}\n`;
    expect(await callers()).toEqual([]);
    write(project, "src/client.ts", client("retry();"));
    await until(async () => (await callers()).includes("get"));
    write(project, "src/client.ts", client("return 2;"));
    await until(async () => (await callers()).length === 0);
  });

  test("a copy has an index of its own, and shares the memory", async () => {
    const project = createProject(modules(1));
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", project.root, "-c", "user.name=t", "-c", "user.email=t@localhost", ...args]);
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "-m", "first");
    await rememberProject(project);
    await start(project);
    await untilIdle(project);
    const copy = join(temporaryDir(), "copy");
    cpSync(project.root, copy, { recursive: true });
    writeFileSync(join(copy, "src/fresh.ts"), "export const giraffe = 1;\n");
    const pm = async (cwd: string, ...args: string[]) => (await callPm(args, { cwd })).stdout;
    expect(await pm(copy, "search", "code", "giraffe")).toContain("src/fresh.ts");
    expect(await pm(project.root, "search", "code", "giraffe")).not.toContain("src/fresh.ts");
    await pm(copy, "note", "the zebra is striped");
    expect(await pm(project.root, "memory", "notes")).toContain("the zebra is striped");
  });

  test("indexes again on request", async () => {
    const project = createProject(modules(4));
    await start(project);
    await untilIdle(project);
    const db = new Sqlite(project.indexDb, { mode: "create", timeoutMs: 0 });
    db.exec("DELETE FROM chunks; UPDATE files SET chunks = 0; UPDATE file_totals SET chunks = 0");
    db.close();
    expect((await status(project)).index.total_chunks).toBe(0);
    expect(await pmJson(project, "reindex", "--path", "src/module1.ts")).toMatchObject({ by: "daemon" });
    const some = (await status(project)).index.total_chunks;
    expect(some).toBeGreaterThan(0);
    await pmJson(project, "reindex");
    expect((await status(project)).index.total_chunks).toBe(some * 4);
  });

  test("refuses a wrong token and a foreign page", async () => {
    const project = createProject(modules(1));
    await start(project);
    const { port, token } = readDaemonRecord()!;
    const statusWith = async (headers: Record<string, string>) => {
      const about = { [placeHeader]: encodeURIComponent(project.root), ...headers };
      const outgoing = request({
        host: "127.0.0.1",
        port,
        path: "/status",
        headers: about,
        agent: false,
      }).end();
      const [response] = await once(outgoing, "response");
      response.resume();
      return response.statusCode;
    };
    const authorization = `Bearer ${token}`;
    expect(await statusWith({ authorization })).toBe(200);
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${"0".repeat(64)}` })).toBe(401);
    expect(await statusWith({ authorization, host: "rebound.example" })).toBe(403);
    expect(await statusWith({ authorization, origin: "https://rebound.example" })).toBe(403);
  });

  test("has a usage error for a query without words, and says with exit code 5 that nothing was found", async () => {
    const project = createProject(modules(1));
    await start(project);
    await untilIdle(project);
    const pm = (...args: string[]) => callPm(["search", ...args], { cwd: project.root });
    expect(await pm(" ")).toMatchObject({ code: 2, stdout: "" });
    expect(await pm("?!...")).toMatchObject({ code: 2, stdout: "" });
    expect(await pm("x", "--level", "paragraph")).toMatchObject({ code: 2 });
    const nothing = await pm("xylophone quartet");
    expect(nothing).toMatchObject({ code: 5, stdout: expect.stringContaining("Nothing found") });
    const json = await pm("code", "xylophone quartet", "--json");
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({
      results: [],
      total_results: 0,
    });
    expect(await pm(`compute0 ${"very long ".repeat(2000)}`)).toMatchObject({ code: 0 });
  });

  test("answers the same with and without a daemon", async () => {
    const project = createProject(modules(5));
    await start(project);
    await untilIdle(project);
    const ask = async () => {
      const { results } = await pmJson<SearchResponse>(
        project,
        "search",
        "code",
        "compute3",
        "--level",
        "method",
      );
      return results;
    };
    const withDaemon = await ask();
    expect(withDaemon.length).toBeGreaterThan(0);
    // The last one: it ends the daemon.
    await pmJson(project, "stop");
    expect(await ask()).toEqual(withDaemon);
  });
});

describe("a daemon of their own, or none", () => {
  afterEach(cleanUp);

  test("the thread that writes the index is replaced when it dies, idle or at work, and answers go on", async () => {
    const dir = temporaryDir();
    const [preload, killFile] = [join(dir, "preload.cjs"), join(dir, "kill")];
    writeFileSync(
      preload,
      `const { existsSync, readFileSync, rmSync } = require("node:fs");
       const { parentPort, workerData } = require("node:worker_threads");
       const dieWhen = (when) => {
         if (!existsSync(${JSON.stringify(killFile)})) return;
         if (readFileSync(${JSON.stringify(killFile)}, "utf8") !== when) return;
         rmSync(${JSON.stringify(killFile)});
         throw new Error("killed by a test");
       };
       if (workerData?.project && workerData.config) {
         setInterval(dieWhen, 20, "idle").unref();
         parentPort.on("message", ({ what }) => what === "update" && dieWhen("at work"));
       }`,
    );
    const kill = (when: "idle" | "at work") => writeFileSync(killFile, when);
    const project = createProject(modules(5));
    spawnDaemon([], { env: { NODE_OPTIONS: `--require ${preload}` } });
    const { pid } = await untilAnswering();
    await untilIdle(project);

    kill("idle");
    await until(() => /thread that writes the index ended: killed by a test; it starts again/.test(logOf()));
    write(project, "src/fresh.ts", "export function zebraCrossing() {\n  return 1;\n}\n");
    await until(async () => (await found(project, "zebraCrossing")).includes("src/fresh.ts"));
    expect(readDaemonRecord()?.pid).toBe(pid);

    await untilIdle(project);
    kill("at work");
    for (const [path, text] of Object.entries(modules(40))) write(project, path, `${text}\n`);
    await until(() => !existsSync(killFile));
    expect(await found(project, "compute3")).toContain("src/module3.ts");
    const failed = /indexing failed, next try in .*the thread that writes the index ended: killed by a test/;
    await until(() => failed.test(logOf()));
    // What it was at is done again.
    await until(async () => (await found(project, "compute39")).includes("src/module39.ts"));
    await untilIdle(project);
    expect(await status(project)).toMatchObject({ index: { total_files: 41 } });
    expect((await callDaemon(project.root, showQueue, {})).last_error).toBeNull();
    expect(readDaemonRecord()?.pid).toBe(pid);
  });

  test("answers while the first indexing is under way, knows that it was not finished, and finishes it", async () => {
    const project = createProject(modules(400));
    spawnDaemon();
    await untilAnswering();
    const search = () => callDaemon(project.root, searchCode, { q: "compute" });
    const first = await search();
    expect(first).toMatchObject({
      verdict: "not_yet",
      coverage: { of: "files", total: 400, files_read: 400 },
      index: { is_complete: false },
    });
    expect(first.results).toHaveLength(10);
    await callDaemon(project.root, shutDown, {});
    await untilStopped();
    expect((await status(project)).notes).toEqual(["The first indexing is incomplete."]);
    const alone = await callPm(["search", "compute399"], { cwd: project.root });
    expect(alone).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("`pm reindex` indexes the project"),
    });
    expect(alone.stdout).toMatch(
      /^From the text of 400 files; the index is \d+ % done\.\n\n ?1\. src\/module399\.ts:/,
    );
    await start(project);
    await untilIdle(project);
    expect(await status(project)).toMatchObject({ index: { total_files: 400 }, notes: [] });
    expect((await search()).index).toMatchObject({ is_complete: true, pending: 0 });
  });

  test("asked at once, has the right file, and does not say of anything that it is not there", async () => {
    const project = createProject({ ...modules(1500), "src/retry.ts": "export function withRetries() {}\n" });
    spawnDaemon();
    await untilAnswering();
    const asked = await callPm(["search", "code", "failed requests are retried", "--json"], {
      cwd: project.root,
    });
    const { verdict, coverage, results } = JSON.parse(asked.stdout) as SearchResponse;
    expect({ code: asked.code, verdict, file: results[0]?.file }).toEqual({
      code: 0,
      verdict: "not_yet",
      file: "src/retry.ts",
    });
    expect(coverage).toMatchObject({ of: "files", total: 1501, files_read: 1501 });
    expect(coverage!.done).toBeLessThan(1501);
    const nothing = await callPm(["search", "code", "zebra crossing"], { cwd: project.root });
    expect(nothing).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^None of 1,501 files contains these words yet/),
    });
    await untilIdle(project);
    const complete = await callDaemon(project.root, searchCode, { q: "withRetries" });
    expect(complete).toMatchObject({ verdict: "found", results: [{ file: "src/retry.ts" }] });
    expect(complete.coverage).toBeUndefined();
    expect((await callPm(["search", "code", '"zebra crossing"'], { cwd: project.root })).code).toBe(5);
  });

  test("limits a search to paths, languages and levels", async () => {
    const project = createProject({ ...modules(2), "lib/compute.py": "def compute0():\n    return 0\n" });
    await pmJson(project, "reindex");
    const files = async (...args: string[]) => {
      const { results } = await pmJson<SearchResponse>(project, "search", "code", "compute0", ...args);
      return [...new Set(results.map(({ file }) => file))];
    };
    expect(await files("--path", "lib")).toEqual(["lib/compute.py"]);
    expect(await files("--path", "./lib/", "--path", "nowhere")).toEqual(["lib/compute.py"]);
    expect(await files("--path", "**/*0.ts")).toEqual(["src/module0.ts"]);
    expect(await files("--language", "py")).toEqual(["lib/compute.py"]);
    const levels = await pmJson<SearchResponse>(
      project,
      "search",
      "code",
      "compute0",
      "--level",
      "method,class",
    );
    expect(new Set(levels.results.map(({ level }) => level))).toEqual(new Set(["method"]));
    const unknown = await callPm(["search", "x", "--language", "klingon"], { cwd: project.root });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("klingon") });
  });

  test("searches without a daemon: the files first, then the index, with how old that is", async () => {
    const project = createProject(modules(3));
    const first = await callPm(["search", "compute1"], { cwd: project.root });
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("src/module1.ts:") });

    expect(await pmJson(project, "reindex")).toMatchObject({ by: "command", indexed: 3, interrupted: false });
    const fresh = await callPm(["search", "compute1"], { cwd: project.root });
    expect(fresh).toMatchObject({ code: 0, stderr: "" });
    expect(fresh.stdout).toContain("src/module1.ts:");

    const db = new Sqlite(project.indexDb, { mode: "create", timeoutMs: 0 });
    db.exec("UPDATE files SET indexed_at = indexed_at - 3600000");
    db.exec("UPDATE meta SET value = CAST(value AS INTEGER) - 3600000 WHERE key = 'reconciled_at'");
    db.close();
    const old = await callPm(["search", "compute1"], { cwd: project.root });
    expect(old.stderr).toContain("No daemon is running; the index is from 1 hour ago.");
  });

  test("a search needs no project, records nothing, and touches nothing in the repository", async () => {
    const root = temporaryRepository();
    writeFileSync(join(root, "heron.ts"), "export const heron = 1;\n");
    const { id, indexDb, memoryDb } = makeNewProject(root);
    const search = await callPm(["search", "code", "heron"], { cwd: root });
    expect(search).toMatchObject({ code: 0, stdout: expect.stringContaining("heron.ts") });
    expect(readdirSync(root)).toEqual([".git", "heron.ts"]);
    expect([existsSync(indexDb), existsSync(memoryDb)]).toEqual([false, false]);
    expect(Registry.open().findProjectById(id)?.isNamed ?? false).toBe(false);
  });

  test("searches where it may not write", async () => {
    const project = createProject(modules(2));
    initialiseRepository(project.root);
    const home = temporaryDir();
    const env = { PATH: process.env.PATH, POMMEL_DAEMON_AUTOSTART: "false", POMMEL_HOME: home, HOME: home };
    expect(await callPm(["reindex"], { cwd: project.root, env })).toMatchObject({ code: 0 });
    // Permissions do not bind root, so the search runs as somebody else.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const paths = readdirSync(home, { recursive: true, encoding: "utf8" }).map((path) => join(home, path));
    for (const path of [project.root, home, ...paths]) {
      if (/-(wal|shm)$/.test(path)) rmSync(path);
      else if (user.uid) chownSync(path, user.uid, user.gid);
    }
    const closable = [home, ...paths].filter((path) => !/-(wal|shm)$/.test(path));
    for (const path of closable) chmodSync(path, 0o555);
    const answer = execFileSync(process.execPath, [pmFile, "search", "code", "compute1", "--json"], {
      ...user,
      cwd: project.root,
      env,
    });
    expect(JSON.parse(answer.toString()).results[0].file).toBe("src/module1.ts");
    expect(
      readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("-shm")),
    ).toEqual([]);
    for (const path of closable) chmodSync(path, 0o700);
  });

  test("survives being killed at any moment", async () => {
    const files = 120;
    const project = createProject(modules(files));
    const integrity = () => {
      const db = new Sqlite(project.indexDb, { mode: "create", timeoutMs: 0 });
      const said = db.pragma("integrity_check");
      db.close();
      return said;
    };
    const calls = join(temporaryDir(), "calls");
    const counted = spawnDaemon([], { env: countingCalls(calls) });
    const stopped = once(counted, "exit");
    await untilIdle(project);
    await pmJson(project, "stop");
    await stopped;
    // Once while it starts, before it looks at a file; then in the transaction that stores them, and when that is all but done:
    // there is a third of the files to index.
    const indexing = callsIn(calls) / 3;
    const points = [Math.ceil(indexing / 5), ...spread(indexing, runs(2))];
    const rounds = points.length;
    for (const [round, call] of points.entries()) {
      for (let i = round % 3; i < files; i += 3) {
        write(
          project,
          `src/module${i}.ts`,
          `export function round${round}of${i}() {\n  return ${round};\n}\n`,
        );
      }
      const daemon = spawnDaemon([], { env: killedAtCall(call) });
      const hasEnded = () => daemon.signalCode !== null || daemon.exitCode !== null;
      await until(async () => hasEnded() || (await isIdle(project)));
      expect({ call, signal: daemon.signalCode }).toEqual({ call, signal: "SIGKILL" });
      expect(integrity()).toBe("ok");
    }
    await start(project);
    await untilIdle(project);
    expect((await status(project)).index.total_files).toBe(files);
    for (let round = rounds - 3; round < rounds; round++) {
      expect(await found(project, `round${round}of${round % 3}`)).toContain(`src/module${round % 3}.ts`);
    }
    await pmJson(project, "stop");
    expect(integrity()).toBe("ok");
  });
});
