import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "./mcp-fixture.ts";
import { homeAt, pmFile, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

let home: string;
/** As if nothing were set up, and whatever wants a daemon could start one. */
const env = () => ({ ...homeAt(home), CI: "", POMMEL_DAEMON_AUTOSTART: "true" });
beforeEach(() => {
  home = temporaryDir("pommel-home-");
});
afterEach(async () => {
  await runPm(["stop"], { cwd: home, env: env() });
});

/** All that is in a directory: paths, modes, sizes and times. */
function treeOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .sort()
    .map((path) => {
      const { mode, size, mtimeMs } = lstatSync(join(dir, path));
      return `${path} ${mode.toString(8)} ${size} ${mtimeMs}`;
    });
}

const looks = [
  [],
  ["status"],
  ["status", "--json"],
  ["status", "--skipped"],
  ["doctor"],
  ["projects"],
  ["daemon", "queue"],
  ["daemon", "version"],
  ["help"],
  ["help", "search"],
  ["search", "--help"],
  ["completion", "bash"],
  ["complete", "sessions"],
  ["complete", "packages"],
  ["statusline"],
  ["statusline", "--prompt"],
  ["config", "list"],
];

const source = "export const saffron = 1;\n";

function repository(): string {
  const dir = temporaryRepository();
  writeFileSync(join(dir, "saffron.ts"), source);
  return dir;
}

function plainDirectory(): string {
  const dir = temporaryDir();
  writeFileSync(join(dir, "saffron.ts"), source);
  return dir;
}

describe.each([
  ["an unknown repository", repository],
  ["a plain directory", plainDirectory],
])("looking, in %s", (_, make) => {
  it("changes nothing: neither in the home nor there, and starts nothing", async () => {
    const dir = make();
    const before = [treeOf(home), treeOf(dir)];
    for (const args of looks) {
      const { stdout, stderr } = await runPm(args, { cwd: dir, env: env() });
      expect({ args, stderr }).not.toMatchObject({ stderr: expect.stringContaining("internal") });
      expect({ args, stdout }).not.toMatchObject({ stdout: expect.stringContaining("check itself failed") });
      expect({ args, trees: [treeOf(home), treeOf(dir)] }).toEqual({ args, trees: before });
    }
  });

  it("opens nothing in a daemon that runs", async () => {
    const dir = make();
    await runPm(["start"], { cwd: home, env: env() });
    const before = treeOf(dir);
    for (const args of looks) await runPm(args, { cwd: dir, env: env() });
    expect(treeOf(dir)).toEqual(before);
    const { stdout } = await runPm(["projects", "--json"], { cwd: dir, env: env() });
    expect(JSON.parse(stdout)).toMatchObject({ projects: [] });
    const status = JSON.parse((await runPm(["status", "--json"], { cwd: dir, env: env() })).stdout);
    expect(status.daemon).toMatchObject({ running: true, has_open: false });
    expect(status.notes).toHaveLength(1);
    expect(existsSync(join(home, ".local/share/pommel"))).toBe(false);
  });
});

it("says that no daemon runs, and what a directory is that is not used yet", async () => {
  const dir = repository();
  const { code, stdout } = await runPm(["status"], { cwd: dir, env: env() });
  expect(code).toBe(0);
  expect(stdout).toContain(`daemon: not running in ${dir}`);
  expect(stdout).toContain(`${dir} is not a project yet`);
  expect(stdout).not.toContain("Searches still work");
});

describe("a directory without git", () => {
  const isEmpty = async (dir: string) => {
    const { stdout } = await runPm(["projects", "--json"], { cwd: dir, env: env() });
    expect(JSON.parse(stdout)).toMatchObject({ projects: [] });
  };

  it.each([
    ["daemon", "reindex"],
    ["code", "packages"],
  ])("is not indexed by pm %s %s", async (...args) => {
    const dir = plainDirectory();
    for (const given of [{}, { POMMEL_DAEMON_AUTOSTART: "false" }]) {
      const { code, stdout, stderr } = await runPm(args, { cwd: dir, env: { ...env(), ...given } });
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toContain(`error: ${dir} is no git repository, and its files are not indexed unless`);
      expect(stderr).toContain("pm init");
    }
    await isEmpty(dir);
  });

  it.each([
    ["search", "saffron"],
    ["search", "code", "saffron"],
  ])("is searched as it is by pm %s %s, and is no project afterwards", async (...args) => {
    const dir = plainDirectory();
    for (const given of [{}, { POMMEL_DAEMON_AUTOSTART: "false" }]) {
      const { code, stdout, stderr } = await runPm(args, { cwd: dir, env: { ...env(), ...given } });
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("saffron.ts") });
      expect(stderr).toContain(
        `${dir} is no git repository, and its files are not indexed unless you say so.`,
      );
    }
    await isEmpty(dir);
    expect(existsSync(join(home, ".cache/pommel/checkouts"))).toBe(false);
  });

  it("is indexed once its user made it a project", async () => {
    const dir = plainDirectory();
    expect(await runPm(["init", "--no-hooks"], { cwd: dir, env: env() })).toMatchObject({ code: 0 });
    const { code, stdout } = await runPm(["search", "code", "saffron"], { cwd: dir, env: env() });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("saffron.ts") });
  });

  it("is refused as what it is", async () => {
    const full = temporaryDir();
    for (const name of ["one", "two", "three"])
      execFileSync("git", ["init", "--quiet", join(full, name)], { stdio: "ignore" });
    const temporary = temporaryDir();
    const said = async (cwd: string, more: Record<string, string> = {}) => {
      const { code, stderr } = await runPm(["reindex"], { cwd, env: { ...env(), ...more } });
      expect(code).toBe(3);
      return stderr;
    };
    expect(await said(full)).toContain(`error: ${full} holds 3 repositories, and is none itself.\nhint: `);
    expect(await said(temporary, { TMPDIR: temporary })).toContain(
      `error: ${temporary} is for temporary files, and no project.\nhint: `,
    );
    expect(await said(home)).toContain(`error: ${home} is your home directory, not a project.\nhint: `);
    expect(await said("/")).toContain("error: / is the root of the file system, not a project.\nhint: ");
  });

  it("does not become a project by what an agent asks there", async () => {
    const dir = plainDirectory();
    await runPm(["start"], { cwd: home, env: env() });
    const client: Client = await connect({ cwd: dir, env: env() });
    try {
      const asked = await client.callTool({ name: "search_code", arguments: { query: "saffron" } });
      expect(JSON.stringify(asked.content)).toContain("saffron.ts");
      expect(JSON.stringify(asked.content)).toContain("is no git repository");
      await client.callTool({ name: "search_sessions", arguments: { query: "saffron" } });
    } finally {
      await client.close();
    }
    await isEmpty(dir);
  });

  it("tells an agent that callers are not known, where nothing is indexed", async () => {
    const dir = plainDirectory();
    writeFileSync(join(dir, "paprika.ts"), "export function paprika() {\n  return 1;\n}\n");
    const client: Client = await connect({ cwd: dir, env: env() });
    try {
      const asked = await client.callTool({ name: "code", arguments: { query: "paprika", calls: true } });
      expect(JSON.stringify(asked.content)).toContain("What calls it is not known");
    } finally {
      await client.close();
    }
  });

  it("has its sessions recorded all the same, and nothing of its code read", async () => {
    const dir = plainDirectory();
    const transcripts = join(home, ".claude/projects/plain");
    mkdirSync(transcripts, { recursive: true });
    const id = "66666666-1111-4111-8111-111111111111";
    const line = (uuid: string, type: string, content: unknown) => ({
      type,
      uuid,
      parentUuid: null,
      sessionId: id,
      cwd: dir,
      version: "2.1.0",
      isSidechain: false,
      timestamp: "2026-03-02T09:00:00.000Z",
      message: { role: type, content },
    });
    const lines = [
      line("u1", "user", "Where is the saffron kept?"),
      line("a1", "assistant", [{ type: "text", text: "In the pantry." }]),
    ];
    writeFileSync(join(transcripts, `${id}.jsonl`), lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
    await runPm(["config", "set", "--global", "sessions.record", "all"], { cwd: dir, env: env() });
    expect(await runPm(["import", "claude", "--yes"], { cwd: dir, env: env() })).toMatchObject({ code: 0 });
    const { stdout } = await runPm(["session", "list", "--json"], { cwd: dir, env: env() });
    expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ id }] });
    expect(existsSync(join(home, ".cache/pommel"))).toBe(false);
  });
});

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!hasScript)("at a terminal (skipped without util-linux' script)", () => {
  const reindex = (cwd: string, typed: string) =>
    new Promise<{ code: number | null; screen: string }>((resolve, reject) => {
      const command = `stty cols 120 rows 40; exec ${process.execPath} ${pmFile} reindex`;
      const child = spawn("script", ["-qec", command, "/dev/null"], {
        cwd,
        env: { ...process.env, ...env(), TERM: "xterm" },
      });
      let screen = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const isAsked = !screen.includes("[y/N]") && (screen + text).includes("[y/N]");
        screen += text;
        if (isAsked) child.stdin.write(typed);
      });
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, screen }));
    });

  it.each([
    ["y\r", 0],
    ["\r", 3],
  ])("pm reindex asks first (%j)", async (typed, expected) => {
    const dir = plainDirectory();
    // Also where a daemon runs, which is not to ask at a terminal of its own.
    await runPm(["start"], { cwd: home, env: env() });
    const { code, screen } = await reindex(dir, typed);
    expect(screen).toContain("Make it a project, and index its files?");
    expect({ code, screen }).toMatchObject({ code: expected });
    const { stdout } = await runPm(["projects", "--json"], { cwd: dir, env: env() });
    expect(JSON.parse(stdout).projects).toHaveLength(expected === 0 ? 1 : 0);
    expect(readFileSync(join(dir, "saffron.ts"), "utf8")).toBe(source);
  });
});
