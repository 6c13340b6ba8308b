import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { agentNames } from "../../src/agents/profiles.ts";
import { locateDaemonFiles, locateHome, locateSocket } from "../../src/base/home.ts";
import type { Project } from "../../src/base/paths.ts";
import { locateProjectPatterns } from "../../src/redact/patterns/patterns-file.ts";
import { namedProject } from "../support/named-project.ts";
import { preloaded } from "../support/preloaded.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { callPm, pmFile, runPm, temporaryDir } from "./run-pm.ts";

/** The hook's environment must be the test's own. */
const env = { CLAUDE_PROJECT_DIR: "" };

let cwd: string;
let project: Project;
const spool = locateDaemonFiles().spoolDir;
beforeEach(() => {
  removeDirectory(locateHome().stateDir);
  cwd = temporaryDir("pommel-hooks-");
  project = namedProject(cwd);
});

const payload = (more: object = {}) => ({
  session_id: "8ecde0fc-091c-4586-b688-cc9efe6f655c",
  transcript_path: "/home/dev/.claude/projects/-p/8ecde0fc.jsonl",
  cwd,
  hook_event_name: "Stop",
  ...more,
});

const hook = (name: string, input: object | string | Uint8Array, dir = cwd) =>
  runPm(["hook", name], {
    cwd: dir,
    env,
    input: typeof input === "string" || input instanceof Uint8Array ? input : JSON.stringify(input),
  });

const silence = { code: 0, signal: null, stdout: "", stderr: "" };
const spooled = () => (existsSync(spool) ? readdirSync(spool).sort() : []);
const items = () => spooled().map((name) => JSON.parse(readFileSync(join(spool, name), "utf8")));

describe("pm hook", () => {
  it.each([
    ["pre-compact", { hook_event_name: "PreCompact", trigger: "auto" }, "pre-compact"],
    ["precompact", { hook_event_name: "PreCompact", trigger: "manual" }, "pre-compact"],
    ["user-prompt", { hook_event_name: "UserPromptSubmit", prompt_id: "p" }, "user-prompt"],
    ["session-start", { hook_event_name: "SessionStart", source: "resume" }, "session-start"],
    ["stop", { hook_event_name: "Stop" }, "stop"],
    ["post-tool-use", { hook_event_name: "PostToolUse", tool_name: "Edit" }, "post-tool-use"],
    ["session-end", { hook_event_name: "SessionEnd", reason: "clear" }, "session-end"],
    ["subagent-stop", { hook_event_name: "SubagentStop", agent_type: "Explore" }, "subagent-stop"],
    ["handle", { hook_event_name: "SessionEnd", reason: "other" }, "session-end"],
  ])("%s spools what happened, for its owner only", async (name, more, event) => {
    const given = payload(more);
    const before = Date.now();
    expect(await hook(name, { ...given, last_assistant_message: "text", env: { A: "1" } })).toEqual(silence);
    const [item, ...others] = items();
    expect(others).toEqual([]);
    expect(item).toEqual({
      kind: "agent-hook",
      event,
      received_at: expect.any(Number),
      place: cwd,
      payload: given,
    });
    expect(item.received_at).toBeGreaterThanOrEqual(before);
    expect(spooled()[0]).toMatch(/^(\d{13}-\d+-[a-z0-9]+|latest-[\w-]+)\.json$/);
    expect(statSync(spool).mode & 0o777).toBe(0o700);
    expect(statSync(join(spool, spooled()[0]!)).mode & 0o777).toBe(0o600);
  });

  it("keeps of a prompt its notes, of an edit nothing, and of the environment nothing", async () => {
    const prompt = "fix it, my password is hunter2\nnote to pommel: we chose Redis\nthanks";
    await hook("user-prompt", payload({ hook_event_name: "UserPromptSubmit", prompt }));
    const tool_input = { file_path: "/p/a.ts", new_string: "hunter2" };
    await runPm(["hook", "post-tool-use"], {
      cwd,
      env: { ...env, CLAUDE_CODE_MESSAGING_TOKEN: "hunter2" },
      input: JSON.stringify(payload({ tool_input })),
    });
    expect(items().map((item) => item.payload)).toMatchObject([
      { prompt: "Note to Pommel: we chose Redis" },
      {},
    ]);
    for (const left of ["hunter2", "/p/a.ts"]) expect(JSON.stringify(items())).not.toContain(left);
  });

  it("scrubs notes before they are stored, or does not store them", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const prompt = `note to pommel: the token was ${token}`;
    const given = payload({ hook_event_name: "UserPromptSubmit", prompt });
    const noted = await hook("user-prompt", given);
    const message = "Noted: the token was [REDACTED_GITHUB_TOKEN]. `pm note --undo` takes it back.";
    expect(noted).toEqual({ ...silence, stdout: JSON.stringify({ systemMessage: message }) });
    expect(items()[0].payload.prompt).toBe("Note to Pommel: the token was [REDACTED_GITHUB_TOKEN]");
    writeFileSync(locateProjectPatterns(project), "[broken");
    const { stderr, ...rest } = await hook("user-prompt", given);
    expect(rest).toEqual({ code: 0, signal: null, stdout: "" });
    expect(stderr).toMatch(/^warning: [^\n]+ cannot be scrubbed \(config_invalid\)[^\n]+\n$/);
    expect(items()[1].payload).toEqual({ ...given, prompt: undefined });
    expect(JSON.stringify(items())).not.toContain(token);
  });

  it("leaves out what is no part of the conversation, and unused events", async () => {
    const notice = {
      hook_event_name: "UserPromptSubmit",
      prompt: "<task-notification>\n</task-notification>",
    };
    expect(await hook("user-prompt", payload(notice))).toEqual(silence);
    const compaction = {
      hook_event_name: "SubagentStop",
      agent_type: "",
      agent_transcript_path: join(cwd, "none"),
    };
    expect(await hook("subagent-stop", payload(compaction))).toEqual(silence);
    expect(await hook("handle", payload({ hook_event_name: "ConfigChange" }))).toEqual(silence);
    expect(items()).toEqual([]);
    await hook("subagent-stop", payload({ ...compaction, agent_transcript_path: pmFile }));
    expect(items()).toHaveLength(1);
  });

  it.each<[string, () => string | Uint8Array, string]>([
    ["nothing", () => "", "stdin is empty"],
    ["blanks", () => " \n", "stdin is empty"],
    ["half a payload", () => JSON.stringify(payload()).slice(0, -20), "stdin is not a JSON object"],
    ["no JSON", () => "hello", "stdin is not a JSON object"],
    ["an array", () => "[1, 2]", "stdin is not a JSON object"],
    ["null", () => "null", "stdin is not a JSON object"],
    ["bytes", () => new Uint8Array([0, 255, 254, 128]), "stdin is not a JSON object"],
    ["wrong types", () => '{"session_id": 7, "transcript_path": []}', "its payload names no session"],
    ["17 MB", () => JSON.stringify(payload({ tool_response: "x".repeat(17 << 20) })), "longer than 16 MB"],
  ])("warns in one line and exits with 0 when stdin says %s", async (_, input, problem) => {
    const { stderr, ...rest } = await hook("stop", input());
    expect(rest).toEqual({ code: 0, signal: null, stdout: "" });
    expect(stderr).toMatch(/^warning: pm hook stop: [^\n]+; nothing was captured\.\n$/);
    expect(stderr).toContain(problem);
    expect(spooled()).toEqual([]);
  });

  it("takes a payload of some megabytes, with a byte order mark", async () => {
    const text = `\ufeff${JSON.stringify(payload({ tool_response: "x".repeat(5 << 20) }))}`;
    expect(await hook("stop", text)).toEqual(silence);
    expect(items()).toHaveLength(1);
  });

  it.each([
    ["a payload", () => JSON.stringify(payload()), 1, ""],
    ["half of one", () => '{"session_id": "a', 0, "stdin is not complete"],
    ["nothing", () => "", 0, "sent nothing in time"],
  ])("does not wait for the end of stdin, after %s", async (_, text, count, problem) => {
    // It is there before the hook is, and its end stays open.
    const pipe = join(cwd, "pipe");
    execFileSync("mkfifo", [pipe]);
    const input = openSync(pipe, "r+");
    writeSync(input, text());
    const { status, stderr } = spawnSync(process.execPath, [pmFile, "hook", "stop"], {
      cwd,
      env: { ...process.env, ...env, ...preloaded("deadline-now.cjs") },
      stdio: [input, "pipe", "pipe"],
      encoding: "utf8",
    });
    closeSync(input);
    expect(status).toBe(0);
    expect(stderr).toContain(problem);
    expect(items()).toHaveLength(count);
  });

  it("never exits with a code that could stop the agent, whatever stands behind it", async () => {
    const input = JSON.stringify(payload());
    for (const args of [["user-promt"], ["stop", "more"], ["stop", "--unknown"], ["--json", "stop"]]) {
      expect(await runPm(["hook", ...args], { cwd, env, input })).toMatchObject({ code: 0, stdout: "" });
    }
    expect(items()).toHaveLength(1);
    const nonsense = await runPm(["hook", "user\npromt"], { cwd, env, input });
    expect(nonsense).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^[^\n]*unknown hook[^\n]*\n$/),
    });
  });

  it("says where the agent was launched, wherever it is now, and touches nothing there", async () => {
    const elsewhere = temporaryDir();
    const input = JSON.stringify(payload({ cwd: elsewhere }));
    await runPm(["hook", "session-end"], { cwd: elsewhere, env: { CLAUDE_PROJECT_DIR: cwd }, input });
    await hook("session-end", payload({ cwd: elsewhere }));
    await hook("session-end", payload({ cwd: undefined }), elsewhere);
    expect(items().map(({ place }) => place)).toEqual([cwd, elsewhere, elsewhere]);
    expect([...readdirSync(elsewhere), ...readdirSync(cwd)]).toEqual([]);
  });

  it("takes twenty at once", async () => {
    const all = Array.from({ length: 20 }, (_, n) => hook("session-end", payload({ prompt_id: `${n}` })));
    expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, () => silence));
    const ids = items().map((item) => Number(item.payload.prompt_id));
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it("keeps one reminder a session, however often the agent stops while no daemon runs", async () => {
    for (const n of [1, 2]) await hook("stop", payload({ prompt_id: `${n}` }));
    await hook("post-tool-use", payload({ prompt_id: "3" }));
    await hook("stop", payload({ prompt_id: "4", session_id: "../another" }));
    expect(items().map(({ payload }) => payload.prompt_id)).toEqual(expect.arrayContaining(["2", "3", "4"]));
    expect(items()).toHaveLength(3);
  });

  it("warns when the spool cannot be written", async () => {
    mkdirSync(locateHome().stateDir, { recursive: true, mode: 0o700 });
    writeFileSync(spool, "in the way");
    const { stderr, ...rest } = await hook("stop", payload());
    expect(rest).toEqual({ code: 0, signal: null, stdout: "" });
    expect(stderr).toMatch(
      /^warning: pm hook stop: cannot write to .*spool \(\w+\); nothing was captured\.\n$/,
    );
    expect(readFileSync(spool, "utf8")).toBe("in the way");
  });

  it.skipIf(process.getuid?.() === 0)(
    "warns when the home is read-only (root may write anywhere)",
    async () => {
      mkdirSync(locateHome().stateDir, { recursive: true, mode: 0o500 });
      const result = await hook("stop", payload());
      expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("EACCES") });
      chmodSync(locateHome().stateDir, 0o700);
    },
  );

  it("works through the link that a package manager makes", async () => {
    const link = join(cwd, "pm");
    symlinkSync(pmFile, link);
    const child = spawn(process.execPath, [link, "hook", "stop"], { cwd, env: { ...process.env, ...env } });
    child.stdin.end(JSON.stringify(payload()));
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    expect(items()).toHaveLength(1);
  });
});

/** What listens in the daemon's place, and never answers. */
async function listening(work: (asked: IncomingMessage[], arrival: Promise<void>) => Promise<void>) {
  const asked: IncomingMessage[] = [];
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  mkdirSync(locateHome().stateDir, { recursive: true, mode: 0o700 });
  const server = createServer((request) => {
    asked.push(request);
    arrived();
  });
  await new Promise<void>((resolve) => server.listen(locateSocket(), resolve));
  try {
    await work(asked, arrival);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it("a hook loads two files of ours, of whichever agent it is", async () => {
  // Anything that a profile imports comes on top, each time that an agent does something.
  const dir = temporaryDir("pommel-loaded-");
  const list = join(dir, "list.cjs");
  const loaded = join(dir, "loaded.json");
  writeFileSync(
    list,
    `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(Object.keys(require.cache))));`,
  );
  await listening(async () => {
    for (const agent of agentNames) {
      const { code } = await runPm(["hook", "--agent", agent, "stop"], {
        cwd: dir,
        env: { CLAUDE_PROJECT_DIR: "", GEMINI_PROJECT_DIR: "", NODE_OPTIONS: `--require "${list}"` },
        input: JSON.stringify(payload({ cwd: dir })),
      });
      expect(code).toBe(0);
      const files = (JSON.parse(readFileSync(loaded, "utf8")) as string[]).filter((file) => file !== list);
      const names = files.map((file) => basename(file));
      expect(names).toEqual(["pm.cjs", "hook.cjs"]);
    }
  });
});

describe("pm hook and the daemon", () => {
  beforeEach(() => mkdirSync(locateHome().stateDir, { recursive: true, mode: 0o700 }));

  it("notifies it of the spool, and waits for no answer", async () => {
    await listening(async (asked, arrival) => {
      expect(await hook("stop", payload())).toEqual(silence);
      await arrival;
      expect(asked[0]).toMatchObject({ method: "POST", url: "/spool" });
      expect(asked[0]!.headers).toMatchObject({ "content-length": "0" });
      expect(items()).toHaveLength(1);
    });
  });

  it("says nothing to a socket that others could have made", async () => {
    await listening(async (asked) => {
      chmodSync(locateHome().stateDir, 0o777);
      expect(await hook("stop", payload())).toEqual(silence);
      expect(asked).toEqual([]);
      expect(items()).toHaveLength(1);
    });
  });

  it("does not mind a daemon that is gone, or a record of nonsense", async () => {
    const die = `require("net").createServer().listen(${JSON.stringify(locateSocket())}, () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", die]);
    expect(statSync(locateSocket()).isSocket()).toBe(true);
    expect(await hook("stop", payload())).toEqual(silence);
    writeFileSync(locateDaemonFiles().record, "{");
    expect(await hook("session-end", payload())).toEqual(silence);
    expect(items()).toHaveLength(2);
  });
});

describe("pm init, pm enable and pm disable", () => {
  const others = { type: "command", command: "lint --fix" };
  // The tests of hook entries have more ways in which a file may be written.
  const variants: [name: string, text: string | null][] = [
    ["no file", null],
    ["CRLF", `\ufeff${JSON.stringify({ model: "opus" }, null, 2)}\n`.replaceAll("\n", "\r\n")],
    ["others' hooks", JSON.stringify({ hooks: { Stop: [{ matcher: "", hooks: [others] }] } }, null, 2)],
  ];
  const file = () => join(cwd, ".claude/settings.json");
  const put = (text: string) => {
    mkdirSync(join(cwd, ".claude"), { recursive: true });
    writeFileSync(file(), text);
  };
  const current = () => (existsSync(file()) ? readFileSync(file(), "utf8") : null);
  const json = async (...args: string[]) => {
    const { code, stdout } = await callPm([...args, "--json"], { cwd });
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };

  it.each(variants)("add hooks and take them back byte for byte: %s", async (_, text) => {
    if (text !== null) put(text);
    const part = ".claude/settings.json";
    const first = await json("init", "--team");
    expect(first[text === null ? "created" : "changed"]).toContain(part);
    expect(first.hooks).toEqual({ state: "installed", reason: null });
    const installed = current()!;
    const { hooks } = JSON.parse(installed.replace(/^\ufeff/, ""));
    expect(Object.keys(hooks)).toHaveLength(9);
    expect((await json("init")).already).toContain(part);
    expect(await json("enable")).toEqual({
      file: part,
      changed: false,
      added: [],
      restored: [],
      git: { state: "none", reason: expect.any(String), dir: null, changed: false, added: [] },
    });
    expect(current()).toBe(installed);

    expect(await json("disable")).toEqual({
      files: [part],
      changed: true,
      kept: [],
      git: { files: [], changed: false },
    });
    expect(current()).toBe(text);
    if (text === null) expect(existsSync(join(cwd, ".claude"))).toBe(false);
    expect(await json("disable")).toMatchObject({ files: [], changed: false });
    // Somebody who switched them off does not want them back with the next `pm init`.
    expect((await json("init")).hooks).toEqual({ state: "skipped", reason: "pm disable" });
    expect(current()).toBe(text);

    expect(await json("enable")).toMatchObject({ changed: true });
    expect(current()).toBe(installed);
    expect(await json("disable")).toMatchObject({ changed: true });
    expect(current()).toBe(text);
  });

  it("does not double a hook in an older spelling, and switches it off, too", async () => {
    const hooks = { PreCompact: [{ hooks: [{ type: "command", command: "pm hook precompact" }] }] };
    put(JSON.stringify({ hooks, model: "opus" }, null, 2));
    expect((await json("enable")).added).not.toContain("PreCompact");
    expect(JSON.parse(current()!).hooks.PreCompact).toEqual(hooks.PreCompact);
    await json("disable");
    expect(JSON.parse(current()!)).toEqual({ model: "opus" });
  });

  it("leaves a broken file as it is and says where; the rest of init is done", async () => {
    const text = '{\n  "model": "opus", // mine\n}\n';
    put(text);
    const enable = await callPm(["enable"], { cwd });
    expect(enable).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("settings.json:2:20 is not valid"),
    });
    const init = await callPm(["init"], { cwd });
    expect(init).toMatchObject({ code: 0, stderr: expect.stringContaining("settings.json:2:20") });
    expect((await json("init")).hooks).toMatchObject({
      state: "failed",
      reason: expect.stringContaining(":2:20"),
    });
    expect(await callPm(["doctor"], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("✗ hooks"),
    });
    expect(await callPm(["disable"], { cwd })).toMatchObject({ code: 1 });
    expect(current()).toBe(text);
  });

  it("writes to one's own settings with --local", async () => {
    expect(await json("enable", "--local")).toMatchObject({
      file: ".claude/settings.local.json",
      changed: true,
    });
    expect(current()).toBeNull();
    expect((await json("init")).already).toContain(".claude/settings.local.json");
    expect((await json("disable")).files).toEqual([".claude/settings.local.json"]);
  });

  it("leaves Claude Code alone with --no-hooks", async () => {
    expect((await json("init", "--no-hooks")).hooks).toEqual({ state: "skipped", reason: "--no-hooks" });
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });

  it("comes to one whole file when several run at once", async () => {
    put('{"model":"opus"}');
    await Promise.all(Array.from({ length: 6 }, () => runPm(["init", "--team"], { cwd })));
    expect(Object.keys(JSON.parse(current()!).hooks)).toHaveLength(9);
    expect(JSON.parse(current()!).hooks.Stop).toHaveLength(1);
    expect(readdirSync(join(cwd, ".claude"))).toEqual(["settings.json"]);
    await json("disable");
    expect(current()).toBe('{"model":"opus"}');
  });

  it("says when the hooks would not find pm", async () => {
    const bin = temporaryDir();
    const path = async () => {
      const { stdout } = await callPm(["doctor", "--json"], { cwd, env: { PATH: bin } });
      return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "path");
    };
    expect(await path()).toMatchObject({
      status: "warn",
      message: expect.stringContaining("`pommel` is not on the PATH"),
    });
    writeFileSync(join(bin, "pommel"), "#!/bin/sh\necho other\n", { mode: 0o755 });
    expect(await path()).toMatchObject({
      status: "warn",
      message: expect.stringContaining("another program"),
    });
    rmSync(join(bin, "pommel"));
    symlinkSync(pmFile, join(bin, "pommel"));
    const other = join(bin, "lib/node_modules/@acme/process-manager/bin");
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, "cli.js"), "#!/usr/bin/env node\n", { mode: 0o755 });
    symlinkSync(join(other, "cli.js"), join(bin, "pm"));
    expect(await path()).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/of the npm package @acme\/process-manager.*type `pommel`/),
    });
    rmSync(join(bin, "pm"));
    symlinkSync(pmFile, join(bin, "pm"));
    expect(await path()).toMatchObject({ status: "ok" });
    const { stderr } = await callPm(["enable"], { cwd, env: { PATH: bin } });
    expect(stderr).toBe("");
  });

  it("needs a project", async () => {
    const nowhere = { cwd: process.env.HOME! };
    expect(await callPm(["enable"], nowhere)).toMatchObject({ code: 3 });
    expect(await callPm(["disable"], nowhere)).toMatchObject({ code: 3 });
  });
});
