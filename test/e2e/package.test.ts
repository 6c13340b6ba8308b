import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { temporaryDir, temporaryRepository } from "./run-pm.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
/** Packing and unpacking 20 MB takes seconds, on a busy machine many. */
const timeoutMs = 300_000;

/** As on a machine without network where no install script may run, npm's own report of new versions included. */
const npmEnv = {
  ...process.env,
  npm_config_offline: "true",
  npm_config_ignore_scripts: "true",
  npm_config_update_notifier: "false",
};
const npm = (...args: string[]) => run("npm", args, { cwd: temporaryDir(), env: npmEnv });

/** The tarball that npm would publish of a package's directory. */
async function pack(dir: string): Promise<string> {
  const { stdout } = await npm("pack", dir, "--pack-destination", tarballs, "--json");
  return join(tarballs, JSON.parse(stdout)[0].filename);
}

const tarballs = temporaryDir();
const prefix = temporaryDir();
const modules = join(prefix, "lib/node_modules");
const installed = join(modules, "pommel");
const program = (name: string) => join(prefix, "bin", name);
let tarball: string;

/** npm lays a global installation out differently there. */
const onWindows = process.platform === "win32";

beforeAll(async () => {
  if (onWindows) return;
  tarball = await pack(root);
  // The watcher's binary comes from the registry otherwise; there is none for some systems.
  const binaries = Object.keys(packageJson.optionalDependencies)
    .map((name) => join(root, "node_modules", name))
    .filter((dir) => statSync(dir, { throwIfNoEntry: false }));
  await npm("install", "--global", "--prefix", prefix, tarball, ...(await Promise.all(binaries.map(pack))));
}, timeoutMs);

/** All files of what was installed, relative to `node_modules`. */
const files = () =>
  readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe.skipIf(onWindows)("the packed Pommel, installed without network, scripts and compiler", () => {
  it("runs as pm, pommel and pommeld", async () => {
    for (const name of ["pm", "pommel"]) {
      expect(await run(program(name), ["--version"])).toMatchObject({ stdout: `${packageJson.version}\n` });
    }
    expect((await run(program("pommeld"), ["--help"])).stdout).toContain("Usage: pommeld");
  });

  it("runs by npx", { timeout: timeoutMs }, async () => {
    expect((await npm("exec", "--yes", "--", `file:${tarball}`, "--help")).stdout).toContain("Usage: pm");
  });

  it("indexes, and finds code", async () => {
    const cwd = temporaryRepository();
    mkdirSync(join(cwd, "src"));
    writeFileSync(join(cwd, "src/retry.ts"), "export function retryWithBackoff() {}\n");
    await run(program("pm"), ["init", "--no-hooks"], { cwd });
    await run(program("pm"), ["reindex"], { cwd });
    const { stdout } = await run(program("pm"), ["search", "code", "retry with backoff", "--json"], { cwd });
    // Only a grammar makes it a method.
    expect(JSON.parse(stdout).results[0]).toMatchObject({ level: "method", name: "retryWithBackoff" });
  });

  it("has all that its checks look for", async () => {
    const { stdout } = await run(program("pm"), ["doctor", "--json"], { cwd: temporaryRepository() }).catch(
      (failure: { stdout: string }) => failure,
    );
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string }[] };
    expect(Object.fromEntries(checks.map(({ name, status }) => [name, status]))).toMatchObject({
      node: "ok",
      sqlite: "ok",
      watcher: "ok",
      grammars: "ok",
    });
  });

  it("holds SQLite for every system that it supports", () => {
    const binaries = readdirSync(join(installed, "dist/sqlite"), { recursive: true }).map(String);
    expect(binaries.filter((file) => file.endsWith(".node")).sort()).toEqual([
      "darwin-arm64/glibc.node",
      "darwin-x64/glibc.node",
      "linux-arm64/glibc.node",
      "linux-arm64/musl.node",
      "linux-x64/glibc.node",
      "linux-x64/musl.node",
      "win32-arm64/glibc.node",
      "win32-x64/glibc.node",
    ]);
  });

  it("has no script to be run, and nothing to be compiled", () => {
    const packages = files().filter((file) => file.endsWith("package.json"));
    expect(packages).toContain(join(installed, "package.json"));
    for (const file of packages) {
      const { scripts = {} } = JSON.parse(readFileSync(file, "utf8"));
      const ofInstallation = Object.keys(scripts).filter((name) => /^(?:pre|post)?install$/.test(name));
      expect({ file, ofInstallation }).toEqual({ file, ofInstallation: [] });
    }
    // npm runs node-gyp wherever one lies.
    expect(files().filter((file) => file.endsWith("binding.gyp"))).toEqual([]);
  });

  it("takes 45 MB at most", () => {
    const bytes = files().reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes).toBeLessThanOrEqual(45_000_000);
    // A package without its model or binaries would be small as well.
    expect(bytes).toBeGreaterThan(25_000_000);
  });
});

describe("package.json", () => {
  it("asks for the watcher's binaries as the bundled watcher does, but for Linux, where Node watches", () => {
    const watcher = JSON.parse(readFileSync(join(root, "node_modules/@parcel/watcher/package.json"), "utf8"));
    const wanted = Object.entries(watcher.optionalDependencies).filter(([name]) => !name.includes("-linux-"));
    expect(packageJson.optionalDependencies).toEqual(Object.fromEntries(wanted));
    expect(packageJson.devDependencies["@parcel/watcher"]).toBe(watcher.version);
  });
});

describe("a Node that is too old", () => {
  const needed = /^>=(\d+)\.(\d+)$/.exec(packageJson.engines.node)!.slice(1).map(Number);
  const [major = 0, minor = 0] = needed;

  /** Runs a program in a Node that says it has this version. */
  async function pretend(version: string, name: string, ...args: string[]) {
    const preload = join(temporaryDir(), "preload.cjs");
    const versions = JSON.stringify({ ...process.versions, node: version });
    writeFileSync(preload, `Object.defineProperty(process, "versions", { value: ${versions} });`);
    const file = join(root, packageJson.bin[name as keyof typeof packageJson.bin]);
    try {
      return { code: 0, ...(await run(process.execPath, ["--require", preload, file, ...args])) };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, stdout, stderr };
    }
  }

  it.each(["pm", "pommel", "pommeld"])("gets one sentence from %s", async (name) => {
    for (const old of ["12.22.12", `${major}.${minor - 1}.5`]) {
      expect(await pretend(old, name, "--help")).toEqual({
        code: 1,
        stdout: "",
        stderr: `error: Pommel needs Node ${major}.${minor} or later, and this is Node ${old}.\n`,
      });
    }
    for (const supported of [`${major}.${minor}.0`, `${major + 1}.0.0`]) {
      expect(await pretend(supported, name, "--help")).toMatchObject({ code: 0, stderr: "" });
    }
  });

  it("fails no hook", async () => {
    expect(await pretend("18.20.8", "pm", "hook", "stop")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Node 18.20.8"),
    });
  });
});
