import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { SessionResponse, SessionsResponse } from "../../../src/features/sessions/operation.ts";
import { run } from "../client.ts";
import { type Ground, layGround } from "../ground.ts";
import { cue, type MockApi, startMockApi } from "../mock-api.ts";
import { describeClient } from "../suite.ts";

/** The tasks of the last Cline that kept them as its extension for editors does; hooks it has none of ours. */

const prompts = {
  edit: `The heron importer gives up after one timeout; let it retry. ${cue("edit")}`,
  resume: `And what about the kestrel cache? ${cue("resume")}`,
};
const call = (name: string, input: Record<string, unknown>) => [{ type: "tool_use" as const, name, input }];
const search =
  "------- SEARCH\nexport const attempts = 1;\n=======\nexport const attempts = 3;\n+++++++ REPLACE\n";
const shell = (command: string) => call("execute_command", { command, requires_approval: false });
const scripts = {
  edit: [
    call("read_file", { path: "src/heron.ts" }),
    call("replace_in_file", { path: "src/heron.ts", absolutePath: "src/heron.ts", diff: search }),
    shell("git commit -qam 'Retry the import' && git log --oneline"),
    shell("ls nowhere"),
    call("attempt_completion", { result: "The heron importer now tries three times." }),
  ],
  resume: [call("attempt_completion", { result: "The kestrel cache stays." })],
};

describeClient("Cline before 3", "sessions", (bin) => {
  let ground: Ground;
  let api: MockApi;
  let task = "";

  beforeAll(async () => {
    ground = layGround("cline-classic", {});
    const { home, repo, env, pm } = ground;
    api = await startMockApi({ scripts, compaction: "" });
    const cline = (...args: string[]) => run({ bin, cwd: repo, env }, args);
    const data = join(home, ".cline", "data");
    await cline("auth", "-p", "anthropic", "-k", "none", "-m", "claude-sonnet-4-5-20250929");
    const state = join(data, "globalState.json");
    const changed = { anthropicBaseUrl: api.url, telemetrySetting: "disabled" };
    writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, "utf8")), ...changed }));
    const tasks = join(data, "tasks");
    mkdirSync(tasks, { recursive: true });
    await pm("init", "--no-hooks");
    await pm("start");
    await cline("task", "-y", "--json", prompts.edit);
    task = readdirSync(tasks)[0]!;
    const history = () => [join(tasks, task, "api_conversation_history.json")];
    await ground.settled(history);
    // Without a limit it waits after its answer.
    await cline("task", "-y", "--json", "-t", "60", "-T", task, prompts.resume);
    await ground.settled(history);
  }, 300_000);

  afterAll(async () => {
    await ground?.clear();
    await api?.close();
  });

  it("is remembered, with what it said, ran and wrote, and went on with", async () => {
    expect(api.problems).toEqual([]);
    const { sessions } = await ground.pm<SessionsResponse>("session", "list");
    expect(sessions.map(({ id }) => id)).toEqual([task]);
    expect(sessions[0]).toMatchObject({ agent: "cline", cwd: ground.repo });
    expect(sessions[0]!.tokens.output).toBeGreaterThan(0);
    const { turns } = await ground.pm<SessionResponse & { turns: { content: string }[] }>(
      "session",
      "show",
      task,
      "--full",
    );
    expect(turns.map(({ prompt }) => prompt)).toEqual(Object.values(prompts));
    expect(turns[0]).toMatchObject({
      tools: { read_file: 1, replace_in_file: 1, execute_command: 2 },
      files: [{ path: "src/heron.ts" }],
    });
    expect(turns[0]!.content).toContain("The heron importer now tries three times.");
    expect(turns[0]!.content).not.toMatch(/task_progress|environment_details|final_file_content/);
  });

  it("is who wrote its lines", async () => {
    const written_by = { author: "agent", agent: "cline", session_id: task };
    await vi.waitFor(
      async () =>
        expect(await ground.pm("why", "src/heron.ts:1")).toMatchObject({ origins: [{ written_by }] }),
      { timeout: 20_000, interval: 500 },
    );
  });
});
