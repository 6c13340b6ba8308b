import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAll } from "../../../test/support/agent-samples.ts";
import { type ChatFixture, chat, idOf } from "../../../test/support/chat-fixture.ts";
import type { TranscriptEntry, TranscriptLine } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { gemini } from "./gemini.ts";

const dir = mkdtempSync(join(tmpdir(), "pommel-replay-"));

function begun() {
  const c = chat();
  c.begin();
  return c;
}

async function read(c: ChatFixture) {
  const file = join(dir, "chat.jsonl");
  writeFileSync(file, c.text());
  return readAll(gemini, file);
}

const linesOf = async (c: ChatFixture): Promise<TranscriptLine[]> =>
  (await read(c)).lines.filter(({ entries }) => entries.length > 0);
const entriesOf = async (c: ChatFixture): Promise<TranscriptEntry[]> =>
  (await linesOf(c)).flatMap(({ entries }) => entries);
const prompt = (text: string, images = 0) => ({ kind: "prompt", text, images });
const notice = (text: string) => ({ kind: "notice", text });

describe("a human's prompt", () => {
  it.each<[string, unknown[], unknown]>([
    ["plain words", [{ text: " fix it\n" }], [prompt("fix it")]],
    [
      "behind what a hook added",
      [{ text: "<hook_context>a &lt;b&gt;</hook_context>\n\nfix it" }],
      [prompt("fix it")],
    ],
    [
      "behind what Pommel added, wherever a client puts it",
      [{ text: "fix <pommel-context>what Pommel said</pommel-context>it" }],
      [prompt("fix\nit")],
    ],
    [
      "between what hooks added",
      [
        { text: "<hook_context>a</hook_context>\n\n<hook_context>b</hook_context>\n\nfix it" },
        { text: "<hook_context>c</hook_context>" },
      ],
      [prompt("fix it")],
    ],
    [
      "about a hook's tag",
      [{ text: "what is <hook_context>x</hook_context>?" }],
      [prompt("what is <hook_context>x</hook_context>?")],
    ],
    ["nothing but a hook's tag that is cut off", [{ text: "<hook_context>a" }], []],
    [
      "behind the surroundings",
      [{ text: "<session_context>\nclosing is </session_context> here\n</session_context>\nfix it" }],
      [prompt("fix it")],
    ],
    [
      "to a subagent",
      [{ text: "\n<loaded_context>a</loaded_context>" }, { text: "count" }],
      [prompt("count")],
    ],
    [
      "with pictures",
      [
        { text: "look" },
        { inlineData: { mimeType: "image/png", data: "x" } },
        { inlineData: { mimeType: "text/plain", data: "x" } },
      ],
      [prompt("look", 1)],
    ],
    [
      "with files named",
      [
        { text: "explain @src/a.ts" },
        { text: "\n--- Content from referenced files ---" },
        { text: "\nContent from @src/a.ts:\n" },
        { text: "const a = 1;" },
        { text: "\n--- End of content ---" },
      ],
      [prompt("explain @src/a.ts")],
    ],
    [
      "which agents were named",
      [
        { text: "count them" },
        {
          text: "\n<system_note>\nThe user has explicitly selected the following agent(s): a.\n</system_note>\n",
        },
      ],
      [prompt("count them")],
    ],
    ["what the editor shows", [{ text: "Here is the user's editor context as a JSON object. x" }], []],
    ["the client's own word", [{ text: "System: Please continue." }], [notice("System: Please continue.")]],
    [
      "a command that they ran",
      [
        {
          text: "I ran the following shell command:\n```sh\ngit pull\n```\n\nThis produced the following result:\n```\nup to date\n```",
        },
      ],
      [notice("! git pull\nup to date")],
    ],
    [
      "a command of Pommel that they ran",
      [
        {
          text: "I ran the following shell command:\n```sh\npm search x\n```\n\nThis produced the following result:\n```\nfound x\n```",
        },
      ],
      [notice("! pm search x")],
    ],
  ])("%s", async (_, content, wanted) => {
    const c = begun();
    c.message("user", content);
    expect(await entriesOf(c)).toEqual(wanted);
  });

  it("is the displayed content, if there is any", async () => {
    const c = begun();
    c.message("user", [{ text: "see @a.ts" }, { text: "all of a.ts" }], {
      displayContent: [{ text: "<hook_context>a</hook_context>\n\nsee @a.ts" }],
    });
    expect(await entriesOf(c)).toEqual([prompt("see @a.ts")]);
  });

  it("excludes the client's messages", async () => {
    const c = begun();
    c.message("info", "Saved.");
    c.message("error", [{ text: "\u001b[31m[API Error: 429]\u001b[0m" }]);
    c.message("warning", " ");
    expect(await entriesOf(c)).toEqual([notice("Saved."), notice("[API Error: 429]")]);
  });
});

describe("the agent's activity", () => {
  it("is text, thinking and calls, with the message's usage", async () => {
    const c = begun();
    c.prompt("begin");
    const id = c.reply("Done.", { thinking: "hm" });
    const call = c.tool("read_file", { file_path: "src/../a.ts" }, "x");
    const lines = (await read(c)).lines.slice(2);
    expect(lines.map(({ entries }) => entries.map(({ kind }) => kind))).toEqual([
      ["thinking", "text"],
      [],
      ["tool_use"],
      ["tool_result"],
    ]);
    const usage = { model: "gemini-2.5-pro", input: 800, output: 55, cacheRead: 200, cacheWrite: 0 };
    expect(lines[0]).toMatchObject({ uid: id, cwd: c.cwd, usage: { messageId: id, ...usage } });
    // A message with calls is repeated, but its usage counts once.
    expect(lines[1]!.usage).toEqual(lines[2]!.usage);
    expect(lines[2]!.entries).toMatchObject([
      { id: call, tool: "read_file", files: [{ path: "/home/dev/shop/a.ts", how: "read" }] },
    ]);
    lines.reduce((before, after) => {
      expect(after.parentUid).toBe(before.uid);
      return after;
    });
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ["read_file", { absolute_path: "/a/b.ts" }, [{ path: "/a/b.ts", how: "read" }]],
    ["write_file", { file_path: "C:\\a\\b.ts" }, [{ path: "C:\\a\\b.ts", how: "write" }]],
    ["replace", { file_path: 5 }, []],
    ["grep_search", { pattern: "x", dir_path: "src" }, []],
    [
      "grep_search",
      { pattern: "x", dir_path: "src/a.ts" },
      [{ path: "/home/dev/shop/src/a.ts", how: "read" }],
    ],
    ["toString", { file_path: "/a" }, []],
  ])("%s %j is about %j", async (tool, args, files) => {
    const c = begun();
    c.tool(tool, args, "ok");
    expect(await entriesOf(c)).toMatchObject([
      { kind: "tool_use", input: args, files },
      { kind: "tool_result" },
    ]);
  });

  it("has a result when its call ended", async () => {
    const c = begun();
    c.prompt("begin");
    const call = { id: "c1", name: "run_shell_command", args: { command: "sleep 1" }, status: "executing" };
    const message = {
      id: idOf("m"),
      timestamp: c.time(),
      type: "gemini",
      content: "",
      model: "g",
      tokens: {},
    };
    c.records.push({ ...message, toolCalls: [call] });
    expect((await entriesOf(c)).map(({ kind }) => kind)).toEqual(["prompt", "tool_use"]);
    const result = [{ functionResponse: { id: "c1", response: { output: "Output: ok" } } }];
    c.records.push({ ...message, toolCalls: [{ ...call, status: "success", result }] });
    expect(await entriesOf(c)).toMatchObject([{}, { kind: "tool_use" }, { kind: "tool_result", text: "ok" }]);
  });

  it("is bounded", async () => {
    const c = begun();
    c.write("/home/dev/shop/a.ts", `${"x".repeat(99)}\n`.repeat(bounds.input / 50));
    c.shell("cat big", "y".repeat(bounds.result * 3));
    c.prompt("z".repeat(bounds.text * 2));
    for (const entry of await entriesOf(c)) {
      const { length } = JSON.stringify(entry);
      if (entry.kind === "tool_use") expect(length).toBeLessThan(bounds.input * 1.1 + 1000);
      if (entry.kind === "tool_result" && !entry.edits) expect(length).toBeLessThan(bounds.result + 500);
      if (entry.kind === "prompt") expect(length).toBeLessThan(bounds.text + 500);
    }
  });
});

describe("a result", () => {
  const path = "/home/dev/shop/a.ts";

  async function resultOf(build: (c: ChatFixture) => void) {
    const c = begun();
    build(c);
    return (await entriesOf(c)).findLast((entry) => entry.kind === "tool_result");
  }

  it("of an edit has the written lines", async () => {
    const result = await resultOf((c) => c.edit(path, "a\nold\nz\n", "a\nnew\nz\n"));
    const hunk = { oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" a", "-old", "+new", " z"] };
    expect(result).toMatchObject({ isError: false, edits: [{ path, hunks: [hunk], content: null }] });
  });

  it("of a write has the new file, or the changes of an existing one", async () => {
    expect((await resultOf((c) => c.write(path, "one\n")))?.edits).toEqual([
      { path, hunks: [], content: "one\n" },
    ]);
    const over = await resultOf((c) => c.write(path, "one\ntwo\n", "one\n"));
    expect(over?.edits).toMatchObject([{ hunks: [{ lines: [" one", "+two"] }], content: "one\ntwo\n" }]);
  });

  it("does not attribute the human's changes to a proposal to the agent", async () => {
    const args = { ai_proposed_content: "const a = 2;", modified_by_user: true };
    const both = "const a = 2;\nconst mine = 3;\n";
    const result = await resultOf((c) => c.edit(path, "const a = 1;\n", both, { added: 1, args }));
    expect(result?.edits).toMatchObject([
      { hunks: [{ lines: ["-const a = 1;", "+const a = 2;", " const mine = 3;"] }] },
    ]);
    const unsaid = await resultOf((c) => c.edit(path, "const a = 1;\n", both, { added: 1, args: {} }));
    expect(JSON.stringify(unsaid?.edits)).not.toContain("+const");
  });

  it("without a diff has the written text", async () => {
    const edit = { file_path: path, old_string: "a", new_string: "b\nc\n" };
    const edited = await resultOf((c) => c.tool("replace", edit, "ok"));
    expect(edited?.edits).toMatchObject([{ path, hunks: [{ lines: ["-a", "+b", "+c"] }], content: null }]);
    const written = await resultOf((c) => c.tool("write_file", { file_path: "b.ts", content: "b" }, "ok"));
    expect(written?.edits).toEqual([{ path: "/home/dev/shop/b.ts", hunks: [], content: "b" }]);
  });

  it("of an unknown tool has the displayed diff", async () => {
    const display = { filePath: path, fileDiff: "@@ -1 +1 @@\n-a\n+b\n", newContent: "b\n" };
    const c = begun();
    c.tool("smart_edit", { target: "a.ts" }, "ok", { display });
    const [use, result] = await entriesOf(c);
    expect(use).toMatchObject({ files: [{ path, how: "edit" }] });
    expect(result).toMatchObject({ edits: [{ path, hunks: [{ lines: ["-a", "+b"] }] }] });
  });

  it.each<[string, (c: ChatFixture) => unknown, boolean, string]>([
    [
      "an error",
      (c) => c.tool("replace", { file_path: path, new_string: "x" }, "no match", { status: "error" }),
      true,
      "no match",
    ],
    [
      "a call that was cancelled",
      (c) =>
        c.tool("replace", { file_path: path, new_string: "x" }, "[Operation Cancelled]", {
          status: "cancelled",
        }),
      true,
      "[Operation Cancelled]",
    ],
    ["a command that failed", (c) => c.shell("npm test", "1 failed", 1), true, "1 failed\nExit Code: 1"],
    ["a command that went well", (c) => c.shell("npm test", "all passed"), false, "all passed"],
    [
      "a file that speaks of commands",
      (c) => c.tool("read_file", { file_path: path }, "Output: x\nExit Code: 2"),
      false,
      "Output: x\nExit Code: 2",
    ],
    [
      "a server's tool",
      (c) => c.tool("mcp_memo_recall", {}, "<untrusted_context>\nhi\n</untrusted_context>"),
      false,
      "hi",
    ],
    [
      "what a hook added behind it",
      (c) => c.tool("read_file", { file_path: path }, "x\n\n\n<hook_context>a\nb</hook_context>"),
      false,
      "x",
    ],
    [
      "what Pommel added in it",
      (c) =>
        c.tool(
          "read_file",
          { file_path: path },
          "x\n<hook_context>&lt;pommel-context&gt;a&lt;/pommel-context&gt;</hook_context>",
        ),
      false,
      "x",
    ],
  ])("of %s", async (_, build, isError, text) => {
    expect(await resultOf(build)).toMatchObject({ isError, text, edits: null });
  });

  it("of Pommel itself has no text", async () => {
    const c = begun();
    c.shell("cd app && pm search x", "found x");
    c.tool("mcp_pommel_search_code", { query: "x" }, "found x");
    c.tool("search_code", { query: "x" }, "found x", {
      more: { displayName: "search_code (pommel MCP Server)" },
    });
    c.tool("list_mcp_resources", {}, "found x");
    c.tool("read_mcp_resource", { uri: "pommel://sessions/x" }, "found x");
    c.tool("read_mcp_resource", { uri: "pommel:pommel://sessions/x" }, "found x");
    c.tool("read_mcp_resource", { uri: "memo://x" }, "theirs");
    c.tool("list_mcp_resources", { serverName: "memo" }, "theirs, too");
    c.resume({ sameMinute: true });
    const entries = await entriesOf(c);
    expect(entries.filter(({ kind }) => kind === "tool_use")).toHaveLength(8);
    expect(JSON.stringify(entries)).not.toContain("found x");
    expect(JSON.stringify(entries).match(/theirs/g)).toHaveLength(2);
  });

  it("names the call's subagent", async () => {
    const result = await resultOf((c) =>
      c.tool("invoke_agent", { prompt: "look" }, "found", { more: { agentId: "a1" } }),
    );
    expect(result).toMatchObject({ subagent: "a1", text: "found" });
  });
});

describe("a repeated history", () => {
  function longerChat() {
    const c = begun();
    c.prompt("Why does it fail?");
    c.reply("Let me look.", { thinking: "hm" });
    c.edit("/home/dev/shop/a.ts", "a\n", "b\n");
    c.shell("npm test", "1 failed", 1);
    c.prompt("and now?");
    c.reply("It passes.");
    return c;
  }

  it.each<[string, (c: ChatFixture) => void]>([
    ["when it is resumed", (c) => c.resume()],
    ["when it is resumed in the same minute, without diffs", (c) => c.resume({ sameMinute: true })],
    ["twice", (c) => [c.resume(), c.resume({ sameMinute: true })]],
  ])("adds nothing %s", async (_, again) => {
    const c = longerChat();
    const before = await linesOf(c);
    again(c);
    expect(await linesOf(c)).toEqual(before);
    c.prompt("And then?");
    expect((await linesOf(c)).slice(before.length)).toMatchObject([{ entries: [prompt("And then?")] }]);
  });

  it("adds a summary after compression, and no duplicates under new ids", async () => {
    const c = longerChat();
    const before = (await linesOf(c)).length;
    c.compress("We fixed it.", 4);
    c.resume();
    const lines = await linesOf(c);
    const compaction = { kind: "compaction", trigger: null, preTokens: null };
    expect(lines.slice(before).map(({ entries }) => entries)).toEqual([
      [compaction, { kind: "summary", text: "<state_snapshot>We fixed it.</state_snapshot>" }],
    ]);
    c.prompt("and now?");
    expect((await entriesOf(c)).at(-1)).toEqual(prompt("and now?"));
  });

  it("adds messages not seen before", async () => {
    const lost = longerChat();
    const c = chat();
    c.records.push(...lost.records);
    lost.resume({ sameMinute: true });
    // Only the client's lines from resuming are there.
    const rest = chat();
    rest.records.push(...lost.records.slice(c.records.length));
    const whole = (await entriesOf(c)).filter(({ kind }) => kind !== "thinking");
    const found = (await entriesOf(rest)).filter(({ kind }) => kind !== "thinking");
    expect(found.map(({ kind }) => kind)).toEqual(whole.map(({ kind }) => kind));
    const uids = async (of: ChatFixture) => (await read(of)).lines.map(({ uid }) => uid);
    // Under its earlier ids, so that nothing is stored twice.
    expect(await uids(c)).toEqual(expect.arrayContaining((await uids(rest)).filter((uid) => uid !== null)));
  });

  it("keeps the first version of a message, and additions of later ones", async () => {
    const c = begun();
    const id = c.prompt("begin");
    const message = { id: idOf("m"), timestamp: c.time(), type: "gemini" };
    c.records.push({ id, type: "user", content: [{ text: "something else" }] });
    c.records.push({ ...message, content: "First" });
    c.records.push({ ...message, content: "First, and second" });
    c.records.push({ ...message, content: "Another" });
    c.records.push({ ...message, content: "First, and second", tokens: { output: 7 }, model: "g" });
    const { lines } = await read(c);
    expect(lines.flatMap(({ entries }) => entries)).toEqual([
      prompt("begin"),
      { kind: "text", text: "First" },
      { kind: "text", text: ", and second" },
    ]);
    expect(lines.at(-1)).toMatchObject({ entries: [], usage: { output: 7 } });
  });

  it("reports the target of a rewind, even the very beginning", async () => {
    const c = begun();
    const first = c.prompt("one");
    const before = c.reply("first");
    const second = c.prompt("two");
    c.reply("second");
    c.rewind(second);
    const third = c.prompt("three");
    c.rewind(first);
    const fourth = c.prompt("four");
    const { lines } = await read(c);
    const parent = (uid: string) => lines.find((line) => line.uid === uid)!.parentUid;
    expect(parent(third)).toBe(before);
    expect(parent(fourth)).toBe(parent(first));
    expect(parent(first)).toBe(lines[0]!.uid);
    expect(await entriesOf(c)).toHaveLength(6);
  });

  it("sets the session's title, but not from a subagent's answer", async () => {
    const c = begun();
    c.set({ summary: "Fix the cart" });
    c.set({ summary: '{\n  "response": "x"\n}' });
    expect(await entriesOf(c)).toEqual([{ kind: "title", text: "Fix the cart" }]);
  });
});

it("survives fields of other types, and unknown records", async () => {
  const c = begun();
  c.records.push({ id: 5, type: "user", timestamp: {}, content: [null, 5, { text: 7 }, { text: "hello" }] });
  c.records.push({
    id: "x",
    type: "gemini",
    content: { text: "hi" },
    toolCalls: [null, { id: "a" }, "x"],
    tokens: 3,
  });
  c.records.push({
    id: "y",
    type: "gemini",
    content: "",
    thoughts: "?",
    toolCalls: { a: 1 },
    model: 5,
    tokens: {},
  });
  c.records.push({ id: "z", type: "plan", content: [] }, { type: {} }, { type: "x".repeat(500) });
  c.records.push({ $set: [] }, { $set: { messages: {} } }, { $set: { messages: [5] } }, { $rewindTo: 5 });
  c.records.push({ $rewindTo: "nowhere" }, { $push: { messages: [] } });
  const { lines, skipped } = await read(c);
  expect(lines.flatMap(({ entries }) => entries)).toEqual([prompt("hello"), { kind: "text", text: "hi" }]);
  expect(lines.every(({ uid }) => uid === null || uid.startsWith(c.session))).toBe(true);
  expect(skipped).toMatchObject({ "type:plan": 1, "type:?": 5, "type:$rewindTo": 1 });
});

it("resumes from cached state, and rebuilds it when needed", async () => {
  const c = begun();
  const file = join(dir, "grows.jsonl");
  c.prompt("begin");
  writeFileSync(file, c.text());
  const first = await readAll(gemini, file);
  c.tool("read_file", { file_path: "a.ts" }, "x");
  c.resume();
  writeFileSync(file, c.text());
  const grown = await readAll(gemini, file, first.cursor);
  // Another reader took the cached state without returning it.
  expect(await readAll(gemini, file, first.cursor)).toEqual(grown);
  for await (const _ of gemini.read(file, null)) break;
  expect(await readAll(gemini, file, first.cursor)).toEqual(grown);
  expect((await readAll(gemini, file)).lines).toEqual([...first.lines, ...grown.lines]);
});
