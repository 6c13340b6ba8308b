import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { listInjections } from "../../src/features/context/operation.ts";
import { type DeadEndsAnswer, deadEnds } from "../../src/features/dead-ends/operation.ts";
import { readReadyPart } from "../../src/protocol/ready-context.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { callPm, runPm } from "./run-pm.ts";
import { sessionIn, transcriptDir } from "./sessions-fixture.ts";

/** The hook of the built program, of what a daemon keeps ready, without asking it. */

let project: Project;
const session = "22222222-2222-4222-8222-000000000001";
const cache = "const cache = new LruCache(50);\nif (cache.has(key)) return cache.get(key);";
const plain = "return computeValue(key);";
const file = () => join(project.root, "src/heron.ts");

beforeAll(async () => {
  project = createProject({ "src/heron.ts": `${plain}\n` });
  await start(project);
  const made = sessionIn(project, "11111111-1111-4111-8111-111111111111", {
    start: new Date(Date.now() - 24 * 3600 * 1000).toISOString(),
  });
  made.prompt("What does the pull request change? Make it faster.");
  made.bash("gh pr diff 104 --stat", "Exit code 1\nunknown flag: --stat", { isError: true });
  made.bash("gh pr diff 104 --name-only", "src/heron.ts");
  made.edit(file(), plain, cache);
  made.prompt("That gives stale values.");
  made.edit(file(), cache, plain);
  made.reply("Reverted the cache, because callers change values in place.");
  made.writeTo(transcriptDir(project));
  await until(async () => (await list()).total === 2);
});
afterAll(cleanUp);

const list = () => callDaemon(project.root, deadEnds, {});

const hook = (tool_name: string, tool_input: object, session_id = session) =>
  runPm(["hook", "pre-tool-use"], {
    cwd: project.root,
    env: { CLAUDE_PROJECT_DIR: "" },
    input: JSON.stringify({
      session_id,
      transcript_path: join(transcriptDir(project), `${session_id}.jsonl`),
      cwd: project.root,
      hook_event_name: "PreToolUse",
      tool_name,
      tool_input,
    }),
  });
const silence = { code: 0, signal: null, stdout: "", stderr: "" };
const stat = { command: "gh pr diff 7 --stat" };

test("nothing is told until it is turned on; asking tells it all the same", async () => {
  expect(await hook("Bash", stat)).toEqual(silence);
  const { dead_ends, is_checked } = await pmJson<DeadEndsAnswer>(project, "dead-ends");
  expect(is_checked).toBe(false);
  expect(dead_ends.map(({ kind }) => kind).sort()).toEqual(["change", "command"]);
  expect((await callPm(["dead-ends", "coffee", "machine"], { cwd: project.root })).code).toBe(5);
});

test("a command and an edit are told before they are tried again, once in a session, and written down", async () => {
  await callPm(["config", "set", "dead_ends.check", "true"], { cwd: project.root });
  await until(() => readReadyPart(project.root, "dead-ends"));
  const told = await hook("Bash", stat);
  expect(told).toMatchObject({ code: 0, stderr: "" });
  const { hookSpecificOutput } = JSON.parse(told.stdout);
  expect(hookSpecificOutput).toMatchObject({ hookEventName: "PreToolUse" });
  expect(hookSpecificOutput).not.toHaveProperty("permissionDecision");
  expect(hookSpecificOutput.additionalContext).toContain("unknown flag: --stat");
  expect(hookSpecificOutput.additionalContext).toContain("gh pr diff 104 --name-only");
  expect(await hook("Bash", stat)).toEqual(silence);
  expect(await hook("Bash", { command: "gh pr diff 7" })).toEqual(silence);
  const edit = { file_path: file(), old_string: plain, new_string: cache };
  expect((await hook("Edit", edit)).stdout).toContain("Reverted the cache");
  expect(await hook("Edit", { ...edit, new_string: "return 7;" }, `${session.slice(0, -1)}2`)).toEqual(
    silence,
  );
  const given = await until(async () => {
    const { injections } = await callDaemon(project.root, listInjections, {});
    return injections.length > 1 ? injections : null;
  });
  expect(given.map(({ event }) => event)).toEqual(["pre-tool-use", "pre-tool-use"]);
});

test("it is told beside answers about the same", async () => {
  const { stderr } = await callPm(["fix", "unknown flag: --stat"], { cwd: project.root });
  expect(stderr).toContain("never worked here");
  await callPm(["config", "set", "dead_ends.check", "false"], { cwd: project.root });
  await until(() => readReadyPart(project.root, "dead-ends") === null);
  expect((await callPm(["fix", "unknown flag: --stat"], { cwd: project.root })).stderr).toBe("");
});
