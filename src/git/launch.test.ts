import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchInProcess, launchProgram, useLauncher } from "./launch.ts";

type Launched = ReturnType<typeof launchInProcess>;

const dir = mkdtempSync(join(tmpdir(), "pommel-launch-"));
const socket = join(dir, "git.sock");
const launcherFile = join(import.meta.dirname, "launcher.ts");
const launcher = spawn(process.execPath, ["--import", "tsx", launcherFile, socket], {
  stdio: ["pipe", "ignore", "inherit"],
});

const isListening = async () => {
  useLauncher(socket);
  for (;;) {
    const { stdout } = await launchProgram("sh", ["-c", "echo $PPID"], { env: {} });
    if (Number(await textOf(stdout)) === launcher.pid) return;
    await sleep(20);
  }
};

async function textOf(output: Launched["stdout"]): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of output) parts.push(part);
  return Buffer.concat(parts).toString();
}

beforeAll(isListening, 30_000);
afterAll(() => {
  launcher.stdin!.end();
  rmSync(dir, { recursive: true, force: true });
});

/** The same program, started by this process and by the launcher. */
const both: [string, (...given: Parameters<typeof launchProgram>) => Launched | Promise<Launched>][] = [
  ["here", launchInProcess],
  ["there", launchProgram],
];

describe.each(both)("a program that is started %s", (_, start) => {
  it("has its output, errors and exit code, and the environment that is asked for", async () => {
    process.env.B = "left out";
    const { stdout, stderr, ended } = await start(
      "sh",
      ["-c", 'echo "$A|$HOME|$B"; echo wrong >&2; exit 3'],
      { env: { A: "a b", B: undefined } },
    );
    expect(await textOf(stdout)).toBe(`a b|${process.env.HOME}|\n`);
    expect(await ended).toBe(3);
    expect(stderr()).toBe("wrong\n");
  });

  it("gets its stdin, and gives more than fits into a pipe", async () => {
    const parts = Array.from({ length: 64 }, (_, i) => `${String(i).repeat(40_000)}\n`);
    const { stdout, ended } = await start("cat", [], { env: {}, stdin: parts });
    expect((await textOf(stdout)) === parts.join("")).toBe(true);
    expect(await ended).toBe(0);
  });

  it("ends without reading its stdin", async () => {
    const { stdout, ended } = await start("true", [], { env: {}, stdin: ["x".repeat(1_000_000)] });
    expect(await textOf(stdout)).toBe("");
    expect(await ended).toBe(0);
  });

  it("is said not to be there", async () => {
    const { ended } = await start(join(dir, "no-such-program"), [], { env: {} });
    await expect(ended).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("ends when its signal aborts, and when it is killed", async () => {
    const stop = new AbortController();
    const name = join(dir, "marker");
    const aborted = await start("sh", ["-c", "sleep 600", name], { env: {}, signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(aborted.ended).rejects.toMatchObject({ name: "AbortError" });
    const killed = await start("sh", ["-c", "sleep 600", name], { env: {} });
    killed.ended.catch(() => {});
    killed.kill();
    while (execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(name)) await sleep(10);
  });
});
