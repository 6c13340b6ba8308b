import { describe, expect, it } from "vitest";
import {
  migrated,
  type RolloutFixture,
  type RolloutOptions,
  rollout,
  threadId,
} from "../../../test/support/rollout-fixture.ts";
import { ownContext } from "../../protocol/ready-context.ts";
import type { TranscriptEntry, TranscriptLine } from "../agent.ts";
import { makeState } from "./state.ts";
import { parseLine } from "./understand.ts";

const cwd = "/home/dev/shop";

function read(text: string): TranscriptLine[] {
  const info = { session: threadId("session"), parent: null, cwd, startedAt: null };
  const state = makeState({ info, branch: "main" });
  return text
    .trimEnd()
    .split("\n")
    .flatMap((line) => parseLine(JSON.parse(line), state).lines);
}

const entriesOf = (r: RolloutFixture): TranscriptEntry[] => read(r.text()).flatMap(({ entries }) => entries);
const formats = ["legacy", "paginated", "code"] as const;

const update = { type: "update" as const, unified_diff: "@@ -1 +1 @@\n-a\n+b\n", move_path: null };
const envelope = "*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch\n";

function session(options: RolloutOptions = {}): RolloutFixture {
  const r = rollout({ format: "legacy", ...options });
  r.turn();
  r.prompt("go on");
  r.think("Hm.");
  r.reply("Yes.");
  r.bash("npm test", "2 failed", 1);
  r.patch(envelope, { "/home/dev/shop/a.ts": update });
  r.tokens(100, 10);
  r.reply("Yes.");
  r.compact("What was done.");
  r.turn();
  r.prompt("go on");
  r.reply("Yes.");
  r.tokens(100, 10);
  return r;
}

describe.each(formats)("a rollout of the format %s", (format) => {
  it("has each message once, and none by the client", () => {
    const said = entriesOf(session({ format })).filter(
      ({ kind }) => kind !== "tool_use" && kind !== "tool_result",
    );
    expect(said).toEqual([
      { kind: "prompt", text: "go on", images: 0 },
      { kind: "thinking", text: "Hm." },
      { kind: "text", text: "Yes." },
      { kind: "text", text: "Yes." },
      { kind: "compaction", trigger: null, preTokens: 100 },
      { kind: "summary", text: "What was done." },
      { kind: "prompt", text: "go on", images: 0 },
      { kind: "text", text: "Yes." },
    ]);
  });

  it("has commands with their output, and edits with their lines", () => {
    const uses = entriesOf(session({ format })).filter(
      ({ kind }) => kind === "tool_use" || kind === "tool_result",
    );
    expect(uses).toMatchObject([
      { kind: "tool_use", tool: "Bash", input: { command: "npm test" } },
      { kind: "tool_result", text: "2 failed", isError: true, edits: null },
      { kind: "tool_use", tool: "apply_patch", files: [{ path: "/home/dev/shop/a.ts", how: "edit" }] },
      {
        kind: "tool_result",
        isError: false,
        edits: [{ path: "/home/dev/shop/a.ts", hunks: [{ lines: ["-a", "+b"] }], content: null }],
      },
    ]);
  });

  it("counts each answer's usage once, by model", () => {
    const lines = read(session({ format }).text());
    expect(lines.flatMap(({ usage }) => usage ?? [])).toMatchObject([
      { model: "gpt-5.5", input: 100, output: 10 },
      { model: "gpt-5.5", input: 100, output: 10 },
    ]);
    expect(new Set(lines.flatMap(({ usage }) => usage?.messageId ?? [])).size).toBe(2);
    const replies = lines.filter(({ entries }) => entries.some(({ kind }) => kind === "text"));
    expect(replies.map(({ model, cwd: at, branch }) => [model, at, branch])).toEqual(
      replies.map(() => ["gpt-5.5", cwd, "main"]),
    );
  });

  it("omits Pommel's own results", () => {
    const r = rollout({ format });
    r.bash("cd /home/dev/shop && pm search cart", "own answer");
    r.mcp("pommel", "search_code", { query: "cart" }, "own answer");
    r.mcp("memo", "recall", { query: "cart" }, "their answer");
    const results = entriesOf(r).filter((entry) => entry.kind === "tool_result");
    expect(results.map(({ text }) => text.includes("own"))).toEqual([false, false, false]);
    expect(results[2]!.text).toContain("their answer");
  });

  it("removes Pommel's injected context from messages", () => {
    const r = rollout({ format });
    r.prompt(`Go on. ${ownContext.start}\nsaid before${ownContext.end}`);
    r.bash("cat notes", `seen &lt;pommel-context&gt;said before&lt;/pommel-context&gt; after`);
    r.mcp("memo", "recall", {}, `theirs ${ownContext.start}said before`);
    r.compact(`So far. ${ownContext.start}said before${ownContext.end}`);
    const texts = entriesOf(r).flatMap((entry) => ("text" in entry ? entry.text : []));
    expect(texts.slice(0, 2)).toEqual(["Go on.", "seen\nafter"]);
    expect(texts.at(-1)).toBe("So far.");
    expect(texts.join()).not.toContain("said before");
  });
});

it("keeps line ids after a migration", () => {
  const legacy = session().text();
  const uids = (text: string) => read(text).map(({ uid }) => uid);
  expect(migrated(legacy)).not.toBe(legacy);
  expect(uids(migrated(legacy))).toEqual(uids(legacy));
  expect(new Set(uids(legacy)).size).toBe(uids(legacy).length);
});

it("deduplicates events and items, per turn", () => {
  const r = rollout();
  const say = (text: string) => r.item("AgentMessage", { content: [{ type: "Text", text }] });
  r.event("task_started");
  r.event("agent_message", { message: "Yes." });
  say("Yes.");
  say("Yes.");
  r.event("agent_message", { message: "Yes." });
  r.event("task_started");
  say("Yes.");
  expect(entriesOf(r)).toHaveLength(3);
});

it("separates the human's text from the editor's", () => {
  const r = rollout();
  r.prompt("# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nFix it\n");
  r.prompt("<environment_context>\n  <cwd>/</cwd>\n</environment_context>");
  r.event("user_message", { message: "be brief", kind: "user_instructions" });
  expect(entriesOf(r)).toEqual([{ kind: "prompt", text: "Fix it", images: 0 }]);
});

it("parses a patch in a shell command, and joins a command array", () => {
  const r = rollout({ format: "legacy" });
  r.tool("shell", { command: ["apply_patch", envelope] }, "Success. Updated the following files:\nM a.ts\n");
  r.tool("exec_command", { cmd: `cd src && apply_patch <<'EOF'\n${envelope}EOF` }, "Success.");
  r.tool(
    "shell",
    { command: ["bash", "-lc", "npm test | tail"], workdir: "/tmp" },
    '{"output":"ok","metadata":{"exit_code":0}}',
  );
  r.tool("shell", { command: ["rg", "-n", "it's here"] }, "");
  const uses = entriesOf(r).filter((entry) => entry.kind === "tool_use");
  expect(
    uses.map(({ tool, input, files }) => [tool, input.command ?? files[0]?.path, input.workdir]),
  ).toEqual([
    ["apply_patch", "/home/dev/shop/a.ts", undefined],
    ["apply_patch", "/home/dev/shop/src/a.ts", undefined],
    ["Bash", "npm test | tail", "/tmp"],
    ["Bash", "rg -n 'it'\\''s here'", undefined],
  ]);
});

it("keeps a patch of another system out of the directory that this process runs in", () => {
  const r = rollout({ format: "legacy", cwd: "D:\\shop" });
  r.turn();
  r.tool("exec_command", { cmd: `cd src && apply_patch <<'EOF'\n${envelope}EOF` }, "Success.");
  const [use] = entriesOf(r).filter((entry) => entry.kind === "tool_use");
  expect(use?.files[0]?.path).toBe("D:\\shop\\src\\a.ts");
});

it("waits for the end of a running command, if the client reports it", () => {
  const running =
    "Chunk ID: 1\nWall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\nstarting\n";
  for (const format of ["paginated", "legacy"] as const) {
    const r = rollout({ format });
    r.tool("exec_command", { cmd: "npm start" }, running);
    const id = "call_1";
    if (format === "paginated")
      r.item("CommandExecution", {
        id,
        command: ["npm start"],
        status: "failed",
        aggregated_output: "port taken",
        exit_code: 1,
      });
    expect(entriesOf(r).at(-1)).toMatchObject(
      format === "legacy"
        ? { id, text: "starting", isError: false }
        : { id, text: "port taken", isError: true },
    );
    expect(entriesOf(r)).toHaveLength(2);
  }
});

it("gives calls of a script their own lines, at their start time", () => {
  const r = rollout({ format: "code" });
  r.item("CommandExecution", {
    id: "exec-1",
    command: ["bash", "-lc", "npm test"],
    aggregated_output: "ok",
    exit_code: 0,
    duration: { secs: 0, nanos: 400_000_000 },
  });
  const [use, result, ...more] = read(r.text());
  expect([use?.entries[0]?.kind, result?.entries[0]?.kind, more]).toEqual(["tool_use", "tool_result", []]);
  expect(result!.at! - use!.at!).toBe(400);
});

it("what a script ran without saying how long it took began with the script", () => {
  const r = rollout({ format: "code" });
  r.bash("npm test", "ok");
  const [use, result] = read(r.text());
  expect(
    Date.parse(
      (r.lines.find((line) => JSON.stringify(line).includes("custom_tool_call")) as { timestamp: string })
        .timestamp,
    ),
  ).toBe(use!.at);
  expect(result!.at! - use!.at!).toBe(1000);
});

it("omits Pommel's resources, and later output of its commands", () => {
  const r = rollout();
  const running = "Chunk ID: 1\nWall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\nown";
  r.tool("read_mcp_resource", { server: "pommel", uri: "pommel://sessions/1" }, "own");
  r.tool("list_mcp_resources", {}, "own and theirs");
  r.tool("read_mcp_resource", { server: "memo", uri: "memo://1" }, "theirs");
  r.item("McpToolCall", {
    server: "pommel",
    tool: "read_mcp_resource",
    arguments: { server: "pommel" },
    result: { content: [{ type: "text", text: "own" }] },
  });
  r.tool("exec_command", { cmd: "pm daemon reindex" }, running);
  r.tool("write_stdin", { session_id: 7, chars: "" }, running);
  r.tool("write_stdin", { session_id: 8, chars: "" }, "theirs");
  const answers = entriesOf(r).flatMap((entry) => (entry.kind === "tool_result" ? entry.text : []));
  expect(answers.filter((text) => text !== "")).toEqual(["theirs", "theirs"]);
});

it("reads ends of calls that some clients wrote as events", () => {
  const r = rollout({ format: "legacy" });
  const lastly = {
    call_id: "x1",
    command: ["bash", "-lc", "ls"],
    cwd,
    aggregated_output: "a.ts",
    exit_code: 0,
  };
  r.event("exec_command_end", lastly);
  r.event("patch_apply_end", {
    call_id: "x2",
    success: true,
    stdout: "Success.",
    changes: { "/home/dev/shop/a.ts": update },
  });
  r.event("patch_apply_end", {
    call_id: "x3",
    success: false,
    stderr: "does not fit",
    changes: { "/home/dev/shop/a.ts": update },
  });
  r.event("mcp_tool_call_end", {
    call_id: "x4",
    invocation: { server: "memo", tool: "recall", arguments: { q: "x" } },
    result: { Ok: { content: [{ type: "text", text: "hi" }] } },
  });
  expect(entriesOf(r).filter(({ kind }) => kind === "tool_result")).toMatchObject([
    { id: "x1", text: "a.ts", isError: false },
    { id: "x2", isError: false, edits: [{ path: "/home/dev/shop/a.ts" }] },
    { id: "x3", isError: true, edits: null },
    { id: "x4", text: "hi", isError: false },
  ]);
});

it("maps plans and subagents to the shared shapes", () => {
  const r = rollout();
  r.tool(
    "update_plan",
    { explanation: "Next", plan: [{ step: "Look", status: "completed" }] },
    "Plan updated",
  );
  r.spawn("counter", "Count the files", threadId("child"));
  r.between("FINAL_ANSWER", "counter", "One.");
  expect(entriesOf(r)).toMatchObject([
    { input: { explanation: "Next", todos: [{ content: "Look", status: "completed" }] } },
    { text: "Plan updated" },
    { tool: "spawn_agent", input: { description: "counter", prompt: "Count the files" } },
    { kind: "tool_result", subagent: threadId("child") },
    { kind: "notice", text: "/root/counter: One." },
  ]);
});

it("begins a subagent's session with its task, even if encrypted", () => {
  const r = rollout();
  r.between("NEW_TASK", "counter", "Count the files");
  r.between("NEW_TASK", "other", null);
  expect(entriesOf(r)).toEqual([
    { kind: "prompt", text: "Count the files", images: 0 },
    { kind: "prompt", text: "[encrypted task /root/other]", images: 0 },
  ]);
});

it("continues after the last prompt that was not rolled back", () => {
  const r = rollout();
  for (const text of ["one", "two", "three"]) r.prompt(text);
  r.event("thread_rolled_back", { num_turns: 2 });
  r.prompt("four");
  r.prompt("five");
  const lines = read(r.text());
  expect(lines.map(({ parentUid }) => parentUid)).toEqual([null, null, null, lines[0]!.uid, null]);
});

it("reports an interrupted turn", () => {
  const r = rollout();
  r.prompt("slow");
  r.interruption();
  r.event("turn_aborted", { reason: "replaced" });
  expect(entriesOf(r).slice(1)).toEqual([
    { kind: "notice", text: "[Request interrupted by user]" },
    { kind: "notice", text: "[Turn aborted: replaced]" },
  ]);
});

it("skips unknown lines, and fields of other types", () => {
  const r = rollout();
  r.line("world_state", { full: true });
  r.item("Hologram", { id: 7, content: {} });
  r.item("CommandExecution", { id: "c", command: 7, cwd: ["x"], exit_code: "0", aggregated_output: null });
  r.item("FileChange", { id: "f", changes: [1, 2] });
  r.item("McpToolCall", { id: "m", server: null, result: "x" });
  r.event("item_completed", { item: "?" });
  r.event("user_message", { message: { text: "?" } });
  r.response("function_call", { call_id: "j", name: "exec_command", arguments: "{not json" });
  r.response("function_call", { name: "exec_command" });
  r.response("function_call_output", {
    call_id: "j",
    output: { content: [{ type: "input_text", text: "done" }], success: false },
  });
  r.line("turn_context", { cwd: 7, model: [] });
  r.line("compacted", { message: 9 });
  const entries = entriesOf(r);
  expect(entries.map(({ kind }) => kind)).toEqual([
    "tool_use",
    "tool_result",
    "tool_use",
    "tool_result",
    "tool_use",
    "tool_result",
    "tool_use",
    "tool_result",
    "compaction",
  ]);
  expect(entries.at(-2)).toMatchObject({ id: "j", text: "done", isError: true });
});
