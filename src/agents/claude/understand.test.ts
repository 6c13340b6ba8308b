import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAll } from "../../../test/support/agent-samples.ts";
import { type TranscriptFixture, transcript } from "../../../test/support/transcript-fixture.ts";
import type { TranscriptEntry } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { claude } from "./claude.ts";

async function read(t: TranscriptFixture) {
  return readAll(claude, t.writeTo(mkdtempSync(join(tmpdir(), "pommel-claude-"))));
}

async function entriesOf(t: TranscriptFixture): Promise<TranscriptEntry[]> {
  return (await read(t)).lines.flatMap(({ entries }) => entries);
}

const prompt = (text: string, images = 0) => ({ kind: "prompt", text, images });
const notice = (text: string) => ({ kind: "notice", text });

describe("a human's prompt", () => {
  it.each([
    ["plain words", "fix it", prompt("fix it")],
    ["words around a reminder", "fix <system-reminder>be kind</system-reminder>it", prompt("fix it")],
    ["a reminder that does not exit", "what is <system-reminder>?", prompt("what is <system-reminder>?")],
    [
      "the editor's state",
      "<ide_opened_file>The user opened a.ts</ide_opened_file>\nfix it",
      prompt("fix it"),
    ],
    ["a reminder alone", "<system-reminder>be kind</system-reminder>", null],
    ["a quoted notification", "why <task-notification>?", prompt("why <task-notification>?")],
    [
      "an interruption",
      "[Request interrupted by user for tool use]",
      notice("[Request interrupted by user for tool use]"),
    ],
    [
      "a task that ended",
      "<task-notification>\ndone\n</task-notification>",
      notice("<task-notification>\ndone\n</task-notification>"),
    ],
    ["a caveat", "<local-command-caveat>Caveat: ...</local-command-caveat>", null],
    [
      "a command's output",
      "<local-command-stdout>\u001b[1mBye\u001b[22m</local-command-stdout>",
      notice("Bye"),
    ],
    ["no output", "<bash-stdout></bash-stdout><bash-stderr></bash-stderr>", null],
    ["a command in the shell", "<bash-input>git pull</bash-input>", notice("! git pull")],
    ["what it printed", "<bash-stdout>a\n</bash-stdout><bash-stderr>b</bash-stderr>", notice("a\nb")],
    [
      "a command that the agent answers",
      "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>12</command-args>",
      prompt("/review 12"),
    ],
    [
      "one without arguments",
      "<command-name>/superpowers:brainstorm</command-name>",
      prompt("/superpowers:brainstorm"),
    ],
    [
      "a command of the client",
      "<command-name>/compact</command-name><command-args>keep x</command-args>",
      notice("/compact keep x"),
    ],
    ["a command that is cut off", "<command-name>/rev", prompt("/rev")],
  ])("%s", async (_, text, wanted) => {
    const t = transcript();
    t.prompt(text);
    expect(await entriesOf(t)).toEqual(wanted === null ? [] : [wanted]);
  });

  it("is one entry with its images counted, in any number of blocks", async () => {
    const t = transcript();
    t.promptWithImages("look", 2);
    t.promptWithImages("", 1);
    expect(await entriesOf(t)).toEqual([prompt("look", 2), prompt("", 1)]);
  });

  it("excludes the client's own messages", async () => {
    const t = transcript();
    t.meta("Base directory for this skill: /x");
    t.notification("Agent finished");
    t.tree("user", { message: { role: "user", content: "go on" }, promptSource: "system" });
    t.interruption();
    t.synthetic("API Error: 529");
    const { lines, skipped } = await read(t);
    const kinds = lines.flatMap(({ entries }) => entries).map(({ kind }) => kind);
    expect(kinds).toEqual(["notice", "notice", "notice", "notice"]);
    expect(skipped).toEqual({ meta: 1 });
    expect(lines.every(({ usage }) => usage === null)).toBe(true);
  });

  it("is kept once when it was queued", async () => {
    const t = transcript();
    t.prompt("begin");
    t.queuedPrompt("go on");
    t.queuedPrompt("go on");
    t.queuedPrompt("does it fail locally?");
    t.tree("attachment", { attachment: { type: "queued_command", prompt: "does it fail locally?" } });
    t.tree("attachment", {
      attachment: { type: "queued_command", prompt: [{ type: "text", text: "hurry" }] },
    });
    t.side({ type: "queue-operation", operation: "enqueue", content: "sent later" });
    t.side({ type: "queue-operation", operation: "dequeue" });
    t.prompt("sent later");
    t.side({ type: "queue-operation", operation: "enqueue", content: "taken back" });
    t.side({ type: "queue-operation", operation: "popAll", content: "taken back" });
    t.side({ type: "queue-operation", operation: "remove" });
    const said = (await entriesOf(t)).map((entry) => entry.kind === "prompt" && entry.text);
    expect(said).toEqual(["begin", "go on", "go on", "does it fail locally?", "hurry", "sent later"]);
  });

  it("is no task that was queued when it started", async () => {
    const t = transcript();
    const operation = (name: string, content?: string) =>
      t.side({ type: "queue-operation", operation: name, timestamp: t.time(), content });
    const task = JSON.stringify({
      task_id: "b27d5f2",
      tool_use_id: "toolu_1",
      description: "Run all tests",
      task_type: "local_bash",
    });
    t.prompt("begin");
    operation("enqueue", task);
    operation("enqueue", "why is the migration changed?");
    operation("remove");
    t.reply("Because it was never released.");
    operation("enqueue", "<task-notification>\nRun all tests: completed\n</task-notification>");
    operation("enqueue", "fix the lint error");
    operation("remove");
    operation("dequeue");
    t.prompt("fix the lint error");
    t.wait(60_000);
    t.prompt("fix the lint error");
    const prompts = (await entriesOf(t)).flatMap((entry) => (entry.kind === "prompt" ? [entry.text] : []));
    expect(prompts).toEqual([
      "begin",
      "why is the migration changed?",
      "fix the lint error",
      "fix the lint error",
    ]);
  });
});

describe("the agent's activity", () => {
  it("is text, thinking and calls, with the message's usage on each line", async () => {
    const t = transcript();
    t.reply("Done.", {
      thinking: "hm",
      usage: { messageId: "m1", input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cacheWriteHour: 1 },
    });
    const { lines } = await read(t);
    expect(lines.map(({ entries }) => entries)).toEqual([
      [{ kind: "thinking", text: "hm" }],
      [{ kind: "text", text: "Done." }],
    ]);
    const usage = {
      messageId: "m1",
      model: "claude-opus-4-5",
      input: 1,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      cacheWriteHour: 1,
    };
    expect(lines.map((line) => line.usage)).toEqual([usage, usage]);
    expect(lines[1]!.parentUid).toBe(lines[0]!.uid);
    expect(lines[0]).toMatchObject({ cwd: t.cwd, branch: "main", at: Date.parse("2026-03-02T09:00:00Z") });
  });

  it.each([
    ["Read", { file_path: "/a/b.ts" }, [{ path: "/a/b.ts", how: "read" }]],
    ["Read", { file_path: "src/../b.ts" }, [{ path: "/home/dev/shop/b.ts", how: "read" }]],
    ["Edit", { file_path: "C:\\a\\b.ts" }, [{ path: "C:\\a\\b.ts", how: "edit" }]],
    ["NotebookEdit", { notebook_path: "/a/b.ipynb" }, [{ path: "/a/b.ipynb", how: "edit" }]],
    ["Write", { file_path: "/a/b.ts" }, [{ path: "/a/b.ts", how: "write" }]],
    ["Write", { file_path: 5 }, []],
    ["Grep", { path: "src" }, []],
    ["Grep", { path: "src/a.ts" }, [{ path: "/home/dev/shop/src/a.ts", how: "read" }]],
    ["toString", { file_path: "/a" }, []],
  ])("%s %j is about %j", async (tool, input, files) => {
    const t = transcript();
    t.toolUse(tool, input);
    expect(await entriesOf(t)).toEqual([expect.objectContaining({ kind: "tool_use", tool, input, files })]);
  });

  it("is bounded", async () => {
    const t = transcript();
    const deep = JSON.parse(`${'{"a":'.repeat(50)}1${"}".repeat(50)}`);
    t.toolUse("Write", { content: "x".repeat(bounds.input + 50), deep, __proto__: { a: 1 } });
    t.bash("cat big", "y".repeat(bounds.result * 3));
    t.prompt("z".repeat(bounds.text * 2));
    for (const entry of await entriesOf(t)) {
      const { length } = JSON.stringify(entry);
      if (entry.kind === "tool_use") expect(length).toBeLessThan(bounds.input + 1000);
      if (entry.kind === "tool_result") expect(length).toBeLessThan(bounds.result + 500);
      if (entry.kind === "prompt") expect(length).toBeLessThan(bounds.text + 500);
    }
  });
});

describe("a result", () => {
  const path = "/home/dev/shop/a.ts";

  async function resultOf(build: (t: TranscriptFixture) => void) {
    const t = transcript();
    build(t);
    return (await entriesOf(t)).findLast((entry) => entry.kind === "tool_result");
  }

  it("of an edit has the written lines, and not the file's earlier content", async () => {
    const result = await resultOf((t) => t.edit(path, "old\nlines", "new", 7));
    expect(result).toMatchObject({ text: `The file ${path} has been updated.`, isError: false });
    expect(result?.edits).toEqual([
      {
        path,
        hunks: [{ oldStart: 7, oldLines: 2, newStart: 7, newLines: 1, lines: ["-old", "-lines", "+new"] }],
        content: null,
      },
    ]);
  });

  it("says that it ends the turn, where the client does", async () => {
    const ended = await resultOf((t) => {
      t.tool("StructuredOutput", { findings: [] }, "Structured output provided successfully");
      const last = t.lines.at(-1);
      if (typeof last === "object") last.toolEndsTurn = true;
    });
    expect(ended).toMatchObject({ endsTurn: true });
    expect(await resultOf((t) => t.write(path, "one\n"))).not.toHaveProperty("endsTurn");
  });

  it("of a write has the file's content", async () => {
    const result = await resultOf((t) => t.write(path, "one\n"));
    expect(result?.edits).toEqual([{ path, hunks: [], content: "one\n" }]);
  });

  it.each([
    ["no patch", { filePath: path, oldString: "a", newString: "b\nc\n" }, ["-a", "+b", "+c"]],
    ["a cell", { notebook_path: path, new_source: "x = 1" }, ["+x = 1"]],
  ])("with %s says what was written all the same", async (_, structured, lines) => {
    const result = await resultOf((t) => t.tool("Edit", { file_path: path }, "ok", { structured }));
    expect(result?.edits?.[0]?.hunks.map((hunk) => hunk.lines)).toEqual([lines]);
  });

  it.each([
    ["text", "Error: no"],
    ["a list", [{ type: "text", text: "x" }]],
    ["nothing", null],
    ["a broken patch", { filePath: path, structuredPatch: "x" }],
    ["a read file", { type: "text", file: { filePath: path, content: "x" } }],
    ["a plan", { filePath: path, plan: "x", content: "x" }],
  ])("with %s beside it has no edits", async (_, structured) => {
    const result = await resultOf((t) => t.tool("Edit", {}, "no", { isError: true, structured }));
    expect(result).toMatchObject({ edits: null, isError: true, text: "no" });
    expect((await resultOf((t) => t.tool("Edit", {}, "no", { structured })))?.edits).toBeNull();
  });

  it("keeps text blocks, and names its subagent", async () => {
    const blocks = [
      { type: "text", text: "a" },
      null,
      5,
      { type: "image", source: {} },
      { type: "text", text: "b" },
    ];
    expect(await resultOf((t) => t.tool("mcp__x__y", {}, blocks))).toMatchObject({ text: "a\n[image]\nb" });
    expect(await resultOf((t) => t.task("a1b2", "look", "found"))).toMatchObject({
      text: "found",
      subagent: "a1b2",
    });
  });

  it("of Pommel itself has no text", async () => {
    const t = transcript();
    t.bash("cd app && pm search x", "found x");
    t.tool("mcp__pommel__search", { query: "x" }, "found x", { isError: true });
    t.tool("ReadMcpResourceTool", { server: "plugin:pommel:pommel", uri: "pommel://sessions/1" }, "found x");
    t.tool("ListMcpResourcesTool", {}, "found x");
    t.tool("ReadMcpResourceTool", { server: "wiki", uri: "wiki://page" }, "a page");
    t.shell("pm search x", "found x");
    t.bash("npm test", "passed");
    const entries = await entriesOf(t);
    const results = entries.filter((entry) => entry.kind === "tool_result");
    expect(results.map(({ text, isError }) => [text, isError])).toEqual([
      ["", false],
      ["", true],
      ["", false],
      ["", false],
      ["a page", false],
      ["passed", false],
    ]);
    expect(JSON.stringify(entries)).not.toContain("found x");
    expect(entries.filter(({ kind }) => kind === "tool_use")).toHaveLength(6);
  });
});

describe("a session", () => {
  it("is compacted at a boundary, continues from there, and has a summary", async () => {
    const t = transcript();
    const before = t.prompt("begin");
    t.compact("We began.", "manual");
    const [, boundary, summary] = (await read(t)).lines;
    expect(boundary).toMatchObject({
      parentUid: before,
      entries: [{ kind: "compaction", trigger: "manual", preTokens: 150_000 }],
    });
    expect(summary!.entries).toEqual([{ kind: "summary", text: expect.stringMatching(/We began\.$/) }]);
  });

  it("gets its own titles, not those of others", async () => {
    const t = transcript();
    t.summaryOf("00000000-0000-4000-8000-000000000000", "Another session");
    t.summaryOf("not a uuid .*", "No session");
    const uuid = t.prompt("begin");
    t.summaryOf(uuid, "A beginning");
    t.title("The cart");
    t.side({ type: "custom-title", customTitle: "Cart" });
    t.side({ type: "custom-title", customTitle: null });
    const titles = (await entriesOf(t)).filter(({ kind }) => kind === "title");
    expect(titles.map((entry) => "text" in entry && entry.text)).toEqual(["A beginning", "The cart", "Cart"]);
  });

  it("keeps its tree connected through lines without content", async () => {
    const t = transcript();
    const uids = [
      t.prompt("begin"),
      t.progress("x"),
      t.injected("from a hook"),
      t.meta("x"),
      t.reply("done"),
    ];
    const { lines, skipped } = await read(t);
    expect(lines.map(({ uid }) => uid)).toEqual(uids);
    expect(lines.map(({ parentUid }) => parentUid)).toEqual([null, ...uids.slice(0, -1)]);
    expect(lines.map(({ entries }) => entries.length)).toEqual([1, 0, 0, 0, 1]);
    expect(skipped).toEqual({ "type:progress": 1, "type:attachment/hook_additional_context": 1, meta: 1 });
  });

  it("omits lines of another agent's side chain", async () => {
    const t = transcript();
    t.prompt("begin");
    t.tree("user", { isSidechain: true, message: { role: "user", content: "Warmup" } });
    t.tree("user", { isSidechain: true, agentId: "zz", message: { role: "user", content: "Warmup" } });
    const { lines, skipped } = await read(t);
    expect(lines).toHaveLength(1);
    expect(skipped).toEqual({ sidechain: 2 });
  });

  it("survives fields of other types", async () => {
    const t = transcript();
    const odd = { uuid: 5, timestamp: {}, gitBranch: "HEAD", cwd: null, isMeta: "no", promptSource: [] };
    t.lines.push({ type: "user", message: { role: "user", content: "hello" }, ...odd });
    t.lines.push({
      type: "assistant",
      message: { content: [{ type: "text", text: "hi" }, { type: "tool_use" }], usage: 3 },
    });
    t.lines.push({ type: "assistant", message: "?" }, { type: {} }, { type: "x".repeat(500) });
    const { lines, skipped } = await read(t);
    expect(lines.map(({ uid, at, branch, entries }) => ({ uid, at, branch, entries }))).toEqual([
      { uid: null, at: null, branch: null, entries: [prompt("hello")] },
      { uid: null, at: null, branch: null, entries: [{ kind: "text", text: "hi" }] },
      { uid: null, at: null, branch: null, entries: [] },
    ]);
    expect(skipped).toEqual({ "type:?": 2 });
  });
});
