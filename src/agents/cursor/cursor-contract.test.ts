import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { describeDatabase } from "../../../test/support/agent-database-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { called, cursorConversation, cursorStart } from "../../../test/support/cursor-fixture.ts";
import { Sqlite } from "../../store/sqlite/sqlite.ts";
import type { TranscriptEntry } from "../agent.ts";
import { claudeProfile } from "../claude/profile.ts";
import { cursor } from "./cursor.ts";
import { cursorProfile } from "./profile.ts";

const heron = "/home/dev/shop/src/heron.ts";

let growing: ReturnType<typeof cursorConversation>;
let opened = "";
describeDatabase("Cursor", {
  agent: cursor,
  begin(dir) {
    growing = cursorConversation(dir, { storage: dir });
    growing.prompt("Why does the heron importer give up? 🛒");
    return growing.path;
  },
  steps: [
    () => growing.say("", { thinking: { text: "It tries once.", signature: "s" } }),
    () => growing.call("read_file_v2", { targetFile: heron }, { contents: "a = 1" }),
    () => {
      opened = growing.bubble(2, {
        toolFormerData: called("run_terminal_command_v2", { command: "npm test" }, "", { status: "loading" }),
      });
    },
    () =>
      growing.rewrite(opened, 2, {
        toolFormerData: called("run_terminal_command_v2", { command: "npm test" }, { output: "1 passed" }),
      }),
    () => growing.set({ name: "Heron retries" }),
    () => growing.prompt("thanks"),
    () => {
      growing.set({ status: "generating" });
      growing.say("Fi");
    },
    () => growing.set({ status: "completed" }),
  ],
  undo: () => growing.backTo(opened),
  info: {
    session: "0b5a77aa-1111-4222-8333-444455556666",
    parent: null,
    cwd: "/home/dev/shop",
    startedAt: cursorStart,
  },
});

it.each([1e308, Number.MAX_SAFE_INTEGER + 2, -1e300, "+999999-01-01", { toString: 1 }])(
  "Cursor: %j is no time of a message",
  async (createdAt) => {
    const c = cursorConversation(mkdtempSync(join(tmpdir(), "pommel-cursor-")));
    c.prompt("Why does it give up?", { createdAt });
    const { lines } = await readAll(cursor, c.path);
    expect(new Set(lines.map(({ at }) => at))).toEqual(new Set([null]));
  },
);

describe("A conversation of Cursor", () => {
  let user: string;
  beforeEach(() => {
    user = mkdtempSync(join(tmpdir(), "pommel-cursor-"));
  });
  const entriesOf = async (c: { path: string }): Promise<TranscriptEntry[]> =>
    (await readAll(cursor, c.path)).lines.flatMap(({ entries }) => entries);

  it("is found where the system keeps the editor's data, without those that have no message", async () => {
    const c = cursorConversation(user);
    cursorConversation(user, { id: "00000000-empty" });
    c.prompt("Why?");
    const found: string[] = [];
    for await (const { path } of cursor.list(join(user, "globalStorage"))) found.push(path);
    expect(found).toEqual([c.path]);
    const home = process.platform === "darwin" ? "/h/Library/Application Support" : "/h/.config";
    if (process.platform !== "win32")
      expect(cursor.listRoots({ HOME: "/h" })).toEqual([
        `${home}/Cursor/User/globalStorage`,
        "/h/.cursor/projects",
      ]);
  });

  it("has whole milliseconds, also where fractions are written", async () => {
    const c = cursorConversation(user);
    // The title has no time.
    c.prompt("Why?", { createdAt: 1772442000000.5 });
    expect((await readAll(cursor, c.path)).lines.map(({ at }) => at)).toEqual([1772442000000, null]);
  });

  it("has the folder of its window, by older databases as well, and none without one", async () => {
    const c = cursorConversation(user, { id: "11111111-old", place: "workspace", cwd: "/home/dev/a b" });
    c.prompt("Why?");
    expect(await cursor.describe(c.path)).toMatchObject({ session: "11111111-old", cwd: "/home/dev/a b" });
    const nowhere = cursorConversation(user, { id: "22222222-none", cwd: null });
    nowhere.prompt("Why?");
    expect(await cursor.describe(nowhere.path)).toBeNull();
    const parent = { parentComposerId: "11111111-old", subagentTypeName: "explore", toolCallId: "c1" };
    const child = cursorConversation(user, { id: "33333333-child", parent, name: "Find the limit" });
    child.prompt("Find it.");
    expect(await cursor.describe(child.path)).toMatchObject({
      session: "11111111-old/33333333-child",
      parent: { session: "11111111-old", toolUse: "c1", agentType: "explore", task: "Find the limit" },
    });
  });

  it("has edits with the lines that differ, and none of those that failed", async () => {
    const c = cursorConversation(user);
    c.edit("src/heron.ts", "a\nb\nc\n", "a\nB\nc\nd\n");
    c.edit(heron, null, "new();\n");
    c.call(
      "edit_file_v2",
      { relativeWorkspacePath: heron },
      { beforeContentId: "composer.content.gone", afterContentId: c.content("x") },
    );
    c.call("search_replace", {}, "ok", {
      params: undefined,
      rawArgs: JSON.stringify({ file_path: heron, old_string: "x", new_string: "y" }),
    });
    c.call("edit_file_v2", { relativeWorkspacePath: heron }, "", {
      status: "error",
      error: '{"clientVisibleErrorMessage":"no"}',
    });
    const entries = await entriesOf(c);
    const results = entries.filter((entry) => entry.kind === "tool_result");
    expect(results.map(({ edits }) => edits)).toMatchObject([
      [
        {
          path: heron,
          hunks: [
            { oldStart: 2, lines: ["-b", "+B"] },
            { newStart: 4, lines: ["+d"] },
          ],
        },
      ],
      [{ path: heron, hunks: [], content: "new();\n" }],
      null,
      [{ path: heron, hunks: [{ oldStart: 0, lines: ["-x", "+y"] }] }],
      null,
    ]);
    expect(results.at(-1)).toMatchObject({ isError: true, text: "no" });
    const uses = entries.filter((entry) => entry.kind === "tool_use");
    expect(uses.map(({ action }) => action)).toEqual(Array(5).fill("write"));
  });

  it("has prompts, commands, the model's tokens and titles, and nothing that Pommel answered", async () => {
    const c = cursorConversation(user);
    c.prompt("Look\n<pommel-context>known</pommel-context>", { images: [{ data: "x" }] });
    c.say("Done.", { tokenCount: { inputTokens: 100, outputTokens: 20 } });
    c.call("run_terminal_cmd", { command: "npm test" }, { output: "1 passed" });
    c.call("run_terminal_cmd", { command: "pm search heron" }, { output: "the answer" });
    c.call("mcp_pommel_search_code", { query: "heron" }, { output: "the answer" });
    c.bubble(7, { text: "?" });
    const { lines, skipped } = await readAll(cursor, c.path);
    const entries = lines.flatMap((line) => line.entries);
    expect(entries[0]).toEqual({ kind: "prompt", text: "Look", images: 1 });
    expect(entries).toContainEqual(
      expect.objectContaining({ action: "command", input: { command: "npm test" } }),
    );
    expect(entries.at(-1)).toEqual({ kind: "title", text: "Heron importer" });
    expect(JSON.stringify(entries)).not.toMatch(/known|the answer/);
    expect(lines[1]!.usage).toMatchObject({ model: "claude-4.5-sonnet", input: 100, output: 20 });
    expect(lines[1]!.at).toBe(cursorStart + 2000);
    expect(skipped).toEqual({ "type:7": 1 });
  });

  it("is read while the editor writes, and does not stop it", async () => {
    const c = cursorConversation(user);
    c.prompt("Why?");
    const editor = new Sqlite(c.file, { mode: "write", timeoutMs: 0 });
    editor.exec("BEGIN IMMEDIATE");
    editor.prepare("INSERT INTO cursorDiskKV VALUES ('other', 'x')").run();
    expect(await entriesOf(c)).toContainEqual({ kind: "prompt", text: "Why?", images: 0 });
    editor.exec("COMMIT");
    editor.prepare("INSERT INTO cursorDiskKV VALUES ('more', 'x')").run();
    editor.close();
  });

  it("survives whatever a value contains", async () => {
    const c = cursorConversation(user);
    const id = c.prompt("x");
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), fc.boolean(), async (value, isBubble) => {
        const key = isBubble ? `bubbleId:${c.id}:${id}` : `composerData:${c.id}`;
        c.set({});
        c.run((db) => db.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)").run(key, value));
        await cursor.describe(c.path);
        for await (const { path } of cursor.list(c.file)) await readAll(cursor, path);
      }),
      { numRuns: 25 },
    );
  });
});

it("Cursor's hooks name the conversation, its folder and the file of an edit", () => {
  const { read, editedFiles } = cursorProfile.hooks;
  const common = { conversation_id: "0b5a77aa-1111", workspace_roots: ["/p", "/q"], generation_id: "g" };
  const edit = read({ ...common, hook_event_name: "afterFileEdit", file_path: "/p/a.ts", edits: [] });
  expect(edit).toMatchObject({ session_id: "0b5a77aa-1111", cwd: "/p", hook_event_name: "afterFileEdit" });
  expect(edit).toMatchObject({ transcript_path: expect.stringMatching(/state\.vscdb\/0b5a77aa-1111$/) });
  expect(editedFiles("", edit.tool_input as Record<string, unknown>)).toEqual(["/p/a.ts"]);
  expect(read({ conversation_id: "../x", prompt: "y" })).toEqual({ prompt: "y" });
});

it("Cursor runs Claude Code's hooks as well, which do nothing there", () => {
  const given = { session_id: "0b5a77aa-1111", conversation_id: "0b5a77aa-1111", hook_event_name: "Stop" };
  const { shouldIgnore } = claudeProfile.hooks;
  expect(shouldIgnore("stop", { ...given, cursor_version: "3.14.7" })).toBe(true);
  expect(shouldIgnore("stop", given)).toBe(false);
  expect(shouldIgnore("user-prompt", { ...given, cursor_version: "3.14.7", prompt: "Why?" })).toBe(true);
});
