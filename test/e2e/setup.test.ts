import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeNewProject } from "../../src/base/paths.ts";
import { listStoredNotes } from "../../src/store/memory/chunks/notes.ts";
import { countUnfinishedJobs } from "../../src/store/memory/jobs/job-rows.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { listSessions } from "../../src/store/memory/sessions/sessions.ts";
import { callsIn, countingCalls, killedAtCall, spread } from "../support/calls.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { until } from "./daemon-fixture.ts";
import { callPm, homeAt, pmFile, runPm, temporaryDir } from "./run-pm.ts";
import { sessionIn } from "./sessions-fixture.ts";

let home: string;
const pm = (...args: string[]) => callPm(args, { cwd: home, env: homeAt(home) });
async function json(...args: string[]) {
  const { code, stdout, stderr } = await pm(...args, "--json");
  expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Files that agents own, with their content; without Pommel's and the projects. */
function agentFiles(): Record<string, string> {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .filter((path) => !/^(?:\.config|\.local|\.cache|code)\//.test(path))
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(home, path), "utf8")]));
}

function put(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

/** A repository in the home with a commit, and a session of Claude Code that wrote it. */
function projectWithSession(name: string, id: string, prompt: string): string {
  const root = join(home, "code", name);
  mkdirSync(root, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args]);
  git("init", "--quiet");
  // Of its own: what begins with the same commit is the same project.
  writeFileSync(join(root, "package.json"), JSON.stringify({ name }));
  writeFileSync(join(root, "retry.ts"), "export const attempts = 3;\n");
  git("add", ".");
  git("commit", "--quiet", "--message", "Retry three times after a timeout");
  const session = sessionIn(makeNewProject(root), id);
  session.prompt(prompt);
  session.write(join(root, "retry.ts"), "export const attempts = 3;\n");
  session.reply("It now tries three times.");
  session.writeTo(join(home, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-")));
  return root;
}

/** What several agents had before. */
const own = {
  ".claude.json": '{"numStartups": 3}',
  ".claude/settings.json": '{\r\n  "model": "opus"\r\n}\r\n',
  ".claude/CLAUDE.md": "Be brief.",
  ".codex/config.toml": 'model = "o" # mine\n',
  ".gemini/settings.json": '{\n  "ui": {}\n}\n',
};
const configFile = () => join(home, ".config/pommel/config.toml");

beforeEach(() => {
  home = temporaryDir("pommel-setup-");
});
afterEach(async () => {
  await pm("stop");
  removeDirectory(home);
});

describe("pm setup", () => {
  it("sets up every agent it finds, in the user's own files; again changes nothing; undone byte for byte; --yes means its defaults", async () => {
    put(own);
    const before = agentFiles();
    const first = await json("setup", "--yes");
    expect(first).toMatchObject({ record: "all", home, importing: 0 });
    expect(first.agents.map(({ agent }: { agent: string }) => agent)).toEqual(["claude", "codex", "gemini"]);
    const after = agentFiles();
    expect(JSON.parse(after[".claude.json"]!)).toMatchObject({
      numStartups: 3,
      mcpServers: { pommel: { command: "pommel" } },
    });
    // Nobody was asked for a permission.
    expect(after[".claude/settings.json"]).not.toContain("permissions");
    expect(readFileSync(configFile(), "utf8")).toBe('[sessions]\nrecord = "all"\n');

    const again = await json("setup", "--yes");
    expect(again).toMatchObject({ created: [], changed: [] });
    expect(agentFiles()).toEqual(after);

    await json("disable", "--global");
    expect(agentFiles()).toEqual(before);
    expect(readFileSync(configFile(), "utf8")).toContain('record = "none"');
    // And once more, there and back.
    await json("setup", "--yes");
    expect(agentFiles()).toEqual(after);
    expect(readFileSync(configFile(), "utf8")).toContain('record = "all"');
    await json("uninstall", "--yes", "--for-good");
    expect(agentFiles()).toEqual(before);
    expect(readdirSync(home).filter((name) => [".config", ".local", ".cache"].includes(name))).toEqual([]);

    // What --yes takes for granted, named: the same comes of it.
    const shown = ({ created, changed, record, agents }: Record<string, unknown>) => ({
      created,
      changed,
      record,
      agents,
    });
    expect(shown(await json("setup", "--all", "--agent", "claude,codex,gemini"))).toEqual(shown(first));
    expect(agentFiles()).toEqual(after);
  });

  it("--dry-run shows every change and makes none", async () => {
    put(own);
    projectWithSession("app", "11111111-1111-4111-8111-111111111111", "retry after a timeout");
    const before = agentFiles();
    const { changes, past, created } = await json("setup", "--dry-run");
    const text = (await pm("setup", "--dry-run")).stdout;
    expect(agentFiles()).toEqual(before);
    expect(existsSync(configFile())).toBe(false);
    expect(existsSync(join(home, ".local/share/pommel"))).toBe(false);
    expect({ created, past }).toMatchObject({ created: [], past: { sessions: 1, projects: 1, left: 0 } });
    expect(text).toContain('+ sessions.record = "all"');
    expect(text).toContain("Nothing was changed");

    await json("setup", "--yes", "--no-import");
    const after = agentFiles();
    const touched = Object.keys(after).filter((path) => after[path] !== before[path]);
    expect([...new Set(changes.map(({ file }: { file: string }) => file))].sort()).toEqual(touched.sort());
    // Every line that it announced is there, and nothing else came.
    for (const file of touched) {
      const lines = changes
        .filter((change: { file: string }) => change.file === file)
        .flatMap((change: { lines: string[] }) => change.lines);
      expect(text).toContain(`~/${file}`);
      for (const line of lines.filter((one: string) => one.startsWith("+")))
        expect(after[file]!.split(/\r?\n/)).toContain(line.slice(1));
      const count = (of: string | undefined) => of?.split("\n").filter((line) => line !== "").length ?? 0;
      const sum = (sign: string) =>
        lines.filter((line: string) => line.startsWith(sign) && line.length > 1).length;
      expect(sum("+") - sum("-")).toBe(count(after[file]) - count(before[file]));
    }
    expect((await json("setup", "--dry-run")).changes).toEqual([]);
  });

  it("says in which project alone agents are told something before they act", async () => {
    const root = projectWithSession("shop", "11111111-0000-4000-8000-000000000001", "Try again.");
    const inProject = (...args: string[]) => callPm(args, { cwd: root, env: homeAt(home) });
    expect((await inProject("init", "--no-hooks", "--no-start")).code).toBe(0);
    expect((await inProject("config", "set", "radar.warn", "true")).code).toBe(0);
    const { code, stdout } = await pm("setup", "--yes", "--no-import");
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain("Told before an agent acts: radar only in shop (off: rules, dead ends)");
  });

  it("imports past sessions of all projects, also of worktrees that were deleted, and ends with a finding and questions that they answer", async () => {
    put({ ".claude/settings.json": "{}" });
    const app = projectWithSession(
      "app",
      "22222222-1111-4111-8111-111111111111",
      "retry after a timeout, three times",
    );
    const shop = projectWithSession(
      "shop",
      "33333333-1111-4111-8111-111111111111",
      "Let's show the basket on each page instead of in a corner, because people lose it.",
    );
    const worktree = sessionIn(
      makeNewProject(join(shop, ".worktrees", "2")),
      "55555555-1111-4111-8111-111111111111",
    );
    worktree.prompt("count what is in the basket");
    worktree.writeTo(join(home, ".claude/projects/-a-worktree"));
    const gone = projectWithSession("gone", "44444444-1111-4111-8111-111111111111", "begin anew");
    rmSync(gone, { recursive: true });
    const { past, importing, finding, questions } = await json("setup", "--yes", "--agent", "claude");
    expect({ past, importing }).toMatchObject({ past: { sessions: 3, projects: 2, left: 1 }, importing: 0 });
    expect(finding).toMatchObject({
      about: "decision",
      session_id: "33333333-1111-4111-8111-111111111111",
      turn: 1,
    });
    expect(finding.quote).toContain("show the basket on each page instead of in a corner");
    const { projects } = await json("projects");
    const counts = projects.map(({ root, sessions }: { root: string; sessions: number }) => [root, sessions]);
    expect(Object.fromEntries(counts)).toEqual({ [app]: 1, [shop]: 2 });
    expect(questions).toHaveLength(2);
    for (const question of questions) {
      expect(question).toMatch(/^pm -C .*\/(?:app|shop) (?:search|why) /);
      const command = question.replace(/^pm /, `${process.execPath} ${pmFile} `);
      const shell = { cwd: home, env: { ...process.env, ...homeAt(home) }, encoding: "utf8" } as const;
      expect(execFileSync("sh", ["-c", command], shell)).toMatch(/retry|basket/i);
    }
    const text = (await pm("setup", "--yes")).stdout;
    expect(text).toContain("3 past sessions of 2 projects");
    expect(text).toMatch(
      /You decided on \d{4}-\d\d-\d\d: “.*instead of in a corner.*”\n {2}\(pm session show 33333333:1\)/,
    );
    expect(text).toMatch(/Questions to try:\n {2}pm -C .*\n {2}pm -C .*\n {2}pm open/);
    expect(text).toContain("pm disable --global");
  });

  it("--named records and imports only what pm init names", async () => {
    put({ ".claude/settings.json": "{}" });
    const app = projectWithSession("app", "55555555-1111-4111-8111-111111111111", "retry after a timeout");
    projectWithSession("shop", "66666666-1111-4111-8111-111111111111", "show the basket");
    expect((await json("setup", "--named")).past).toMatchObject({ sessions: 0, projects: 0, left: 2 });
    expect(await callPm(["init", "--yes"], { cwd: app, env: homeAt(home) })).toMatchObject({ code: 0 });
    // The user's own files have hooks and server already.
    const status = execFileSync("git", ["-C", app, "status", "--porcelain"], { encoding: "utf8" });
    expect({ status, hooks: existsSync(join(app, ".claude/settings.json")) }).toEqual({
      status: "",
      hooks: false,
    });
    const { projects } = await json("projects");
    const named = projects.filter(({ is_named }: { is_named: boolean }) => is_named);
    expect(named).toMatchObject([{ root: app, sessions: 1 }]);
  });

  it("says so where there is no agent, no project and no session", async () => {
    const { code, stdout } = await pm("setup", "--yes");
    expect(code).toBe(0);
    expect(stdout).toContain("No agent was found");
    expect(stdout).toContain("pm open");
    expect(agentFiles()).toEqual({});
  });

  it("can be killed at any time: the next run ends it, and undoing leaves what was there", async () => {
    put(own);
    const before = agentFiles();
    const setUp = (env: NodeJS.ProcessEnv) =>
      runPm(["setup", "--yes"], { cwd: home, env: { ...homeAt(home), ...env } });
    const calls = join(temporaryDir(), "calls");
    await setUp(countingCalls(calls));
    const done = agentFiles();
    await json("uninstall", "--yes");
    for (const call of spread(callsIn(calls), 4)) {
      expect({ call, ...(await setUp(killedAtCall(call))) }).toMatchObject({ call, signal: "SIGKILL" });
      const left = agentFiles();
      expect(Object.keys(left)).toEqual(expect.arrayContaining(Object.keys(before)));
      for (const [file, text] of Object.entries(left))
        if (file.endsWith(".json")) expect(() => JSON.parse(text), file).not.toThrow();
      await json("setup", "--yes");
      expect(agentFiles()).toEqual(done);
      await json("uninstall", "--yes");
      expect(agentFiles()).toEqual(before);
    }
  });

  it("names the file where the home cannot be written, and leaves everything else", async () => {
    put({ ".claude/settings.json": "{}" });
    // For root, too: nothing can be created below a file.
    writeFileSync(join(home, ".config"), "");
    const before = agentFiles();
    const { code, stderr } = await pm("setup", "--yes");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(".config/pommel/config.toml"),
    });
    expect(agentFiles()).toEqual(before);
  });

  it("goes on where one agent's file is broken or cannot be written, and says which", async () => {
    put({ ...own, ".gemini/settings.json": "{ not JSON" });
    const { code, stderr, stdout } = await pm("setup", "--yes");
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(".gemini/settings.json"),
    });
    expect(stdout).toContain("~/.codex/hooks.json");
    expect(agentFiles()[".gemini/settings.json"]).toBe("{ not JSON");
    const { changes } = await json("setup", "--dry-run");
    expect(changes.map(({ file, problem }: { file: string; problem: string }) => [file, problem])).toEqual([
      [".gemini/settings.json", expect.stringContaining("settings.json")],
      [".gemini/settings.json", expect.stringContaining("settings.json")],
    ]);
  });

  it("refuses what contradicts itself, and an agent that it does not know", async () => {
    expect(await pm("setup", "--all", "--named")).toMatchObject({ code: 2 });
    expect(await pm("setup", "--agent", "emacs")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown agent: emacs"),
    });
    expect(existsSync(configFile())).toBe(false);
  });

  describe("pm disable", () => {
    const at = (cwd: string, ...args: string[]) => callPm([...args, "--json"], { cwd, env: homeAt(home) });
    const spool = () =>
      readdirSync(join(home, ".local/state/pommel/spool")).filter((name) => name !== "rejected");
    const hook = (cwd: string, input: string) =>
      runPm(["hook", "user-prompt"], { cwd, env: homeAt(home), input });

    /** One more session with a note. @returns what the agent's hook is given */
    function another(root: string, id: string): string {
      const session = sessionIn(makeNewProject(root), id);
      session.prompt("note to pommel: never in the memory");
      session.reply("Noted.");
      session.writeTo(join(home, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-")));
      return JSON.stringify({ session_id: id, cwd: root, prompt: "note to pommel: never in the memory" });
    }

    /** Everything in a project's memory that comes from sessions, as the file has it. */
    async function stored(root: string): Promise<unknown> {
      const { projects } = await json("projects");
      const { id } = projects.find((one: { root: string }) => one.root === root);
      const memory = Memory.open(join(home, ".local/share/pommel/projects", id, "memory.db"), {
        readonly: true,
      });
      try {
        return {
          sessions: listSessions(memory).map(({ uid, lastAt }) => [uid, lastAt]),
          notes: listStoredNotes(memory, {}).map(({ note }) => note),
          jobs: countUnfinishedJobs(memory, "transcript"),
        };
      } finally {
        memory.close();
      }
    }

    it.each([
      ["here", []],
      ["everywhere", ["--global"]],
    ])("records nothing more %s once it has returned, however busy it was", async (_where, how) => {
      put({ ".claude/settings.json": "{}" });
      const app = projectWithSession("app", "77777777-1111-4111-8111-111111111111", "retry after a timeout");
      await json("setup", "--yes", "--agent", "claude");
      const sessionId = (n: number) => `${n}0000000-1111-4111-8111-111111111111`;
      const busy = [1, 2, 3, 4].map((n) => hook(app, another(app, sessionId(n))));
      await busy[0];
      expect(await at(app, "disable", ...how)).toMatchObject({ code: 0 });
      const before = await stored(app);
      await Promise.all([...busy, hook(app, another(app, sessionId(5)))]);
      // The daemon has looked at everything that the hooks left.
      await until(() => spool().length === 0);
      expect(await at(app, "note", "by hand")).toMatchObject({ code: 3 });
      expect(await at(app, "reindex")).toMatchObject({ code: 0 });
      expect(await stored(app)).toEqual(before);
      // Reading what is there goes on; and it can be turned on again.
      expect(await at(app, "notes")).toMatchObject({ code: 0 });
      expect(await at(app, "enable")).toMatchObject({ code: 0 });
      expect(await at(app, "note", "by hand")).toMatchObject({ code: 0 });
    });

    it("leaves other projects recorded", async () => {
      put({ ".claude/settings.json": "{}" });
      const app = projectWithSession("app", "77777777-1111-4111-8111-111111111111", "retry after a timeout");
      const shop = projectWithSession("shop", "88888888-1111-4111-8111-111111111111", "show the basket");
      await json("setup", "--yes", "--agent", "claude");
      const sessionsOf = async (root: string) =>
        (await json("projects")).projects.find((one: { root: string }) => one.root === root).sessions;
      expect(await at(app, "disable")).toMatchObject({ code: 0 });
      await hook(app, another(app, "99999999-1111-4111-8111-111111111111"));
      await hook(shop, another(shop, "aaaaaaaa-1111-4111-8111-111111111111"));
      await until(async () => (await sessionsOf(shop)) >= 2);
      expect([await sessionsOf(app), await sessionsOf(shop)]).toEqual([1, 2]);
    });
  });
});
